// RxClient: the protocol rx/1 from the client's end, one connection at a time.
//
// Rules a user must know:
// - `Client` is for programs with async/await: it owns a loop and its thread, and may be used from anywhere.
// - `Connection` is the same for programs that have a loop: callbacks, on that loop's thread only. `rxctl` uses it on its
//   main thread, so that a command costs no second thread.
// - Replies come in any order; the events of a stream come in the order of their `sequence`, after the reply that opened
//   it, and its last one is `end` (or an error, when the connection is lost).
// - What this release does not know (fields, channels, notifications) is ignored, so that a newer daemon can say more.
// - A consumer that does not keep up costs bounded memory: see `EventBuffer`. It never delays replies or other streams.
//
// Read `ClientError`, `Requests`, `SubscribeRequest`, `ExecuteReply`, `StreamEvent`, `SubscriptionProgress`, `Connection`,
// `Client`, `EventStream`, `EventBuffer`.
//
// A lost connection is final: whoever wants another one connects again. What a stream needs to go on elsewhere is its
// request and the cursor of its last event, and both are at hand.
