internal import RxRecords
internal import RxStore
internal import JSONRPC
internal import Rx
internal import RxHost
internal import RxJSON
internal import RxProtocol
internal import RxLoop

extension Session {
    func listReactors(_ params: JSONView?, _ reply: Reply) throws(RPCError) {
        _ = try Parameters(params, known: [])
        let reactors = server.host.registry.reactors.filter {
            server.rights.allow(.read, on: $0, by: connection.peer)
        }
        reply.success { writer in
            writer.beginObject()
            writer.key("reactors")
            writer.beginArray()
            for reactor in reactors { describe(reactor, withSchema: false, to: &writer) }
            writer.endArray()
            writer.endObject()
        }
    }

    func describeReactor(_ params: JSONView?, _ reply: Reply) throws(RPCError) {
        let parameters = try Parameters(params, known: ["reactor"])
        let reactor = try reactor(parameters.string("reactor"), for: .read)
        reply.success { describe(reactor, withSchema: true, to: &$0) }
    }

    private func describe(_ reactor: HostedReactor, withSchema: Bool, to writer: inout JSONWriter) {
        let definition = reactor.definition
        writer.beginObject()
        writer.field("reactor", reactor.name)
        writer.key("description")
        if let summary = definition.summary { writer.string(summary) } else { writer.null() }
        writer.field("kind", definition.kind)
        writer.field("revision", reactor.now.revision)
        writer.field("persist", definition.persistence != nil)
        if let persistence = definition.persistence {
            writer.field("durability", persistence.durability.rawValue)
            writer.field("history", persistence.history)
        }
        let allowed = server.rights.operations(under: definition.access, to: connection.peer)
        writer.key("rights")
        writer.beginArray()
        for operation in [Rights.Operation.execute, .subscribe, .manage] where allowed.contains(operation) {
            writer.string(operation.rawValue)
        }
        writer.endArray()
        if withSchema {
            writer.key("schema")
            writer.raw(definition.schema?.source ?? .null)
        }
        writer.endObject()
    }

    /// The state, or a part of it.
    func tellState(_ params: JSONView?, _ reply: Reply) throws(RPCError) {
        let parameters = try Parameters(params, known: ["reactor", "path", "revision"])
        let reactor = try reactor(parameters.string("reactor"), for: .subscribe)
        if let revision = try parameters.optionalInt("revision", in: 0...Int.max) {
            return try tellState(of: reactor, at: revision, parameters, reply)
        }
        if let fault = reactor.failure { throw RPCError(fault, reactor: reactor.name) }
        let now = reactor.now
        guard let path = try parameters.optionalString("path"), !path.isEmpty else {
            return reply.success { writer in
                writer.beginObject()
                writer.field("reactor", reactor.name)
                writer.key("state")
                now.state.write(to: &writer)
                writer.field("revision", now.revision)
                writer.endObject()
            }
        }
        let pointer = try pointer(path, parameters)
        guard let part = now.state.tree.value(at: pointer) else { throw .notFound("path", path) }
        reply.state(part, of: reactor.name, revision: now.revision)
    }

    private func pointer(_ path: String, _ parameters: Parameters) throws(RPCError) -> JSONPointer {
        do throws(JSONError) {
            return try JSONPointer(path)
        } catch {
            throw parameters.fault("path", error.message)
        }
    }

    /// From the history.
    private func tellState(
        of reactor: HostedReactor, at revision: Int, _ parameters: Parameters, _ reply: Reply
    ) throws(RPCError) {
        let path = try parameters.optionalString("path") ?? ""
        let pointer = try pointer(path, parameters)
        reactor.state(at: UInt64(revision)) { [loop = server.loop, reply = LoopConfined(reply)] result in
            loop.execute {
                switch result {
                case .failure(let error): reply.value.failure(RPCError(error))
                case .success(nil): reply.value.failure(.notFound("revision", String(revision)))
                case .success(let state?):
                    guard let part = state.value(at: pointer) else {
                        return reply.value.failure(.notFound("path", path))
                    }
                    reply.value.state(part, of: reactor.name, revision: UInt64(revision))
                }
            }
        }
    }

