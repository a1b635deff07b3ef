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
        guard path.isEmpty else { return answerPart() }
        guard StateTexts.isLong(now) else {
            return call.reply.success { writer in write(now.revision, to: &writer) { now.state.write(to: &$0) } }
        }
        answerWhole(now)
    }

    /// A reload may have taken the right or the reactor away meanwhile.
    private func check() throws(RPCError) {
        let found = try call.client.reactor(reactor.name, allowing: .subscribe, for: Self.method)
        guard found === reactor else { throw .notFound("reactor", reactor.name) }
    }

    /// Answers with the whole state as it is when there is room: a request that waits must not keep an old one.
    private func answerWhole(_ now: ReactorLevels) {
        let texts = call.context.stateTexts
        let write = { @Sendable [reactor] in
            let now = reactor.now
            return (now.revision, texts.text(of: now, of: reactor))
        }
        let length = { (text: (revision: UInt64, bytes: [UInt8])) in
            call.context.forgetStateTexts()
            return text.bytes.count
        }
        let then = { (text: (revision: UInt64, bytes: [UInt8])) throws(RPCError) in answer(text.revision, text.bytes) }
        if let bytes = texts.lengthKept(of: now, of: reactor) {
            call.answerLong(bytes, length: length, if: check, write, then: then)
        } else {
            call.answerLong(
                measuring: { [reactor] in texts.length(of: reactor.now, of: reactor) }, length: length, if: check,
                write, then: then)
        }
    }

    /// Answers with a part of the state as it is when there is room.
    private func answerPart() {
        call.answerLong(
            measuring: { [self = LoopConfined(self)] in
                let state = self.value
                return state.reactor.now.state.tree.value(at: state.pointer)?.bytes(upTo: .max) ?? 0
            }, length: { $0.1?.count ?? 0 }, if: check
        ) { [self = LoopConfined(self)] in
            let now = self.value.reactor.now
            return (now.revision, self.value.partText(of: now.state.tree))
        } then: { (text: (revision: UInt64, bytes: [UInt8]?)) throws(RPCError) in
            answer(text.revision, text.bytes)
        }
    }

    /// Answers from the history. The tree of the state takes memory beside its text, also while it waits for a thread.
    private func read(at revision: UInt64) {
        call.beginLong { [reactor, uid = call.peer.uid] finish in
            reactor.stateBytes(at: revision, for: uid, completion: finish)
        } then: { (bytes: Result<Int, StoreError>) in
            switch bytes {
            case .success(let bytes): read(at: revision, 2 * bytes)
            case .failure(let error): call.reply.failure(RPCError(error))
            }
        }
    }

    private func read(at revision: UInt64, _ bytes: Int) {
        call.beginLongAnswer(bytes, length: Self.length, if: check) {
            [self = LoopConfined(self), workers = call.context.workers, uid = call.peer.uid] finish in
            self.value.reactor.state(at: revision, for: uid) { result in
                workers.run(for: uid) {
                    finish(result.map { state in state.map { self.value.partText(of: $0) } })
                }
            }
        } then: { (result: Result<[UInt8]??, StoreError>) throws(RPCError) in
            switch result {
            case .failure(let error): throw RPCError(error)
            case .success(nil): throw .notFound("revision", String(revision))
            case .success(let text?): answer(revision, text)
            }
        }
    }

    private static func length(of result: Result<[UInt8]??, StoreError>) -> Int {
        switch result {
        case .success(.some(.some(let text))): text.count
        case .success, .failure: 0
        }
    }

    /// The text of the requested part; nil if the state has no such part. Any thread.
    private func partText(of state: JSONValue) -> [UInt8]? {
        guard let part = state.value(at: pointer) else { return nil }
        var writer = JSONWriter(reserving: part.bytes(upTo: .max))
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
