internal import RxRecords
internal import JSONRPC
internal import Rx
internal import RxAction
internal import RxHost
internal import RxJSON
internal import RxProtocol
internal import RxLoop

/// `action.execute`: executes an action, and answers at its end with the elements, or at once with a stream. Nearly all
/// requests are this one, for brief work, and `Client.executeBriefly` takes them before they get here.
struct ActionExecute: MethodHandler {
    static let method = Method.actionExecute

    /// Executions that a client may be about to withdraw from: as many as can be in flight while it waits for answers.
    private static let requestsTolerated = ConnectionOutput.unansweredTolerated

    /// How long a request with a time may have been on its way.
    private static let transit: Int64 = 5_000

    private let call: Call
    private let parameters: ExecuteParameters
    private let action: HostedAction

    init(_ params: JSONView?, _ call: Call) throws(RPCError) {
        try self.init(ExecuteParameters(params), call)
    }

    /// Checks the right to execute the action that the parameters name.
    init(_ parameters: ExecuteParameters, _ call: Call) throws(RPCError) {
        self.parameters = parameters
        action = try call.client.action(parameters.action, allowing: .execute, for: Self.method)
        self.call = call
    }

    func perform() throws(RPCError) {
        var request = ExecutionRequest(
            input: parameters.input?.rawJSON ?? .null, causes: call.client.causes, timeout: parameters.timeout,
            key: parameters.key, requester: parameters.cancels ? call.host.makeRequester() : nil)
        request.dueAt = parameters.dueAt
        guard let after = parameters.after else { return try validate(request) }
        // A copy, because a variable that a closure captures is on the heap for every request.
        try find(after) { [request] target in
            var request = request
            request.after = ExecutionRequest.After(target, ifCompleted: parameters.ifCompleted)
            call.attempt { [request] () throws(RPCError) in
                try check()
                try validate(request)
            }
        }
    }

    /// Finds what to wait for: an execution by its id, or an action by its name, which the client may read.
    private func find(
        _ text: String, _ body: @escaping (ExecutionRequest.After.Target) -> Void
    ) throws(RPCError) {
        guard ExecutionID(text) != nil else {
            return body(.action(try call.client.action(text, allowing: .read, for: Self.method)))
        }
        let lookup = ExecutionLookup(session: call.session, operation: .read, method: Self.method)
        try lookup.find(text) { [call] found in
            switch found {
            case .success(.live(let execution)): body(.execution(execution))
            case .success(.past(let record)): body(.past(record.id, record.state))
            case .failure(let error): call.reply.failure(error)
            }
        }
    }

    private func validate(_ request: ExecutionRequest) throws(RPCError) {
        let isKeyed = request.key != nil
        guard call.host.validatesLong(request.input, for: action, isKeyed: isKeyed) else {
            return try execute(request)
        }
        call.runLong { [host = call.host, action, input = request.input] in
            host.validation(of: input, for: action, isKeyed: isKeyed)
        } then: { validation in
            var request = request
            request.validation = validation
            // A client that is gone has withdrawn already.
            guard call.output.isOpen || request.requester == nil else { return }
            call.attempt { () throws(RPCError) in
                try check()
                try execute(request)
            }
        }
    }

    /// A reload may have taken the right or the action away meanwhile.
    private func check() throws(RPCError) {
        let found = try call.client.action(action.name, allowing: .execute, for: Self.method)
        guard found === action else { throw .notFound("action", action.name) }
    }

    private func execute(_ requested: ExecutionRequest) throws(RPCError) {
        var request = requested
        if request.requester != nil, call.session.requests.count >= Self.requestsTolerated {
            throw .limitReached("requests", Self.requestsTolerated)
        }
        if let dueAt = parameters.dueAt { return try schedule(request, at: dueAt) }
        guard let stream = parameters.stream else { return try executeCollecting(request) }
        guard call.reply.batch == nil else { throw .streamInBatch }
        try call.session.subscriptions.checkNew(stream, parameter: "stream")
        request.isWatched = true
        switch call.host.submit(action, request) {
        case .done(let execution): execution.answer(call)
        case .accepted(let accepted):
            begin(accepted, request)
            ExecutionStream(name: stream, requester: request.requester, call: call).begin(accepted)
        case .refused(let refusal): throw refused(refusal)
        }
    }

