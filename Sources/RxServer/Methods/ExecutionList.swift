internal import RxRecords
internal import JSONRPC
internal import RxAction
internal import RxHost
internal import RxJSON
internal import RxProtocol

/// `execution.list`: the newest executions, oldest first: in flight, ended lately, and from the history.
struct ExecutionList: MethodHandler {
    static let method = Method.executionList
    static let onlyAnswers = true

    private let call: Call
    // Sets, since each record is looked up.
    private let names: Set<String>?
    private let states: Set<ExecutionState>?
    private let limit: Int
    private let before: ExecutionID?

    init(_ params: JSONView?, _ call: Call) throws(RPCError) {
        let parameters = try Parameters(params, of: Self.method)
        names = try parameters.optionalStrings("action").map { Set($0) }
        states = try Self.states(parameters)
        limit = try parameters.optionalInt("limit", in: 1...Limits.listed) ?? Limits.listedByDefault
        if let text = try parameters.optionalString("before") {
            guard let id = ExecutionID(text) else { throw parameters.fault("before", "must be an execution's id") }
            before = id
        } else {
            before = nil
        }
        self.call = call
    }

    private static func states(_ parameters: Parameters) throws(RPCError) -> Set<ExecutionState>? {
        guard let texts = try parameters.optionalStrings("state").map({ Set($0) }) else { return nil }
        var states: Set<ExecutionState> = []
        for text in texts {
            guard let state = ExecutionState(rawValue: text) else {
                throw parameters.fault("state", "no such state: \(text)")
            }
            states.insert(state)
        }
        return states
    }

    func perform() throws(RPCError) {
        _ = try unconfiguredNames()
        let most = call.context.limits.outboxBytes
        call.beginLongAnswer(Self.answersReserved * most) { () throws(RPCError) in
            // The rights are those of the time when there is room.
            let wanted = ExecutionPages.Wanted(
                names: names, unconfigured: try unconfiguredNames(), states: states, limit: limit, before: before,
                scope: call.context.rights.scope(of: call.peer, in: call.host))
            let pages = ExecutionPages(
                wanted, of: call.host, atMost: most, for: call.peer.uid, on: call.context.workers)
            return { finish in pages.collect(finish) }
        } then: { (text: Result<[UInt8], RPCError>) throws(RPCError) in
            call.reply.success(try text.get())
        }
    }

    /// What the records, their texts, and the answer take, in answers of full length.
    private static let answersReserved = 4

    /// The names that the configuration does not have.
    private func unconfiguredNames() throws(RPCError) -> Set<String> {
        var unconfigured: Set<String> = []
        for name in names ?? [] {
            if let action = call.host.registry[name] {
                try call.client.authorize(.read, on: action, for: Self.method)
            } else {
                unconfigured.insert(name)
            }
        }
        return unconfigured
    }
}
