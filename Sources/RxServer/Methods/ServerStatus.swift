internal import Glibc
internal import JSONRPC
internal import RxHost
internal import RxJSON
internal import RxProtocol

extension Session {
    func status(_ params: JSONView?, _ reply: Reply) throws(RPCError) {
        _ = try Parameters(params, known: [])
        try authorize(.read)
        let host = server.host
        // Before the reply is written: while it is, this connection's outbox cannot be asked.
        let queuedBytes = server.connections.values.reduce(0) { $0 + $1.queuedBytes }
        reply.success { writer in
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
            writer.field("subscriptions", server.subscriptions.count)
            writer.field("queuedBytes", queuedBytes)
            writer.endObject()
        }
    }
}
