internal import RxRecords
internal import JSONRPC
internal import Rx
internal import RxAction
internal import RxHost
internal import RxJSON
internal import RxProtocol

extension Session {
    /// Executions of one subscription that only the history has: each is read from the disk, and has its record in the
    /// answer.
    private static let pastTolerated = 256

    /// What a client wants to open.
    private struct Wish {
        let name: String
        let target: Subscription.Target
        let source: EventSource
        /// Executions that the history may have.
        let past: [ExecutionID]
        let channels: Channel.Set
        let start: EventStart
        /// The cursor among `start`, as it was written.
        let cursor: String?
        let buffer: Int
        let overflow: Overflow
        let isOfReactors: Bool
        let wantsPatches: Bool
    }

    func subscribe(_ params: JSONView?, _ reply: Reply) throws(RPCError) {
        let parameters = try Parameters(
            params,
            known: [
                "subscription", "action", "reactor", "execution", "channels", "from", "buffer", "overflow", "patch",
            ])
        guard reply.batch == nil else { throw .streamInBatch }
        let name = try parameters.string("subscription")
        let (target, source, past) = try target(parameters)
        let isOfReactors = parameters["reactor"] != nil
        let wish = Wish(
            name: name, target: target, source: source, past: past,
            channels: try channels(parameters, of: source, isOfReactors: isOfReactors), start: try start(parameters),
            cursor: parameters["from"]?["cursor"]?.string,
            buffer: try parameters.optionalInt("buffer", in: 1...server.limits.buffer) ?? server.limits.buffer,
            overflow: try overflow(parameters), isOfReactors: isOfReactors,
            wantsPatches: try parameters.optionalBool("patch") ?? false)
        if wish.wantsPatches, !isOfReactors { throw parameters.fault("patch", "is for reactors") }
        try checkNew(subscription: name, parameter: "subscription")
        guard !past.isEmpty else { return try open(wish, [], reply) }
        reservedNames.insert(name)
        readPast(of: wish, after: [], reply)
    }

    private func open(_ wish: Wish, _ past: [ExecutionRecord], _ reply: Reply) throws(RPCError) {
        // Of those whose action is gone nothing is kept but the record.
        var bare: [ExecutionRecord] = []
        var source = wish.source
        if case .executions(var executions) = source {
            for record in past {
                if let execution = server.host.past(record) {
                    executions.append(execution)
                } else {
                    bare.append(record)
                }
            }
            source = .executions(executions)
        }
        let opening: EventOpening
        switch server.host.log.open(source, wish.channels.kinds, from: wish.start, isAll: wish.target.isAll) {
        case .success(let opened): opening = opened
        case .failure(let refusal): throw self.refusal(refusal, wish)
        }
        let records = opening.records + bare
        reply.success {
            opening.write(wish.name, source, records, server.encoder, isOfReactors: wish.isOfReactors, to: &$0)
        }
        let subscription = Subscription(
            name: wish.name, target: wish.target, source: source, channels: wish.channels, buffer: wish.buffer,
            overflow: wish.overflow, since: opening.cursor, connection: connection)
        if wish.isOfReactors { subscription.begin(with: opening, wantsPatches: wish.wantsPatches) }
        // A replay of the past tells the levels that changed in it, whatever they are now.
        if !wish.start.isPast, case .named(let sources) = source {
            for case (let source, .action(let levels)) in zip(sources, opening.levels) {
                subscription.tell(levels, of: source)
            }
        }
        open(subscription)
        if wish.wantsPatches { watchPatches(subscription, by: 1) }
        if let position = opening.position {
            subscription.beginReplay(at: position)
            connection.replay(subscription)
        }
        guard case .executions = wish.target else { return }
        subscription.unended = records.count { !$0.state.isFinal }
        // After what is replayed, if anything is.
        if subscription.unended == 0, let reason = records.endReason { close(subscription, reason) }
    }

