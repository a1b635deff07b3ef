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
        try call.writeAnswer(about: bytes, work: ActionTimes.work(in: call.host)) { () throws(RPCError) in
            let actions = call.host.registry.actions.filter { call.client.mayRead($0) }
            let levels = call.host.log.snapshot(of: actions).levels
            let times = ActionTimes(of: call.host, for: call.client)
            return onlyLevels ? now(of: zip(actions, levels), times) : summaries(of: zip(actions, levels), times)
        }
    }

    private typealias Actions = Zip2Sequence<[HostedAction], [ActionLevels]>

    private func now(of actions: Actions, _ times: ActionTimes) -> Call.Writing {
        let rows = actions.map { ActionNow($0, $1, of: call.host, withEnds: ends, to: call.client) }
        return { writer in
            let next = times.next()
            writer.object { writer in
                writer.array("actions") { writer in
                    for row in rows { row.write(next, to: &writer) }
                }
            }
        }
    }

    private func summaries(of actions: Actions, _ times: ActionTimes) -> Call.Writing {
        let rows = actions.map { ActionSummary($0, $1, to: call.client) }
        return { writer in
            let next = times.next()
            writer.object { writer in
                writer.array("actions") { writer in
                    for row in rows { row.write(next, to: &writer) }
                }
            }
        }
    }
}
