internal import RxStore
internal import RxRecords
internal import JSONRPC
internal import RxHost
internal import RxJSON
internal import RxProtocol
internal import RxLoop

/// `reactor.state`: a reactor's state or a part of it, now or at an earlier revision.
struct ReactorStateRead: MethodHandler {
    static let method = Method.reactorState
    static let onlyAnswers = true

    private let call: Call
    private let reactor: HostedReactor
    /// Nil for now.
    private let revision: Int?
    /// Empty for the whole state.
    private let path: String
    private let pointer: JSONPointer

    init(_ params: JSONView?, _ call: Call) throws(RPCError) {
        let parameters = try Parameters(params, of: Self.method)
        reactor = try call.client.reactor(parameters.string("reactor"), allowing: .subscribe, for: Self.method)
        revision = try parameters.optionalInt("revision", in: 0...Int.max)
        if revision == nil, let fault = reactor.failure { throw RPCError(fault, reactor: reactor.name, reveals: true) }
        path = try parameters.optionalString("path") ?? ""
        do throws(JSONError) {
            pointer = try JSONPointer(path)
        } catch {
            throw parameters.fault("path", error.message)
        }
        self.call = call
    }

    func perform() throws(RPCError) {
        if let revision { return read(at: UInt64(revision)) }
        let now = reactor.now
        if path.isEmpty { return answer(now) }
        call.answerLong { [self = LoopConfined(self)] in
            self.value.partText(of: now.state.tree)
        } then: {
            answer(now.revision, $0)
        }
    }

    /// Answers with the whole state.
    private func answer(_ now: ReactorLevels) {
        if !StateTexts.isLong(now) {
            return call.reply.success { writer in write(now.revision, to: &writer) { now.state.write(to: &$0) } }
        }
        call.answerLong { [texts = call.context.stateTexts, reactor] in
            texts.text(of: now, of: reactor)
        } then: {
            answer(now.revision, $0)
            call.context.forgetStateTexts()
        }
    }

    /// Answers from the history.
    private func read(at revision: UInt64) {
        call.beginLongAnswer {
            [self = LoopConfined(self), workers = call.context.workers, uid = call.peer.uid] finish in
            self.value.reactor.state(at: revision) { result in
                workers.run(for: uid) {
                    finish(result.map { state in state.map { self.value.partText(of: $0) } })
                }
            }
        } then: { (result: Result<[UInt8]??, StoreError>) in
            switch result {
            case .failure(let error): call.reply.failure(RPCError(error))
            case .success(nil): call.reply.failure(.notFound("revision", String(revision)))
            case .success(let text?): answer(revision, text)
            }
        }
    }

    /// The text of the requested part; nil if the state has no such part. Any thread.
    private func partText(of state: JSONValue) -> [UInt8]? {
        guard let part = state.value(at: pointer) else { return nil }
        var writer = JSONWriter()
        writer.value(part)
        return writer.bytes
    }

    private func answer(_ revision: UInt64, _ text: [UInt8]?) {
        guard let text else { return call.reply.failure(.notFound("path", path)) }
        call.reply.success(
            SplitText([text]) { writer in write(revision, to: &writer) { $0.raw(SplitText.placeholder) } })
    }

    private func write(_ revision: UInt64, to writer: inout JSONWriter, _ state: (inout JSONWriter) -> Void) {
        writer.beginObject()
        writer.field("reactor", reactor.name)
        writer.key("state")
        state(&writer)
        writer.field("revision", revision)
        writer.endObject()
    }
}
