internal import JSONRPC
internal import RxAction
internal import RxHost
internal import RxJSON
internal import RxProtocol

/// `action.check`: what `action.execute` would answer now, with no side effect.
struct ActionCheck: MethodHandler {
    static let method = Method.actionCheck
    static let onlyAnswers = true

    private let call: Call
    private let action: HostedAction
    private let input: RawJSON

    init(_ params: JSONView?, _ call: Call) throws(RPCError) {
        let parameters = try Parameters(params, of: Self.method)
        action = try call.client.action(parameters.string("action"), allowing: .execute, for: Self.method)
        input = parameters["input"]?.rawJSON ?? .null
        self.call = call
    }

    func perform() throws(RPCError) {
        guard call.host.validatesLong(input, for: action) else { return try check(nil) }
        call.runLong { [host = call.host, action, input] in
            host.validation(of: input, for: action)
        } then: { validation in
            call.attempt { () throws(RPCError) in
                // A reload may have taken the right or the action away meanwhile.
                let found = try call.client.action(action.name, allowing: .execute, for: Self.method)
                guard found === action else { throw .notFound("action", action.name) }
                try check(validation)
            }
        }
    }

    private func check(_ validation: InputValidation?) throws(RPCError) {
        switch call.host.check(action, input, validation) {
        case .failure(let refusal):
            throw RPCError(call.client.shown(refusal), action: action.name)
        case .success(.starts): answer("started", nil)
        case .success(.waits): answer("queued", nil)
        case .success(.joins(let execution)): answer("joined", execution)
        }
    }

    private func answer(_ disposition: String, _ execution: ExecutionID?) {
        call.reply.success { writer in
            writer.beginObject()
            writer.field("action", action.name)
            writer.field("disposition", disposition)
            writer.key("execution")
            writer.stringOrNull(execution?.description)
            writer.endObject()
        }
    }
}
