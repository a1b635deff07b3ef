// RxServer: a host on a socket.
//
//     socket line -> Connection (line -> message) -> Session (method -> handler, rights) -> Host
//     Host.log -> Delivery (event -> subscriptions) -> Subscription (event -> notification) -> Outbox -> socket
//
// Rules:
// - Everything here runs on the event loop's thread; other threads reach it through the event log or
//   `EventLoop.execute`.
// - All bytes of a connection leave through its one `Outbox`, in one write per turn. A reply precedes the first event
//   of what it opened.
// - An event is encoded once (`EventEncoder`) for all subscriptions; only the head of its line differs.
// - Everything that waits for a slow reader is bounded and counted (`Outbox`). Only the stream of a client's own
//   execution holds back the work instead (`Pace`), while its reader reads at all (`ReaderPatience`).
// - A handler gets an action only from `Session.action(_:allowing:for:)`, and goes on with an execution only after
//   `Session.authorize(_:on:of:by:for:)`: both consult `Rights`, and report refusals to `Audit`.
//
// A new method is a case of `Method`, its contract in `RxProtocol/Methods/`, and a `MethodHandler` in `Methods/`; the
// compiler then demands its line in `Session.perform`. `ErrorMapping` alone turns errors of the host into errors of
// the protocol.
//
// A daemon is `HostDaemon` (Daemon/): the loop, the listener, the server, systemd, and signals around a host.
//
// Read: Server, Delivery, Connection, Session, MethodHandler, ExecuteParameters, Methods/ActionExecute, Subscription,
// Outbox.
