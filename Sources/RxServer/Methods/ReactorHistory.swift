internal import RxStore
internal import JSONRPC
internal import RxHost
internal import RxJSON
internal import RxProtocol
internal import RxLoop

/// `reactor.history`: the steps that led to the newest revisions, oldest first.
struct ReactorHistory: MethodHandler {
    static let method = Method.reactorHistory
    static let onlyAnswers = true

    private let call: Call
    private let reactor: HostedReactor
    private let limit: Int
    private let before: UInt64?

    init(_ params: JSONView?, _ call: Call) throws(RPCError) {
        let parameters = try Parameters(params, of: Self.method)
        reactor = try call.client.reactor(parameters.string("reactor"), allowing: .subscribe, for: Self.method)
        limit = try parameters.optionalInt("limit", in: 1...Limits.listed) ?? Limits.listedByDefault
        before = try parameters.optionalInt("before", in: 0...Int.max).map(UInt64.init)
        self.call = call
    }

    func perform() {
        let most = call.context.limits.outboxBytes
        call.beginLongAnswer(Self.answersReserved * most, if: check) { [self = LoopConfined(self)] finish in
            let history = self.value
            ReactorPages(
                of: history.reactor, limit: history.limit, atMost: most, for: history.call.peer.uid,
                on: history.call.context.workers
            ).read(before: history.before, finish)
        } then: { (result: Result<[UInt8], StoreError>) throws(RPCError) in
            switch result {
            case .failure(let error): throw RPCError(error)
            case .success(let text): call.reply.success(text)
            }
        }
    }

    /// What the steps take, each of which may be as long as an answer, in answers of full length.
    private static let answersReserved = 4

    /// A reload may have taken the right or the reactor away meanwhile.
    private func check() throws(RPCError) {
        let found = try call.client.reactor(reactor.name, allowing: .subscribe, for: Self.method)
        guard found === reactor else { throw .notFound("reactor", reactor.name) }
    }
}
