internal import JSONRPC
internal import RxAction
internal import RxHost
internal import RxJSON
internal import RxProtocol

extension Call {
    /// Answers `action.execute` with the element or the error of work that has ended already.
    func answer(_ execution: BriefExecution) {
        if let failure = execution.error {
            let error = RPCError(failure)
            session.audit(AuditRecord(executing: execution.action, execution.id, error))
            return reply.failure(error.adding(execution: execution.id.description))
        }
        let limits = server.limits
        let fits = limits.elementsPerReply > 0 && (execution.element?.utf8.count ?? 0) <= limits.outboxBytes
        guard fits, let element = execution.element, !element.hasNewline, reply.batch == nil, let id = reply.id else {
            return reply.success { $0.result(of: execution.id, fits ? execution.element : nil) }
        }
        connection.answer { $0.response(id, execution.id, element) }
    }
}
