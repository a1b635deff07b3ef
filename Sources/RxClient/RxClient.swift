// RxClient: the client's side of the protocol rx/1.
//
//     let client = try await Client.connect(path: "/run/rxd/rxd.sock", reconnecting: .forever)
//     for try await element in client.elements(of: "countdown", ["from": 3]) { print(element) }
//
// | to | async/await | Rx |
// |---|---|---|
// | get the elements of an execution | `elements(of:_:)` | `execute(_:_:)` |
// | get its events, or its id at once | `stream(_:)` | |
// | wait for its end | `execute(_:)` with a request | |
// | follow actions, reactors, or executions | `subscribe(_:)` | `subscribe(to:)`, `events(_:)` |
// | call any method | `call(_:_:)` | |
//
// Rules a user must know:
// - `Client` owns a loop and its thread, and may be used from anywhere. `Connection` is for programs that have a loop:
//   one connection, callbacks, on that loop's thread only.
// - Replies come in any order. The events of a stream come in the order of their `sequence`, after the reply that
//   opened it; the last one is `end`, or an error when the connection is lost for good.
// - With `reconnecting`, streams continue over the next connection, each event once. Events that are lost become a
//   `gap`, a case of `StreamElement`. `sequence` starts anew on each connection; `cursor` goes on.
// - Calls in flight at a loss fail with `.closed`: they may have been carried out. Calls with a key are repeated, three
//   times at most. Calls made without a connection wait for `Reconnecting.patience`.
// - An execution with `.detach` outlives the connection, and its stream continues by its id. One with `.cancel`, the
//   default of `elements` and of Rx, is withdrawn by the daemon and fails with `.closed`.
// - Fields, channels, and notifications that this release does not know are ignored, so that a newer daemon may send
//   more. An end for an unknown reason is an end, but no success.
// - A slow consumer costs bounded memory (see `EventBuffer`) and never delays replies or other streams. An event on the
//   channel `lag` counts what it missed; `elements` and `execute` are complete or fail.
//
// JSON goes in and out as text (`RawJSON`, or literals). Coding into your own types needs Foundation, which can decode
// `RawJSON.utf8`.
//
// Read `Client/` (`Client`, `Client+Rx`, `ClientError`, `Reconnecting`), `Requests/` (what is sent and answered),
// `Streams/` (`StreamEvent`, `StreamElement`, `EventStream`, `ExecutionElements`; beneath them `Inbox` and
// `EventBuffer`); then `Link/` (`Link`: requests and streams across connections, for `Client` and rxctl) and
// `Connection/` (one connection).
