internal import RxRecords
internal import JSONRPC
internal import RxHost
internal import RxJSON
internal import RxProtocol

/// `execution.list`: executions in flight, ended lately, and from the history; the newest or the oldest of a selection.
struct ExecutionList: MethodHandler {
    static let method = Method.executionList
    static let onlyAnswers = true

    private let call: Call
    private let selection: ExecutionSelection
    private let order: ExecutionOrder
    private let limit: Int

    init(_ params: JSONView?, _ call: Call) throws(RPCError) {
        let parameters = try Parameters(params, of: Self.method)
        selection = try ExecutionSelection(parameters)
        order = try parameters.order()
        limit = try parameters.optionalInt("limit", in: 1...Limits.listed) ?? Limits.listedByDefault
        self.call = call
    }

    func perform() throws(RPCError) {
        _ = try unconfiguredNames()
        let most = call.context.limits.outboxBytes
        call.beginLongAnswer(Self.answersReserved * most) { () throws(RPCError) in
            // The rights are those of the time when there is room.
            var selection = self.selection
            selection.scope = call.client.executionScope
            let wanted = ExecutionPages.Wanted(
                selection: selection, unconfigured: try unconfiguredNames(), order: order, limit: limit)
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
        for name in selection.actions ?? [] {
            if let action = call.host.registry[name] {
                try call.client.authorize(.read, on: action, for: Self.method)
            } else {
                unconfigured.insert(name)
            }
        }
        return unconfigured
    }
}