    /// Reads from the history one record after another, and opens the subscription with all of them.
    private func readPast(of wish: Wish, after found: [ExecutionRecord], _ reply: Reply) {
        func fail(_ error: RPCError) {
            reservedNames.remove(wish.name)
            reply.failure(error)
        }
        guard connection.isOpen else { return }
        do throws(RPCError) {
            guard found.count < wish.past.count else {
                reservedNames.remove(wish.name)
                return try open(wish, found, reply)
            }
            let id = wish.past[found.count]
            try withPastRecord(id, for: .read, method: "subscribe") { [self] result in
                switch result {
                case .success(let record) where record.state.isFinal: readPast(of: wish, after: found + [record], reply)
                case .success: fail(.notFound("execution", id.description))
                case .failure(let error): fail(error)
                }
            }
        } catch {
            fail(error)
        }
    }

    // MARK: Params

    private func target(
        _ parameters: Parameters
    ) throws(RPCError) -> (Subscription.Target, EventSource, past: [ExecutionID]) {
        let actions = try parameters.optionalStrings("action")
        let executions = try parameters.optionalStrings("execution")
        if let names = try parameters.optionalStrings("reactor") {
            guard actions == nil, executions == nil else {
                throw parameters.fault("reactor", "excludes \"action\" and \"execution\"")
            }
            let (target, source) = try target(reactors: names, parameters)
            return (target, source, [])
        }
        switch (actions, executions) {
        case (let names?, nil) where names.contains("*"):
            // All that the peer may subscribe to.
            return (.allActions, .named(server.host.registry.actions.filter(maySubscribe)), [])
        case (let names?, nil) where !names.isEmpty:
            var found: [HostedAction] = []
            for name in names {
                let action = try action(name, for: .subscribe)
                if !found.contains(where: { $0 === action }) { found.append(action) }
            }
            return (.named, .named(found), [])
        case (nil, let ids?) where !ids.isEmpty:
            let (found, past) = try self.executions(ids)
            return (.executions, .executions(found), past)
        case (.some, .some):
            throw parameters.fault("execution", "excludes \"action\"")
        case (_, nil):
            throw parameters.fault("action", "is required: a name, several, or \"*\"; or a reactor")
        case (nil, .some):
            throw parameters.fault("execution", "is required: an id, or several")
        }
    }

    /// Those that are in flight or ended lately, and those that the history may have.
    private func executions(_ ids: [String]) throws(RPCError) -> ([HostedExecution], past: [ExecutionID]) {
        var found: [HostedExecution] = []
        var past: [ExecutionID] = []
        for text in ids {
            guard let id = ExecutionID(text) else { throw .notFound("execution", text) }
            if let execution = server.host.log.execution(id) {
                let by = server.host.log.record(of: execution).by
                try authorize(.read, on: id, of: execution.action.name, by: by)
                if !found.contains(where: { $0.id == id }) { found.append(execution) }
            } else {
                guard server.host.store != nil else { throw .notFound("execution", text) }
                if !past.contains(id) { past.append(id) }
                guard past.count <= Session.pastTolerated else {
                    throw .limitReached("pastExecutions", Session.pastTolerated)
                }
            }
        }
        return (found, past)
    }

    private func channels(
        _ parameters: Parameters, of source: EventSource, isOfReactors: Bool
    ) throws(RPCError) -> Channel.Set {
        let known: [Channel] =
            switch source {
            case .named where isOfReactors: [.state, .errors]
            case .named: [.elements, .errors, .executing, .enabled, .executions]
            case .executions: [.elements, .errors, .executions]
            }
        guard let names = try parameters.optionalStrings("channels") else {
            return Channel.Set(known.filter { $0 != .executions }.map { Channel.Set($0) })
        }
        var channels: Channel.Set = []
        for name in names {
            guard let channel = Channel(rawValue: name), known.contains(channel) else {
                let names = known.map(\.rawValue).joined(separator: ", ")
                throw parameters.fault("channels", "no such channel: \(name); there are \(names)")
            }
            channels.insert(Channel.Set(channel))
        }
        return channels
    }

    private func overflow(_ parameters: Parameters) throws(RPCError) -> Overflow {
        guard let text = try parameters.optionalString("overflow") else { return .dropOldest }
        guard let overflow = Overflow(rawValue: text) else {
            let names = Overflow.allCases.map(\.rawValue).joined(separator: ", ")
            throw parameters.fault("overflow", "must be one of \(names)")
        }
        return overflow
    }

