internal import JSONRPC
internal import Rx
internal import RxHost
internal import RxJSON
internal import RxProtocol
internal import UnixSocket

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
        let parameters = try Parameters(params, known: ["reactor", "path"])
        let reactor = try reactor(parameters.string("reactor"), for: .subscribe)
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
        let pointer: JSONPointer
        do throws(JSONError) {
            pointer = try JSONPointer(path)
        } catch {
            throw parameters.fault("path", error.message)
        }
        guard let part = now.state.tree.value(at: pointer) else { throw .notFound("path", path) }
        reply.success { writer in
            writer.beginObject()
            writer.field("reactor", reactor.name)
            writer.field("state", part)
            writer.field("revision", now.revision)
            writer.endObject()
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
            reply.success { writer in
                writer.beginObject()
                writer.field("reactor", reactor)
                writer.field("revision", revision)
                writer.endObject()
            }
        case .failure(let refusal):
            reply.failure(RPCError(refusal, reactor: reactor))
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
