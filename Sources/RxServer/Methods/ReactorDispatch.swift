internal import JSONRPC
internal import RxHost
internal import RxJSON
internal import RxProtocol

/// `reactor.dispatch`: gives a reactor an action, and answers once its mutations are reduced, and kept as the reactor
/// promises.
struct ReactorDispatch: MethodHandler {
    static let method = Method.reactorDispatch

    private let call: Call
    private let reactor: HostedReactor
    private let action: RawJSON

    // Read in place: a busy reactor gets a hundred thousand of these a second.
    init(_ params: JSONView?, _ call: Call) throws(RPCError) {
        var name: JSONView?
        var action: JSONView?
        if let params {
            for (key, value) in params.members {
                if key.equals("reactor") {
                    name = value
                } else if key.equals("action") {
                    action = value
                } else {
                    _ = try Parameters(params, of: Self.method)
                }
            }
        }
        guard let name = name?.string, let action else {
            let parameters = try Parameters(params, of: Self.method)
            _ = try parameters.string("reactor")
            throw parameters.fault("action", "is required")
        }
        reactor = try call.client.reactor(name, allowing: .execute, for: Self.method)
        self.action = action.rawJSON
        self.call = call
    }

    func perform() {
        guard action.utf8.count > Host.inputBytesValidatedAtOnce else {
            var bytes = action.utf8.count
            if call.reply.id == nil {
                // Nobody waits for an answer, so nothing else bounds how many there are.
                bytes += ConnectionOutput.bytesOfUnanswered
                guard call.output.refusal(ofKeeping: bytes) == nil else { return }
            }
            let answer = DispatchAnswer(call, reactor: reactor, keeping: bytes)
            reactor.dispatch(action, causes: call.client.causes) { answer.take($0) }
            return answer.dispatched()
        }
        // The reactor keeps it until it is answered.
        if let refusal = call.output.refusal(ofKeeping: action.utf8.count) { return call.reply.failure(refusal) }
        let answer = DispatchAnswer(call, reactor: reactor, keeping: action.utf8.count)
        // Reading and validating a long action takes too long for the loop.
        let isAllowed = call.client.mayDispatch(to: reactor)
        call.runLong { [reactor, action, causes = call.client.causes] in
            // A reload may have taken the right away meanwhile.
            guard isAllowed() else { return false }
            reactor.dispatch(action, causes: causes) { answer.take($0) }
            return true
        } then: { isAllowed in
            guard !isAllowed else { return answer.dispatched() }
            answer.release()
            call.attempt { () throws(RPCError) in
                _ = try call.client.reactor(reactor.name, allowing: .execute, for: Self.method)
                throw call.client.refusal(of: "execute", reactor: reactor.name)
            }
        }
    }
}
