internal import JSONRPC
internal import Rx
internal import RxAction
internal import RxHost
internal import RxJSON
internal import RxProtocol
internal import UnixSocket

extension Session {
    private static let executeParameters: [StaticString] = [
        "action", "input", "stream", "onDisconnect", "timeout", "key",
    ]
    /// Longest key: ids and hashes are shorter.
    private static let keyBytes = 256

    func execute(_ params: JSONView?, _ reply: Reply) throws(RPCError) {
        let parameters = try Parameters(params, known: Session.executeParameters)
        let name = try parameters.string("action")
        let stream = try parameters.optionalString("stream")
        let cancels: Bool
        switch try parameters.optionalString("onDisconnect") {
        case nil, "detach": cancels = false
        case "cancel": cancels = true
        default: throw parameters.fault("onDisconnect", "must be \"detach\" or \"cancel\"")
        }
        let key = try parameters.optionalString("key")
        if let key, !(1...Session.keyBytes).contains(key.utf8.count) {
            throw parameters.fault("key", "must have 1 to \(Session.keyBytes) bytes")
        }
        var request = ExecutionRequest(
            input: parameters["input"]?.rawJSON ?? .null, by: connection.peer.origin,
            timeout: try parameters.optionalDuration("timeout"), key: key,
            requester: cancels ? server.makeToken() : nil)
        let action = try action(name, for: .execute)
        if let stream {
            guard reply.batch == nil else { throw .streamInBatch }
            try checkNew(subscription: stream, parameter: "stream")
            request.isWatched = true
            try executeStreaming(action, request, stream, reply)
        } else {
            try executeCollecting(action, request, reply)
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
                    reply.value.failure(RPCError(error))
                }
            }
        }
    }

    private func open(
        _ stream: String, _ accepted: AcceptedExecution, _ attachment: Attachment?, _ request: ExecutionRequest,
        _ reply: Reply
    ) {
        let execution = accepted.execution
        guard connection.isOpen else { return server.host.log.unwatch(execution) }
        reply.success { writer in
            writer.beginObject()
            writer.field("execution", execution.id.description)
            writer.field("disposition", accepted.disposition.rawValue)
            writer.field("subscription", stream)
            writer.endObject()
        }
        // Events are delivered from the loop, later than this: none is missed, none precedes the response.
        let subscription = Subscription(
            name: stream, target: .execution(execution, requester: request.requester),
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
        guard let end = attachment.end, let reason = EndReason(end.state) else { return }
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
        let collector = ReplyCollector(
            reply, loop: server.loop, elements: server.limits.elementsPerReply, bytes: server.limits.outboxBytes)
        var request = request
        request.observer = { collector.take($0) }
        let accepted = try submit(action, request)
        guard accepted.isKept else {
            accepted.whenKept { [loop = server.loop, reply = LoopConfined(reply)] result in
                switch result {
                case .success: collector.started(accepted.execution)
                case .failure(let error): loop.execute { reply.value.failure(RPCError(error)) }
                }
            }
            return
        }
        if !collector.started(accepted.execution) {
            // A client that leaves shall leave nothing behind in an execution that goes on.
            let token = observe { accepted.stopObserving() }
            collector.whenAnswered = { [session = LoopConfined(self)] in session.value.stopObserving(token) }
        }
    }

    private func submit(_ action: HostedAction, _ request: ExecutionRequest) throws(RPCError) -> AcceptedExecution {
        switch server.host.submit(action, request) {
        case .success(let accepted):
            if let requester = request.requester, accepted.execution.isInFlight {
                requests[requester] = accepted.execution
                accepted.execution.observe { [connection, loop = server.loop] event in
                    guard case .ended = event else { return }
                    loop.execute { connection.session.requests[requester] = nil }
                }
            }
            return accepted
        case .failure(let refusal):
            throw RPCError(refusal, action: action.name)
        }
    }
}
