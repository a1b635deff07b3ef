internal import JSONRPC
internal import RxAction
internal import RxHost
internal import RxJSON
internal import RxProtocol

extension Session {
    func subscribe(_ params: JSONView?, _ reply: Reply) throws(RPCError) {
        let parameters = try Parameters(
            params,
            known: [
                "subscription", "action", "reactor", "execution", "channels", "from", "buffer", "overflow", "patch",
            ])
        guard reply.batch == nil else { throw .streamInBatch }
        let name = try parameters.string("subscription")
        let (target, source) = try target(parameters)
        let isOfReactors = parameters["reactor"] != nil
        let channels = try channels(parameters, of: source, isOfReactors: isOfReactors)
        let wantsPatches = try parameters.optionalBool("patch") ?? false
        if wantsPatches, !isOfReactors { throw parameters.fault("patch", "is for reactors") }
        let start = try start(parameters)
        let buffer = try parameters.optionalInt("buffer", in: 1...server.limits.buffer) ?? server.limits.buffer
        let overflow = try overflow(parameters)
        try checkNew(subscription: name, parameter: "subscription")
        let opening: EventOpening
        switch server.host.log.open(source, channels.kinds, from: start, isAll: target.isAll) {
        case .success(let opened): opening = opened
        case .failure(let refusal): throw self.refusal(refusal, parameters)
        }
        reply.success { opening.write(name, source, server.encoder, isOfReactors: isOfReactors, to: &$0) }
        let subscription = Subscription(
            name: name, target: target, source: source, channels: channels, buffer: buffer, overflow: overflow,
            since: opening.cursor, connection: connection)
        if isOfReactors { subscription.begin(with: opening, wantsPatches: wantsPatches) }
        open(subscription)
        if wantsPatches { watchPatches(subscription, by: 1) }
        if let position = opening.position {
            subscription.beginReplay(at: position)
            connection.replay(subscription)
        } else if case .executions = target {
            subscription.unended = opening.records.count { !$0.state.isFinal }
            if subscription.unended == 0, let reason = opening.records.endReason { close(subscription, reason) }
        }
    }

    // MARK: Params

    private func target(_ parameters: Parameters) throws(RPCError) -> (Subscription.Target, EventSource) {
        let actions = try parameters.optionalStrings("action")
        let executions = try parameters.optionalStrings("execution")
        if let names = try parameters.optionalStrings("reactor") {
            guard actions == nil, executions == nil else {
                throw parameters.fault("reactor", "excludes \"action\" and \"execution\"")
            }
            return try target(reactors: names, parameters)
        }
        switch (actions, executions) {
        case (let names?, nil) where names.contains("*"):
            // All that the peer may subscribe to.
            return (.allActions, .named(server.host.registry.actions.filter(maySubscribe)))
        case (let names?, nil) where !names.isEmpty:
            var found: [HostedAction] = []
            for name in names {
                let action = try action(name, for: .subscribe)
                if !found.contains(where: { $0 === action }) { found.append(action) }
            }
            return (.named, .named(found))
        case (nil, let ids?) where !ids.isEmpty:
            var found: [HostedExecution] = []
            for text in ids {
                guard let id = ExecutionID(text), let execution = server.host.log.execution(id) else {
                    throw .notFound("execution", text)
                }
                let by = server.host.log.record(of: execution).by
                try authorize(.read, on: id, of: execution.action.name, by: by)
                if !found.contains(where: { $0.id == id }) { found.append(execution) }
            }
            return (.executions, .executions(found))
        case (.some, .some):
            throw parameters.fault("execution", "excludes \"action\"")
        case (_, nil):
            throw parameters.fault("action", "is required: a name, several, or \"*\"; or a reactor")
        case (nil, .some):
            throw parameters.fault("execution", "is required: an id, or several")
        }
    }

    private func target(
        reactors names: [String], _ parameters: Parameters
    ) throws(RPCError) -> (Subscription.Target, EventSource) {
        // All that the peer may subscribe to.
        if names.contains("*") {
            return (.allReactors, .named(server.host.registry.reactors.filter(maySubscribe)))
        }
        guard !names.isEmpty else { throw parameters.fault("reactor", "must be a name, several, or \"*\"") }
        var found: [HostedReactor] = []
        for name in names {
            let reactor = try reactor(name, for: .subscribe)
            if !found.contains(where: { $0 === reactor }) { found.append(reactor) }
        }
        return (.named, .named(found))
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

    private func refusal(_ refusal: EventStartRefusal, _ parameters: Parameters) -> RPCError {
        switch refusal {
        case .expired(let oldest):
            .cursorExpired(parameters["from"]?["cursor"]?.string, oldest: server.encoder.cursor(oldest))
        case .ahead: parameters.fault("from", "this cursor is yet to come")
        case .notFound(let id): .notFound("execution", id.description)
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
            requests.removeValue(forKey: requester)?.observation.end()
            // If it was the last requester, the stream ends with the execution that this cancels.
            if executions[0].withdraw(requester) { return }
        }
        close(subscription, .unsubscribed)
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
        _ name: String, _ source: EventSource, _ encoder: EventEncoder, isOfReactors: Bool,
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

extension ReactorLevels {
    func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.key("state")
        state.write(to: &writer)
        writer.field("revision", revision)
        writer.endObject()
    }
}

extension Subscription {
    /// Its reader has the states of the snapshot.
    fileprivate func begin(with opening: EventOpening, wantsPatches: Bool) {
        self.wantsPatches = wantsPatches
        for (source, levels) in zip(source.sources, opening.levels) {
            if case .reactor(let levels) = levels { revisions[ObjectIdentifier(source)] = levels.revision }
        }
    }
}

extension Session {
    func watchPatches(_ subscription: Subscription, by change: Int) {
        for source in subscription.source.sources { (source as? HostedReactor)?.watchPatches(change) }
    }
}
