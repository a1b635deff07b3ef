internal import RxRecords
internal import RxStore
internal import JSONRPC
internal import Rx
internal import RxAction
internal import RxHost
internal import RxJSON
internal import RxProtocol
internal import RxLoop

extension Session {
    /// Executions that a client may be about to withdraw from: as many as can be in flight while it waits for answers.
    private static let requestsTolerated = Connection.unansweredTolerated

    func execute(_ params: JSONView?, _ reply: Reply) throws(RPCError) {
        let parameters = try ExecuteParameters(params)
        let action = try action(parameters.action, for: .execute)
        let input = parameters.input?.rawJSON ?? .null
        if parameters.isPlain, answerBriefly(action, input, reply) { return }
        var request = ExecutionRequest(
            input: input, by: connection.peer.origin, timeout: parameters.timeout, key: parameters.key,
            requester: parameters.cancels ? server.makeToken() : nil)
        if request.requester != nil, requests.count >= Session.requestsTolerated {
            throw .limitReached("requests", Session.requestsTolerated)
        }
        if let stream = parameters.stream {
            guard reply.batch == nil else { throw .streamInBatch }
            try checkNew(subscription: stream, parameter: "stream")
            request.isWatched = true
            try executeStreaming(action, request, stream, reply)
        } else {
            try executeCollecting(action, request, reply)
        }
    }

    // MARK: At once

    /// Answers what can be answered without further ado.
    ///
    /// - Returns: whether it could.
    private func answerBriefly(_ action: HostedAction, _ input: RawJSON, _ reply: Reply) -> Bool {
        guard let execution = server.host.executeBriefly(action, input, by: connection.peer.origin) else {
            return false
        }
        answer(execution, reply)
        return true
    }

    func answer(_ execution: BriefExecution, _ reply: Reply) {
        if let failure = execution.error {
            let error = RPCError(failure)
            audit(AuditRecord(executing: execution.action, execution.id, error))
            reply.failure(error.adding(execution: execution.id.description))
        } else {
            let limits = server.limits
            let element = execution.element
            let fits = limits.elementsPerReply > 0 && (element?.utf8.count ?? 0) <= limits.outboxBytes
            reply.success { $0.result(of: execution.id, fits ? element : nil) }
        }
    }

    // MARK: With a stream

    /// Answers at once, or when a durable input is on the disk; the events follow on the stream.
    private func executeStreaming(
        _ action: HostedAction, _ request: ExecutionRequest, _ stream: String, _ reply: Reply
    ) throws(RPCError) {
        let accepted = try submit(action, request)
        if accepted.isKept {
            open(stream, accepted, accepted.attachment, request, reply)
            return
        }
        reservedNames.insert(stream)
        accepted.whenKept { [loop = server.loop, session = LoopConfined(self), reply = LoopConfined(reply)] result in
            loop.execute {
                session.value.reservedNames.remove(stream)
                switch result {
                case .success(let attachment):
                    session.value.open(stream, accepted, attachment, request, reply.value)
                case .failure(let error):
                    session.value.fail(accepted, error, reply.value)
                }
            }
        }
    }

    /// The store could not keep what it has to before a durable input is accepted.
    private func fail(_ accepted: AcceptedExecution, _ error: StoreError, _ reply: Reply) {
        let error = RPCError(error)
        audit(AuditRecord(executing: accepted.execution.action, accepted.execution.id, error))
        reply.failure(error)
    }

    private func open(
        _ stream: String, _ accepted: AcceptedExecution, _ attachment: Attachment?, _ request: ExecutionRequest,
        _ reply: Reply
    ) {
        let execution = accepted.execution
        guard connection.isOpen else { return server.host.log.unwatch(.executions([execution])) }
        reply.success { writer in
            writer.beginObject()
            writer.field("execution", execution.id.description)
            writer.field("disposition", accepted.disposition.rawValue)
            writer.field("subscription", stream)
            writer.endObject()
        }
        // Events are delivered from the loop, later than this: none is missed, none precedes the response.
        let subscription = Subscription(
            name: stream, target: .requested(token: request.requester), source: .executions([execution]),
            channels: [.elements, .errors], buffer: server.limits.buffer, since: attachment?.cursor ?? 0,
            connection: connection)
        subscription.pace(execution.flow)
        open(subscription)
        if let attachment { tell(attachment, to: subscription) }
    }

