internal import RxRecords
internal import RxStore
internal import JSONRPC
internal import Rx
internal import RxAction
internal import RxHost
internal import RxJSON
internal import RxProtocol
internal import RxLoop

/// `action.execute`: executes an action, and answers at its end with the elements, or at once with a stream.
///
/// `Session.executeBriefly` takes most requests before they get here.
struct ActionExecute: MethodHandler {
    static let method = Method.actionExecute

    /// Executions that a client may be about to withdraw from: as many as can be in flight while it waits for answers.
    private static let requestsTolerated = Connection.unansweredTolerated

    private let call: Call
    private let parameters: ExecuteParameters
    private let action: HostedAction
    private let input: RawJSON

    init(_ params: JSONView?, _ call: Call) throws(RPCError) {
        parameters = try ExecuteParameters(params)
        action = try call.session.action(parameters.action, allowing: .execute, for: Self.method)
        input = parameters.input?.rawJSON ?? .null
        self.call = call
    }

    func perform() throws(RPCError) {
        let peer = call.peer.origin
        if parameters.isPlain, let execution = call.server.host.executeBriefly(action, input, by: peer) {
            return execution.answer(call)
        }
        var request = ExecutionRequest(
            input: input, by: peer, timeout: parameters.timeout, key: parameters.key,
            requester: parameters.cancels ? call.server.makeToken() : nil)
        if request.requester != nil, call.session.requests.count >= Self.requestsTolerated {
            throw .limitReached("requests", Self.requestsTolerated)
        }
        guard let stream = parameters.stream else { return try executeCollecting(request) }
        guard call.reply.batch == nil else { throw .streamInBatch }
        try call.session.subscriptions.checkNew(stream, parameter: "stream")
        request.isWatched = true
        try ExecutionStream(name: stream, requester: request.requester, call: call).begin(submit(request))
    }

    /// Answers at the end, with the elements.
    private func executeCollecting(_ request: ExecutionRequest) throws(RPCError) {
        // A notification is not answered: nothing is kept for it, however many join a long execution.
        guard call.reply.id != nil else {
            let accepted = try submit(request)
            if !accepted.isKept { accepted.whenKept { _ in } }
            return
        }
        let server = call.server
        let collector = ReplyCollector(
            call.reply, loop: server.loop, elements: server.limits.elementsPerReply, bytes: server.limits.outboxBytes)
        var request = request
        request.observer = { collector.take($0) }
        let accepted = try submit(request)
        if accepted.isKept, collector.started(accepted.execution) { return }
        // A client that leaves must leave nothing behind in an execution that goes on.
        let token = call.session.waits.observe { accepted.stopObserving() }
        collector.whenAnswered = { [session = LoopConfined(call.session)] in session.value.waits.stop(token) }
        guard !accepted.isKept else { return }
        accepted.whenKept { [loop = server.loop, call = LoopConfined(call)] result in
            switch result {
            case .success:
                collector.started(accepted.execution)
            case .failure(let error):
                loop.execute {
                    call.value.session.waits.stop(token)
                    call.value.fail(accepted, error)
                }
            }
        }
    }

    private func submit(_ request: ExecutionRequest) throws(RPCError) -> AcceptedExecution {
        let session = call.session
        switch call.server.host.submit(action, request) {
        case .success(let accepted):
            audit(accepted)
            if let requester = request.requester, accepted.execution.isInFlight {
                let observation = accepted.execution.observe { [connection = call.connection] event in
                    guard case .ended = event else { return }
                    connection.server.loop.execute { connection.session.requests[requester] = nil }
                }
                session.requests[requester] = (accepted.execution, observation)
            }
            return accepted
        case .failure(let refusal):
            let error = RPCError(refusal, action: action.name)
            session.audit(AuditRecord(executing: action, nil, error))
            throw error
        }
    }

    private func audit(_ accepted: AcceptedExecution) {
        var record = AuditRecord(
            method: Self.method, action: action.name, execution: accepted.execution.id,
            outcome: .effect(accepted.disposition.rawValue))
        if !action.logsEnds {
            // It may have failed by now; the end of other executions has a record of its own.
            guard let error = call.server.host.log.record(of: accepted.execution).error else { return }
            record = record.refused(RPCError(error))
        }
        call.session.audit(record)
    }
}

extension Call {
    /// Answers that the store could not keep what it must before a durable input is accepted.
    func fail(_ accepted: AcceptedExecution, _ error: StoreError) {
        let error = RPCError(error)
        session.audit(AuditRecord(executing: accepted.execution.action, accepted.execution.id, error))
        reply.failure(error)
    }
}

extension AuditRecord {
    /// An execution that was refused or has failed.
    init(executing action: HostedAction, _ execution: ExecutionID?, _ error: RPCError) {
        self.init(
            method: .actionExecute, action: action.name, execution: execution, outcome: .refusal(error.name))
    }
}
