internal import JSONRPC
internal import RxHost
internal import RxJSON
internal import RxProtocol

/// `action.list`: every action that the client has any right on; with `levels`, only what changes of it.
struct ActionList: MethodHandler {
    static let method = Method.actionList
    static let onlyAnswers = true

    private let call: Call
    private let onlyLevels: Bool
    /// The actions whose last ends are wanted.
    private let ends: Set<String>

    init(_ params: JSONView?, _ call: Call) throws(RPCError) {
        let parameters = try Parameters(params, of: Self.method)
        onlyLevels = try parameters.optionalBool("levels") ?? false
        let names = try parameters.optionalStrings("ends") ?? []
        guard names.count <= Limits.actionsWithEnds else {
            throw parameters.fault("ends", "has more than \(Limits.actionsWithEnds) names")
        }
        guard names.isEmpty || onlyLevels else { throw parameters.fault("ends", "requires levels") }
        ends = Set(names)
        self.call = call
    }

    func perform() throws(RPCError) {
        let actions = call.host.registry.actions
        let bytes =
            onlyLevels
            ? actions.count * ActionNow.usualBytes + ends.count * ActionNow.bytesOfEnds
            : actions.reduce(0) { $0 + $1.approximateBytes }
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
                if onlyLevels {
                    let now = ActionNow(action, levels, times, of: host, withEnds: ends, to: call.client)
                    now.write(to: &writer)
                } else {
                    ActionSummary(action, levels, times, to: call.client).write(to: &writer)
                }
            }
            writer.endArray()
            writer.endObject()
        }
    }
}
