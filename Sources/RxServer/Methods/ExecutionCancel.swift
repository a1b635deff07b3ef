internal import RxRecords
internal import JSONRPC
internal import RxAction
internal import RxHost
internal import RxJSON
internal import RxProtocol

/// `execution.cancel`: cancels an execution for all of its requesters, and answers at its end.
struct ExecutionCancel: MethodHandler {
    static let method = Method.executionCancel

    private let call: Call
    private let execution: String
    /// The time between SIGTERM and SIGKILL.
    private let grace: Duration?

    init(_ params: JSONView?, _ call: Call) throws(RPCError) {
        let parameters = try Parameters(params, of: Self.method)
        grace = try parameters.optionalDuration("grace", orZero: true)
        execution = try parameters.string("execution")
        self.call = call
    }

    func perform() throws(RPCError) {
        let lookup = ExecutionLookup(session: call.session, operation: .cancel, method: Self.method)
        try lookup.find(execution) { [self] found in
            switch found {
            case .success(.live(let execution)):
                audit(execution.id, execution.action.name, execution.isInFlight ? "done" : "ended")
                execution.cancel(by: call.peer.origin, grace: grace)
                // A client that was allowed to cancel learns how it ended, even if it loses that right meanwhile.
                call.session.waits.wait(call.reply, timeout: nil, forEndOf: execution, as: nil)
            case .success(.past(let record)):
                audit(record.id, record.action, "ended")
                let shown = call.client.shown(record)
                call.reply.success { shown.write(to: &$0) }
            case .failure(let error):
                call.reply.failure(error)
            }
        }
    }

    private func audit(_ execution: ExecutionID, _ action: String, _ outcome: String) {
        call.client.audit(
            AuditRecord(method: Self.method, action: action, execution: execution, outcome: .effect(outcome)))
    }
}
