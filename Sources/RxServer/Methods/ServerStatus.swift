internal import Glibc
internal import JSONRPC
internal import RxHost
internal import RxJSON
internal import RxProtocol

/// `server.status`: figures of the daemon.
struct ServerStatus: MethodHandler {
    static let method = Method.serverStatus

    private let call: Call

    init(_ params: JSONView?, _ call: Call) throws(RPCError) {
        _ = try Parameters(params, of: Self.method)
        try call.session.authorize(.read, for: Self.method)
        self.call = call
    }

    func perform() {
        let server = call.server
        let host = server.host
        // Read before the reply is written: during that, this connection's outbox must not be accessed.
        let queuedBytes = server.connections.values.reduce(0) { $0 + $1.queuedBytes }
        call.reply.success { writer in
            writer.beginObject()
            writer.field("version", ReleaseVersion.current)
            writer.field("pid", Int(getpid()))
            writer.field("epoch", host.epoch)
            writer.key("startedAt")
            writer.time(server.started.milliseconds)
            writer.field("cursor", server.encoder.cursor(host.log.cursor))
            writer.field("actions", host.registry.actions.count)
            writer.field("executions", host.log.inFlight.count)
            writer.field("connections", server.connections.count)
            writer.field("subscriptions", server.delivery.subscriptions.count)
            writer.field("queuedBytes", queuedBytes)
            writer.endObject()
        }
    }
}
