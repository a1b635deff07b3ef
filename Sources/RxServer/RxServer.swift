// RxServer: a host on a socket.
//
//     socket line -> Connection (line -> message) -> MethodTable (method -> handler), Client (rights) -> Host
//     Host.log -> Delivery (event -> subscriptions) -> Subscription (event -> notification) -> Outbox -> socket
//
// Rules:
// - Everything here runs on the event loop's thread, except reloads (Reload/), which have a queue, and what takes long
//   (`RequestWorkers`); other threads reach it through the event log or `EventLoop.execute`.
// - All bytes of a connection leave through its one `ConnectionOutput`, at the end of a turn at the latest. A reply
//   precedes the first event of what it opened.
// - An event is encoded once (`EventEncoder`) for all subscriptions; only the head of its line differs.
// - Everything that waits for a slow reader is bounded and counted (`Outbox`). Only the stream of a client's own
//   execution holds back the work instead (`Pace`), while its reader reads at all (`ReaderPatience`).
// - A handler gets an action only from `Client.action(_:allowing:for:)`, and goes on with an execution only after
//   `Client.authorize(_:on:of:by:for:)`: both consult `Rights`, and report refusals to `Audit`.
//
// A new method is a case of `Method`, its contract in `RxProtocol/Methods/`, and a `MethodHandler` in `Methods/`; the
// compiler then demands its line in `MethodTable.perform`. `ErrorMapping` alone turns errors of the host into errors of
// the protocol.
//
// A daemon is `HostDaemon` (Daemon/): the loop, the listener, the server, systemd, and signals around a host.
//
// Layers, each of which uses only those before it; two or three files that belong together may use each other:
// 1. Rights, Audit, EventEncoder, ReloadQueue; ServerContext: what all parts share.
// 2. Subscription, Outbox, CatchUps: events on their way to one client, and those that wait for it.
// 3. Client: the peer and its rights. ConnectionOutput, OpenSubscriptions, SubscriptionTable: the writing side.
// 4. Session, SessionTable: what each client has opened and waits for.
// 5. Call, MethodHandler, and the handlers in Methods/.
// 6. MethodTable; Connection: the reading side.
// 7. Delivery, Server.
//
// Read: Server, Delivery, Connection, MethodTable, Session, Call, ExecuteParameters, Methods/ActionExecute,
// ConnectionOutput, Subscription, Outbox.
