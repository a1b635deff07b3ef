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
        if revision == nil, let fault = reactor.failure { throw RPCError(fault, reactor: reactor.name) }
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
        guard !path.isEmpty else { return answer(now.revision) { now.state.write(to: &$0) } }
        guard let part = now.state.tree.value(at: pointer) else { throw .notFound("path", path) }
        answer(now.revision) { $0.value(part) }
    }

    /// Answers from the history.
    private func read(at revision: UInt64) {
        reactor.state(at: revision) { [self = LoopConfined(self), loop = call.context.loop] result in
            loop.execute { self.value.answer(result, at: revision) }
        }
    }

    private func answer(_ result: Result<JSONValue?, StoreError>, at revision: UInt64) {
        switch result {
        case .failure(let error): call.reply.failure(RPCError(error))
        case .success(nil): call.reply.failure(.notFound("revision", String(revision)))
        case .success(let state?):
            guard let part = state.value(at: pointer) else { return call.reply.failure(.notFound("path", path)) }
            answer(revision) { $0.value(part) }
        }
    }

    private func answer(_ revision: UInt64, _ state: (inout JSONWriter) -> Void) {
        call.reply.success { writer in
            writer.beginObject()
            writer.field("reactor", reactor.name)
            writer.key("state")
            state(&writer)
            writer.field("revision", revision)
            writer.endObject()
        }
    }
}
