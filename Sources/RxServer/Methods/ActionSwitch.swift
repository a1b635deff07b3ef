internal import RxRecords
internal import JSONRPC
internal import Logging
internal import RxAction
internal import RxHost
internal import RxJSON
internal import RxProtocol
internal import RxLoop

extension Session {
    /// Longest reason: it is told with every refusal.
    private static let reasonBytes = 1024

    func enableAction(_ params: JSONView?, _ reply: Reply) throws(RPCError) {
        try switchAction(params, reply) { _ in nil }
    }

    func disableAction(_ params: JSONView?, _ reply: Reply) throws(RPCError) {
        try switchAction(params, reply) { [connection] reason in
            ManualSwitch(by: connection.peer.origin, since: WallClock.milliseconds, reason: reason)
        }
    }

    private func switchAction(
        _ params: JSONView?, _ reply: Reply, _ manual: (_ reason: String?) -> ManualSwitch?
    ) throws(RPCError) {
        let parameters = try Parameters(params, known: ["action", "reason"])
        let reason = try parameters.optionalString("reason")
        if let reason, reason.utf8.count > Session.reasonBytes {
            throw parameters.fault("reason", "must have at most \(Session.reasonBytes) bytes")
        }
        let action = try action(parameters.string("action"), for: .manage)
        let manual = manual(reason)
        server.logger.notice(
            "\(action.name) is switched \(manual == nil ? "on" : "off")\(reason.map { ": \($0)" } ?? "")",
            metadata: ["action": "\(action.name)", "peer-uid": "\(connection.peer.uid)"])
        let record = AuditRecord(method: method, action: action.name, outcome: .effect("done"), reason: reason)
        server.host.set(manual, of: action) {
            [server, peer = connection.peer, reply = LoopConfined(reply), loop = server.loop] error in
            loop.execute {
                if let error {
                    let error = RPCError(error)
                    server.audit.write(record.refused(error), by: peer)
                    return reply.value.failure(error)
                }
                server.audit.write(record, by: peer)
                let levels = server.host.log.snapshot(of: [action]).levels[0]
                reply.value.success { writer in
                    writer.beginObject()
                    writer.field("action", action.name)
                    levels.enabled.write(to: &writer)
                    writer.endObject()
                }
            }
        }
    }
}