    /// What came before the stream was opened, as if it had been open.
    private func tell(_ attachment: Attachment, to subscription: Subscription) {
        if let lost = attachment.lost {
            connection.send(
                server.encoder.lag(dropped: lost.count, first: lost.first, last: lost.last), of: subscription)
        }
        for event in attachment.events {
            if let encoded = server.encoder.encode(event) { connection.send(encoded, of: subscription) }
        }
        guard let end = attachment.end, let reason = EndReason(end.state) else {
            if let position = server.host.log.position(after: attachment) {
                subscription.beginReplay(at: position)
                connection.replay(subscription)
            }
            return
        }
        if let failure = attachment.failure, let encoded = server.encoder.encode(failure) {
            connection.send(encoded, of: subscription)
        }
        close(subscription, reason)
    }

    // MARK: Without

    /// Answers at the end, with the elements.
    private func executeCollecting(
        _ action: HostedAction, _ request: ExecutionRequest, _ reply: Reply
    ) throws(RPCError) {
        // A notification is not answered: nothing is kept for it, however many join an execution that goes on for long.
        guard reply.id != nil else {
            let accepted = try submit(action, request)
            if !accepted.isKept { accepted.whenKept { _ in } }
            return
        }
        let collector = ReplyCollector(
            reply, loop: server.loop, elements: server.limits.elementsPerReply, bytes: server.limits.outboxBytes)
        var request = request
        request.observer = { collector.take($0) }
        let accepted = try submit(action, request)
        if accepted.isKept, collector.started(accepted.execution) { return }
        // A client that leaves shall leave nothing behind in an execution that goes on.
        let token = observe { accepted.stopObserving() }
        collector.whenAnswered = { [session = LoopConfined(self)] in session.value.stopObserving(token) }
        guard !accepted.isKept else { return }
        accepted.whenKept { [loop = server.loop, session = LoopConfined(self), reply = LoopConfined(reply)] result in
            switch result {
            case .success:
                collector.started(accepted.execution)
            case .failure(let error):
                loop.execute {
                    session.value.stopObserving(token)
                    session.value.fail(accepted, error, reply.value)
                }
            }
        }
    }

    private func submit(_ action: HostedAction, _ request: ExecutionRequest) throws(RPCError) -> AcceptedExecution {
        switch server.host.submit(action, request) {
        case .success(let accepted):
            tell(accepted, of: action)
            if let requester = request.requester, accepted.execution.isInFlight {
                let observation = accepted.execution.observe { [connection, loop = server.loop] event in
                    guard case .ended = event else { return }
                    loop.execute { connection.session.requests[requester] = nil }
                }
                requests[requester] = (accepted.execution, observation)
            }
            return accepted
        case .failure(let refusal):
            let error = RPCError(refusal, action: action.name)
            audit(AuditRecord(executing: action, nil, error))
            throw error
        }
    }

    // MARK: Audit

    private func tell(_ accepted: AcceptedExecution, of action: HostedAction) {
        var record = AuditRecord(
            method: method, action: action.name, execution: accepted.execution.id,
            outcome: .effect(accepted.disposition.rawValue))
        if !action.logsEnds {
            // It may have failed by now; of others, how they end is told at their end.
            guard let error = server.host.log.record(of: accepted.execution).error else { return }
            record = record.refused(RPCError(error))
        }
        audit(record)
    }
}

extension AuditRecord {
    fileprivate init(executing action: HostedAction, _ execution: ExecutionID?, _ error: RPCError) {
        self.init(method: "action.execute", action: action.name, execution: execution, outcome: .refusal(error.name))
    }
}