    private func start(_ parameters: Parameters) throws(RPCError) -> EventStart {
        let shape = "must be \"now\", \"last\", \"execution\", {\"cursor\": CURSOR} or {\"execution\": ID}"
        guard let from = parameters["from"] else { return .now }
        if let text = from.string {
            switch text {
            case "now": return .now
            case "last": return .last
            case "execution": return .executing
            default: throw parameters.fault("from", shape)
            }
        }
        var members = 0
        from.forEachMember { _, _ in members += 1 }
        guard members == 1 else { throw parameters.fault("from", shape) }
        if let text = from["cursor"]?.string {
            let (epoch, number) = try cursor(text, parameters)
            guard epoch == server.host.epoch else { throw .cursorExpired(text, oldest: nil) }
            return .cursor(number)
        }
        guard let text = from["execution"]?.string else { throw parameters.fault("from", shape) }
        guard let id = ExecutionID(text) else { throw .notFound("execution", text) }
        return .execution(id)
    }

    private func cursor(_ text: String, _ parameters: Parameters) throws(RPCError) -> (epoch: String, number: UInt64) {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, !parts[0].isEmpty, let number = UInt64(parts[1]), parts[1].first != "+" else {
            throw parameters.fault("from", "is no cursor: \(text)")
        }
        return (String(parts[0]), number)
    }

    private func refusal(_ refusal: EventStartRefusal, _ wish: Wish) -> RPCError {
        switch refusal {
        case .expired(let oldest): .cursorExpired(wish.cursor, oldest: server.encoder.cursor(oldest))
        case .ahead: .refused([RPCError.Fault(path: "/from", message: "this cursor is yet to come")])
        case .notFound(let id): .notFound("execution", id.description)
        case .elsewhere:
            .refused([RPCError.Fault(path: "/from/execution", message: "is of no action that is subscribed to")])
        }
    }

    func unsubscribe(_ params: JSONView?, _ reply: Reply) throws(RPCError) {
        let parameters = try Parameters(params, known: ["subscription"])
        let name = try parameters.string("subscription")
        guard let subscription = subscriptions[name] else { throw .notFound("subscription", name) }
        reply.success { writer in
            writer.beginObject()
            writer.field("subscription", name)
            writer.endObject()
        }
        if case .requested(let requester?) = subscription.target,
            case .executions(let executions) = subscription.source
        {
            requests.removeValue(forKey: requester)?.observation.dispose()
            // If it was the last requester, the stream ends with the execution that this cancels.
            if executions[0].withdraw(requester) { return }
        }
        close(subscription, .unsubscribed)
    }
}

extension EventStart {
    /// Whether events from before the snapshot may follow, beside the newest of each kind.
    fileprivate var isPast: Bool {
        switch self {
        case .now, .last: false
        case .cursor, .execution, .executing: true
        }
    }
}

extension Subscription.Target {
    var isAll: Bool {
        switch self {
        case .allActions, .allReactors: true
        case .named, .executions, .requested: false
        }
    }
}

extension EventOpening {
    fileprivate func write(
        _ name: String, _ source: EventSource, _ records: [ExecutionRecord], _ encoder: EventEncoder,
        isOfReactors: Bool,
        to writer: inout JSONWriter
    ) {
        writer.beginObject()
        writer.field("subscription", name)
        writer.field("cursor", encoder.cursor(cursor))
        writer.key("snapshot")
        writer.beginObject()
        switch source {
        case .named(let sources):
            writer.key(isOfReactors ? "reactors" : "actions")
            writer.beginObject()
            for (source, levels) in zip(sources, levels) {
                writer.key(source.name)
                switch levels {
                case .action(let levels): levels.write(to: &writer)
                case .reactor(let levels): levels.write(to: &writer)
                }
            }
            writer.endObject()
        case .executions:
            writer.key("executions")
            writer.beginObject()
            for record in records {
                writer.key(record.id.description)
                record.write(to: &writer)
            }
            writer.endObject()
        }
        writer.endObject()
        writer.endObject()
    }
}

extension ActionLevels {
    func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.field("executing", executing)
        enabled.write(to: &writer)
        writer.key("executions")
        writer.beginArray()
        for record in executions { record.write(to: &writer) }
        writer.endArray()
        writer.endObject()
    }
}
