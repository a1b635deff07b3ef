// RxServer: a host on a socket.
//
//     socket line -> Connection (line -> message) -> Session (method -> handler, rights) -> Host
//     Host.log -> Server (event -> subscriptions) -> Subscription (event -> notification) -> Outbox -> socket
//
// Rules:
// - Everything here runs on the event loop's thread; what other threads have to say comes in through the event log
//   or `EventLoop.execute`.
// - All bytes of a connection leave through its one `Outbox`, in one write per turn. A reply precedes the first
//   event of what it opened.
// - An event is encoded once (`EventEncoder`), whoever receives it; only its head differs.
// - What waits for a slow reader is bounded and counted (`Outbox`). Only the stream of a client's own execution holds
//   back the work instead, while its reader reads at all (`Connection.waitForReader`).
// - A handler gets an action only from `Session.action(_:allowing:for:)`, and goes on with an execution only after
//   `Session.authorize(_:on:of:by:for:)`: both ask `Rights`, and tell `Audit` whom they refused what.
//
// A new method is a case of `Method`, its contract in `RxProtocol/Methods/`, and a `MethodHandler` in `Methods/`; the
// compiler then asks for its line in `Session.perform`. Errors of the host become errors of the protocol in `ErrorMapping` alone.
//
// Read: Server with Delivery, Connection, Session, MethodHandler, ExecuteParameters, Methods/ActionExecute, Subscription, Outbox.
