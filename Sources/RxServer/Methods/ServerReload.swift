internal import JSONRPC
internal import RxHost
internal import RxJSON
internal import RxProtocol

/// `server.reload`: reads the configuration again, or only reports what would change.
struct ServerReload: MethodHandler {
    static let method = Method.serverReload

    private let call: Call
    private let dryRun: Bool

    init(_ params: JSONView?, _ call: Call) throws(RPCError) {
        dryRun = try Parameters(params, of: Self.method).optionalBool("dryRun") ?? false
        try call.client.authorize(.manage, for: Self.method)
        self.call = call
    }

    func perform() throws(RPCError) {
        let record = AuditRecord(method: Self.method, outcome: .effect(dryRun ? "checked" : "done"))
        switch call.context.onReload?(dryRun) {
        case nil:
            let error = RPCError(.featureMissing, message: "this daemon has no configuration to read again")
            call.client.audit(record.refused(error))
            throw error
        case .failure(let failure):
            let error = RPCError(.invalidParams, message: "the configuration is refused; the old one holds") { writer in
                writer.key("faults")
                writer.strings(failure.faults)
            }
            call.client.audit(record.refused(error))
            throw error
        case .success(let change):
            call.client.audit(record)
            call.reply.success { change.write(to: &$0) }
        }
    }
}

extension RegistryChange {
    fileprivate func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.key("added")
        writer.strings(added)
        writer.key("changed")
        writer.strings(changed)
        writer.key("removed")
        writer.strings(removed)
        writer.key("unchanged")
        writer.strings(unchanged)
        writer.endObject()
    }
}
