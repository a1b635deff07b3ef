// RxClient: the protocol rx/1 from the client's end.
//
//     let client = try await Client.connect(path: "/run/rxd/rxd.sock", reconnecting: .forever)
//     for try await element in client.elements(of: "countdown", ["from": 3]) { print(element) }
//
// | to | async/await | Rx |
// |---|---|---|
// | have the elements of an execution | `elements(of:_:)` | `execute(_:_:)` |
// | have its events, or its id at once | `stream(_:)` | |
// | wait for its end | `execute(_:)` with a request | |
// | follow actions or executions | `subscribe(_:)` | `subscribe(to:)`, `events(_:)` |
// | call any method | `call(_:_:)` | |
//
// Rules a user must know:
// - `Client` owns a loop and its thread, and may be used from anywhere. `Connection` is the same for programs that have a
//   loop: callbacks, on that loop's thread only, and one connection. `rxctl` uses it on its main thread, so that a command
//   costs no second thread.
// - Replies come in any order; the events of a stream come in the order of their `sequence`, after the reply that opened
//   it, and its last one is `end` (or an error, when the connection is lost for good).
// - With `reconnecting`, streams go on over the next connection, each event once. What could not be had any more is a
//   `gap`, which a reader meets as a case of `StreamElement`. `sequence` counts anew then; `cursor` goes on.
// - Calls in flight at a loss fail with `.closed`: they may have been carried out. Those with a key are repeated, three
//   times at most. Calls made without a connection wait for `patience`. See `Client`.
// - An execution asked for with `.detach` outlives the connection, and its stream goes on by its id; one with `.cancel`, the
//   default of `elements` and of Rx, is withdrawn by the daemon and fails with `.closed`.
// - What this release does not know (fields, channels, notifications) is ignored, so that a newer daemon can say more. An
//   end for an unknown reason is an end, and no success.
// - A consumer that does not keep up costs bounded memory: see `EventBuffer`. It never delays replies or other streams. What
//   it missed is a `lag` event; `elements` and `execute` are complete or fail.
//
// JSON goes in and out as it stands (`RawJSON`, or literals): coding into types of one's own would need Foundation, which
// may well do it with `RawJSON.utf8`.
//
// Read `ClientError`, `Requests`, `SubscribeRequest`, `ExecuteReply`, `StreamEvent`, `StreamElement`, `Client`,
// `EventStream`, `ExecutionElements`, `Client+Rx`, `Reconnecting`; beneath them `Connection`, `SubscriptionProgress`, `Link`
// (a client's way to the daemon), `FollowedStream`, `OutgoingRequest`, `Mailbox`, `EventBuffer`.
