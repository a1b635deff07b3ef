internal import JSONRPC
internal import Rx
internal import RxAction
internal import RxHost
internal import RxJSON
internal import RxProtocol
internal import UnixSocket

extension Session {
    private static let executeParameters: [StaticString] = ["action", "input", "stream", "onDisconnect", "timeout"]

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
        var request = ExecutionRequest(
            input: parameters["input"]?.rawJSON ?? .null, by: connection.peer.origin,
            timeout: try parameters.optionalDuration("timeout"), requester: cancels ? server.makeToken() : nil)
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

    /// Answers at once; the events follow on the stream.
    private func executeStreaming(
        _ action: HostedAction, _ request: ExecutionRequest, _ stream: String, _ reply: Reply
    ) throws(RPCError) {
        let execution = try start(action, request)
        reply.success { writer in
            writer.beginObject()
            writer.field("execution", execution.id.description)
            writer.field("disposition", "started")
            writer.field("subscription", stream)
            writer.endObject()
        }
        // Events are delivered from the loop, later than this: none is missed, none precedes the response.
        let subscription = Subscription(
            name: stream, target: .execution(execution, requester: request.requester),
            channels: [.elements, .errors], buffer: server.limits.buffer, since: 0, connection: connection)
        subscription.pace(execution.flow)
        open(subscription)
    }

    /// Answers at the end, with the elements.
    private func executeCollecting(
        _ action: HostedAction, _ request: ExecutionRequest, _ reply: Reply
    ) throws(RPCError) {
        let collector = ReplyCollector(
            reply, loop: server.loop, elements: server.limits.elementsPerReply, bytes: server.limits.outboxBytes)
        var request = request
        request.observer = { collector.take($0) }
        let execution = try start(action, request)
        collector.started(execution, requester: request.requester)
    }

    private func start(_ action: HostedAction, _ request: ExecutionRequest) throws(RPCError) -> HostedExecution {
        switch server.host.execute(action, request) {
        case .success(let execution):
            if let requester = request.requester, execution.isInFlight {
                requests[requester] = execution
                execution.observe { [connection, loop = server.loop] event in
                    guard case .ended = event else { return }
                    loop.execute { connection.session.requests[requester] = nil }
                }
            }
            return execution
        case .failure(let refusal):
            throw RPCError(refusal, action: action.name)
        }
    }
}
