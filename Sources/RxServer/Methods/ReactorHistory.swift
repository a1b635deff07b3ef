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
        call.beginLongAnswer {
            [
                reactor, before, limit, most = call.context.limits.outboxBytes, workers = call.context.workers,
                uid = call.peer.uid
            ] finish in
            reactor.history(before: before, limit: limit) { result in
                workers.run(for: uid) { finish(result.map { $0.map { $0.text(of: reactor, atMost: most) } }) }
            }
        } then: { (result: Result<[UInt8], StoreError>?) in
            switch result {
            case nil: call.reply.success { $0.bytes.append(contentsOf: [KeptStep]().text(of: reactor, hasMore: false)) }
            case .failure(let error)?: call.reply.failure(RPCError(error))
            case .success(let text)?: call.reply.success { $0.bytes.append(contentsOf: text) }
            }
        }
    }
}

extension ReactorPage {
    /// The answer with the newest steps, as many as `most` bytes hold.
    fileprivate func text(of reactor: HostedReactor, atMost most: Int) -> [UInt8] {
        var size = 0
        let fitting = steps.reversed().prefix { step in
            size += step.approximateBytes
            return size <= most
        }
        return fitting.reversed().text(of: reactor, hasMore: hasMore || fitting.count < steps.count)
    }
}

extension Sequence<KeptStep> {
    fileprivate func text(of reactor: HostedReactor, hasMore: Bool) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.field("reactor", reactor.name)
        writer.key("history")
        writer.beginArray()
        for step in self { step.write(to: &writer) }
        writer.endArray()
        if hasMore { writer.field("truncated", true) }
        writer.endObject()
        return writer.bytes
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
