internal import JSONRPC
internal import RxHost
internal import RxJSON
internal import RxProtocol

/// `action.describe`: one action.
struct ActionDescribe: MethodHandler {
    static let method = Method.actionDescribe
    static let onlyAnswers = true

    private let call: Call
    private let action: HostedAction

    init(_ params: JSONView?, _ call: Call) throws(RPCError) {
        let parameters = try Parameters(params, of: Self.method)
        action = try call.client.action(parameters.string("action"), allowing: .read, for: Self.method)
        self.call = call
    }

    func perform() throws(RPCError) {
        try call.answer(about: action.approximateBytes) { () throws(RPCError) in
            // A reload may have changed the action or the right meanwhile.
            answer(try call.client.action(action.name, allowing: .read, for: Self.method))
        }
    }

    private func answer(_ action: HostedAction) {
        let levels = call.host.log.snapshot(of: [action]).levels
        let summary = ActionSummary(
            action, levels[0], ActionTimes(of: call.host, for: call.client), isDetailed: true, to: call.client)
        call.reply.success { summary.write(to: &$0) }
    }
}