    /// Answers once the request is on the disk; it starts at its time.
    private func schedule(_ request: ExecutionRequest, at time: Int64) throws(RPCError) {
        guard time >= call.host.time - Self.transit else {
            throw .refused([RPCError.Fault(path: "/at", message: "is in the past")])
        }
        switch call.host.submit(action, request) {
        case .done(let execution): execution.answer(call)
        case .accepted(let accepted):
            begin(accepted, request)
            let share = call.client.account.share
            accepted.whenKept { [loop = call.context.loop, call = LoopConfined(call)] result in
                loop.execute(in: share) {
                    switch result {
                    case .success: call.value.answer(scheduled: accepted)
                    case .failure(let error): call.value.fail(accepted, error)
                    }
                }
            }
        case .refused(let refusal): throw refused(refusal)
        }
    }

    /// Answers at the end, with the elements.
    private func executeCollecting(_ request: ExecutionRequest) throws(RPCError) {
        var collector: ReplyCollector?
        let submission = call.host.submitCollecting(action, request) {
            // A notification is not answered: nothing is kept for it, however many join a long execution.
            guard call.reply.id != nil else { return nil }
            let made = ReplyCollector(call.reply, loop: call.context.loop)
            collector = made
            let limits = call.context.limits
            return ElementCollecting(
                ElementCollecting.Limits(elements: limits.elementsPerReply, bytes: limits.outboxBytes),
                charge: call.client.account.held
            ) { made.ended($0, $1) }
        }
        switch submission {
        case .done(let execution): execution.answer(call)
        case .accepted(let accepted):
            begin(accepted, request)
            if let collector { answer(accepted, with: collector) } else { accepted.goOnUnreported() }
        case .refused(let refusal): throw refused(refusal)
        }
    }

    private func answer(_ accepted: AcceptedExecution, with collector: ReplyCollector) {
        collector.isJoined = accepted.disposition == .joined
        if accepted.isKept, collector.started(accepted.execution) { return }
        // A client that leaves must leave nothing behind in an execution that goes on.
        let token = call.session.waits.observe { accepted.stopObserving() }
        collector.whenAnswered = { [waits = call.session.waits] in waits.stop(token) }
        guard !accepted.isKept else { return }
        let share = call.client.account.share
        accepted.whenKept { [loop = call.context.loop, call = LoopConfined(call)] result in
            switch result {
            case .success:
                collector.started(accepted.execution)
            case .failure(let error):
                loop.execute(in: share) {
                    call.value.session.waits.stop(token)
                    call.value.fail(accepted, error)
                }
            }
        }
    }

    /// Audits the execution, and remembers that its requester may withdraw.
    private func begin(_ accepted: AcceptedExecution, _ request: ExecutionRequest) {
        audit(accepted)
        guard let requester = request.requester, accepted.execution.isInFlight else { return }
        let observation = accepted.execution.observeEnd {
            [loop = call.context.loop, share = call.client.account.share, session = LoopConfined(call.session)] _ in
            loop.execute(in: share) { session.value.requests[requester] = nil }
        }
        call.session.requests[requester] = (accepted.execution, observation)
    }

    private func refused(_ refusal: ExecutionRefusal) -> RPCError {
        let error = RPCError(call.client.shown(refusal), action: action.name)
        call.client.audit(AuditRecord(executing: action, nil, error))
        return error
    }

    private func audit(_ accepted: AcceptedExecution) {
        var record = AuditRecord(
            method: Self.method, action: action.name, execution: accepted.execution.id,
            outcome: .effect(accepted.disposition.rawValue))
        if !action.logsEnds {
            // It may have failed by now; the end of other executions has a record of its own.
            guard let error = call.host.log.record(of: accepted.execution).error else { return }
            record = record.refused(RPCError(error))
        } else if accepted.disposition == .joined {
            return call.context.audit.write(record, .joins, by: call.peer)
        }
        call.client.audit(record)
    }
}

extension Call {
    fileprivate func answer(scheduled accepted: AcceptedExecution) {
        let record = host.log.record(of: accepted.execution)
        reply.success { writer in
            writer.beginObject()
            writer.field("execution", record.id.description)
            writer.field("disposition", accepted.disposition.rawValue)
            writer.key("at")
            writer.time(record.dueAt)
            writer.endObject()
        }
    }
}
