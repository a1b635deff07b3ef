internal import RxStore
internal import JSONRPC
internal import RxHost
internal import RxJSON
internal import RxProtocol
internal import RxLoop

/// `reactor.history`: the steps that led to the newest revisions, oldest first.
struct ReactorHistory: MethodHandler {
    static let method = Method.reactorHistory

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
        reactor.history(before: before, limit: limit) {
            [self = LoopConfined(self), loop = call.context.loop] result in
            loop.execute { self.value.answer(result) }
        }
    }

    /// - Parameter result: nil if the reactor keeps no history.
    private func answer(_ result: Result<ReactorPage, StoreError>?) {
        switch result {
        case nil: answer([], hasMore: false)
        case .failure(let error)?: call.reply.failure(RPCError(error))
        case .success(let page)?:
            // The newest that one answer holds.
            var size = 0
            let fitting = page.steps.reversed().prefix { step in
                size += step.approximateBytes
                return size <= call.context.limits.outboxBytes
            }
            answer(fitting.reversed(), hasMore: page.hasMore || fitting.count < page.steps.count)
        }
    }

    private func answer(_ steps: [KeptStep], hasMore: Bool) {
        call.reply.success { writer in
            writer.beginObject()
            writer.field("reactor", reactor.name)
            writer.key("history")
            writer.beginArray()
            for step in steps { step.write(to: &writer) }
            writer.endArray()
            if hasMore { writer.field("truncated", true) }
            writer.endObject()
        }
    }
}

extension KeptStep {
    /// Its size in an answer.
    fileprivate var approximateBytes: Int {
        switch change {
        case .reduced(let reduction): 200 + reduction.mutation.utf8.count + (reduction.action?.utf8.count ?? 0)
        case .replaced: 200
        }
    }

    fileprivate func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.field("revision", revision)
        writer.key("time")
        writer.time(time)
        switch change {
        case .reduced(let reduction):
            writer.key("by")
            if let by = reduction.by { by.write(to: &writer) } else { writer.null() }
            writer.field("action", reduction.action ?? .null)
            writer.field("mutation", reduction.mutation)
        case .replaced(let cause):
            writer.field("replaced", cause.rawValue)
        }
        writer.endObject()
    }
}