    /// What led to the newest revisions, oldest first.
    func tellHistory(_ params: JSONView?, _ reply: Reply) throws(RPCError) {
        let parameters = try Parameters(params, known: ["reactor", "limit", "before"])
        let reactor = try reactor(parameters.string("reactor"), for: .subscribe)
        let limit = try parameters.optionalInt("limit", in: 1...10_000) ?? 1000
        let before = try parameters.optionalInt("before", in: 0...Int.max).map(UInt64.init)
        reactor.history(before: before, limit: limit) {
            [loop = server.loop, bytes = server.limits.outboxBytes, reply = LoopConfined(reply)] result in
            loop.execute {
                switch result {
                case nil: reply.value.history([], of: reactor.name, hasMore: false)
                case .failure(let error)?: reply.value.failure(RPCError(error))
                case .success(let page)?:
                    // The newest that one answer holds.
                    var size = 0
                    let fitting = page.steps.reversed().prefix { step in
                        size += step.bytes
                        return size <= bytes
                    }
                    reply.value.history(
                        fitting.reversed(), of: reactor.name, hasMore: page.hasMore || fitting.count < page.steps.count)
                }
            }
        }
    }

    /// Answers when all mutations of the action are reduced, and kept as the reactor promises.
    func dispatch(_ params: JSONView?, _ reply: Reply) throws(RPCError) {
        var name: JSONView?
        var action: JSONView?
        if let params {
            for (key, value) in params.members {
                if key.equals("reactor") {
                    name = value
                } else if key.equals("action") {
                    action = value
                } else {
                    _ = try Parameters(params, known: ["reactor", "action"])
                }
            }
        }
        guard let name = name?.string, let action else {
            let parameters = try Parameters(params, known: ["reactor", "action"])
            _ = try parameters.string("reactor")
            throw parameters.fault("action", "is required")
        }
        let reactor = try reactor(name, for: .execute)
        let answer = DispatchAnswer(reply, reactor: reactor.name, session: self)
        reactor.dispatch(action.rawJSON, by: connection.peer.origin) { answer.take($0) }
        answer.dispatched()
    }

    fileprivate func answer(_ reply: Reply, _ result: Result<UInt64, DispatchRefusal>, reactor: String) {
        switch result {
        case .success(let revision):
            server.audit.write(
                AuditRecord(method: "reactor.dispatch", reactor: reactor, outcome: .effect("done")), .dispatches,
                by: connection.peer)
            reply.success { writer in
                writer.beginObject()
                writer.field("reactor", reactor)
                writer.field("revision", revision)
                writer.endObject()
            }
        case .failure(let refusal):
            let error = RPCError(refusal, reactor: reactor)
            if case .notKept = refusal {
                server.audit.write(
                    AuditRecord(method: "reactor.dispatch", reactor: reactor, outcome: .effect("notKept")), .dispatches,
                    by: connection.peer)
            } else {
                audit(AuditRecord(method: "reactor.dispatch", reactor: reactor, outcome: .refusal(error.name)))
            }
            reply.failure(error)
        }
    }
}

/// Brings what became of a dispatch to the loop, unless it is there already.
private final class DispatchAnswer: Sendable {
    private enum Phase {
        case dispatching
        /// Told before `dispatch` returned.
        case early(Result<UInt64, DispatchRefusal>)
        case waiting
    }

    private let reply: LoopConfined<Reply>
    private let session: LoopConfined<Session>
    private let loop: EventLoop
    private let reactor: String
    private let phase = Locked(Phase.dispatching)

    init(_ reply: Reply, reactor: String, session: Session) {
        self.reply = LoopConfined(reply)
        self.session = LoopConfined(session)
        loop = session.server.loop
        self.reactor = reactor
    }

    /// Any thread.
    func take(_ result: Result<UInt64, DispatchRefusal>) {
        let isEarly = phase.withLock { phase -> Bool in
            guard case .dispatching = phase else { return false }
            phase = .early(result)
            return true
        }
        guard !isEarly else { return }
        loop.execute { self.session.value.answer(self.reply.value, result, reactor: self.reactor) }
    }

    /// On the loop.
    func dispatched() {
        let early = phase.withLock { phase -> Result<UInt64, DispatchRefusal>? in
            if case .early(let result) = phase { return result }
            phase = .waiting
            return nil
        }
        if let early { session.value.answer(reply.value, early, reactor: reactor) }
    }
}

extension Reply {
    fileprivate func state(_ state: JSONValue, of reactor: String, revision: UInt64) {
        success { writer in
            writer.beginObject()
            writer.field("reactor", reactor)
            writer.field("state", state)
            writer.field("revision", revision)
            writer.endObject()
        }
    }

    fileprivate func history(_ steps: [KeptStep], of reactor: String, hasMore: Bool) {
        success { writer in
            writer.beginObject()
            writer.field("reactor", reactor)
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
    /// Of an answer, about.
    fileprivate var bytes: Int {
        switch change {
        case .reduced(let reduction): 200 + reduction.mutation.utf8.count + (reduction.action?.utf8.count ?? 0)
        case .replaced: 200
        }
    }

    fileprivate func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.field("revision", revision)
        writer.key("time")
        writer.string(Timestamp(milliseconds: time).description)
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
