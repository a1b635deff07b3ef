internal import JSONRPC
internal import RxHost
internal import RxJSON
internal import RxProtocol

extension Session {
    func reload(_ params: JSONView?, _ reply: Reply) throws(RPCError) {
        let parameters = try Parameters(params, known: ["dryRun"])
        let dryRun = try parameters.optionalBool("dryRun") ?? false
        try authorize(.manage)
        let record = AuditRecord(method: method, outcome: .effect(dryRun ? "checked" : "done"))
        switch server.reload(dryRun: dryRun) {
        case nil:
            let error = RPCError(.featureMissing, message: "this daemon has no configuration to read again")
            audit(record.refused(error))
            throw error
        case .failure(let failure):
            let error = RPCError(.invalidParams, message: "the configuration is refused; the old one holds") { writer in
                writer.key("faults")
                writer.strings(failure.faults)
            }
            audit(record.refused(error))
            throw error
        case .success(let change):
            audit(record)
            reply.success { writer in
                writer.beginObject()
                writer.key("added")
                writer.strings(change.added)
                writer.key("changed")
                writer.strings(change.changed)
                writer.key("removed")
                writer.strings(change.removed)
                writer.key("unchanged")
                writer.strings(change.unchanged)
                writer.endObject()
            }
        }
    }
}
