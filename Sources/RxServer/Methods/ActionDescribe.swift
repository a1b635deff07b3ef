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
        let work = ActionTimes.work(in: call.host, of: action.name)
        try call.writeAnswer(about: action.approximateBytes, work: work) { () throws(RPCError) in
            // A reload may have changed the action or the right meanwhile.
            read(try call.client.action(action.name, allowing: .read, for: Self.method))
        }
    }

    private func read(_ action: HostedAction) -> Call.Writing {
        let summary = ActionSummary(action, call.host.log.snapshot(of: [action]).levels[0], to: call.client)
        let times = ActionTimes(of: call.host, for: call.client, action: action.name)
        return { summary.write(times.next(), times.details(of: action), to: &$0) }
    }
}
