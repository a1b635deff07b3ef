internal import JSONRPC
internal import RxAction
internal import RxHost
internal import RxJSON
internal import RxProtocol

extension BriefExecution {
    /// Answers `action.execute` with the element or the error of work that has ended already.
    func answer(_ call: Call) {
        if let failure = error {
            let error = RPCError(failure)
            call.client.audit(AuditRecord(executing: action, id, error))
            call.reply.failure(error.adding(execution: id.description))
        } else {
            let limits = call.context.limits
            let fits =
                limits.elementsPerReply > 0 && (element?.utf8.count ?? 0) <= limits.outboxBytes
                && !call.reply.isWithoutRoom
            call.reply.success { $0.result(of: id, fits ? element : nil) }
        }
    }
}
