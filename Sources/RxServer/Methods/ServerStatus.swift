internal import Glibc
internal import JSONRPC
internal import RxHost
internal import RxJSON
internal import RxProtocol

/// `server.status`: figures of the daemon.
struct ServerStatus: MethodHandler {
    static let method = Method.serverStatus
    static let onlyAnswers = true

    private let call: Call

    init(_ params: JSONView?, _ call: Call) throws(RPCError) {
        _ = try Parameters(params, of: Self.method)
        try call.client.authorize(.read, for: Self.method)
        self.call = call
    }

    func perform() {
        let context = call.context
        let host = context.host
        let sessions = call.session.table
        // Read before the reply is written: during that, this connection's outbox must not be accessed.
        let queuedBytes = sessions.queuedBytes
        call.reply.success { writer in
            writer.beginObject()
            writer.field("version", ReleaseVersion.current)
            writer.field("pid", Int(getpid()))
            writer.field("epoch", host.epoch)
            writer.key("startedAt")
            writer.time(context.started.milliseconds)
            writer.field("cursor", context.encoder.cursor(host.log.cursor))
            writer.field("actions", host.registry.actions.count)
            writer.field("executions", host.log.inFlight.count)
            writer.field("connections", sessions.count)
            writer.field("subscriptions", sessions.subscriptions.count)
            writer.field("queuedBytes", queuedBytes)
            writer.endObject()
        }
    }
}
