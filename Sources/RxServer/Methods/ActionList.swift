internal import JSONRPC
internal import RxHost
internal import RxJSON
internal import RxProtocol

/// `action.list`: every action that the client has any right on.
struct ActionList: MethodHandler {
    static let method = Method.actionList
    static let onlyAnswers = true

    private let call: Call

    init(_ params: JSONView?, _ call: Call) throws(RPCError) {
        _ = try Parameters(params, of: Self.method)
        self.call = call
    }

    func perform() throws(RPCError) {
        let bytes = call.host.registry.actions.reduce(0) { $0 + $1.approximateBytes }
        try call.answer(about: bytes) { () throws(RPCError) in answer() }
    }

    private func answer() {
        let host = call.host
        let actions = host.registry.actions.filter { call.client.mayRead($0) }
        let levels = host.log.snapshot(of: actions).levels
        let times = ActionTimes(of: host, for: call.client)
        call.reply.success { writer in
            writer.beginObject()
            writer.key("actions")
            writer.beginArray()
            for (action, levels) in zip(actions, levels) {
                ActionSummary(action, levels, times, to: call.client).write(to: &writer)
            }
            writer.endArray()
            writer.endObject()
        }
    }
}
