internal import JSONRPC
internal import RxHost
internal import RxProtocol
internal import RxStore

extension Call {
    /// Answers that the store could not keep what it must before a durable input is accepted.
    func fail(_ accepted: AcceptedExecution, _ error: StoreError) {
        let error = RPCError(error)
        client.audit(AuditRecord(executing: accepted.execution.action, accepted.execution.id, error))
        reply.failure(error)
    }
}
