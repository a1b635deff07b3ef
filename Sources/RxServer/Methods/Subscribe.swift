internal import JSONRPC
internal import RxHost
internal import RxJSON
internal import RxProtocol

extension Session {
    func subscribe(_ params: JSONView?, _ reply: Reply) throws(RPCError) {
        let parameters = try Parameters(params, known: ["subscription", "action", "channels", "buffer"])
        guard reply.batch == nil else { throw .streamInBatch }
        let name = try parameters.string("subscription")
        guard let names = try parameters.optionalStrings("action"), !names.isEmpty else {
            throw parameters.fault("action", "is required: a name, several, or \"*\"")
        }
        let channels = try channels(parameters)
        let buffer = try parameters.optionalInt("buffer", in: 1...server.limits.buffer) ?? server.limits.buffer
        try checkNew(subscription: name, parameter: "subscription")
        let actions = try targets(names)
        let (cursor, levels) = server.host.log.snapshot(of: actions, watching: true)
        reply.success { writer in
            writer.beginObject()
            writer.field("subscription", name)
            writer.field("cursor", server.encoder.cursor(cursor))
            writer.key("snapshot")
            writer.beginObject()
            writer.key("actions")
            writer.beginObject()
            for (action, levels) in zip(actions, levels) {
                writer.key(action.name)
                levels.write(to: &writer)
            }
            writer.endObject()
            writer.endObject()
            writer.endObject()
        }
        open(
            Subscription(
                name: name, target: .actions(actions), channels: channels, buffer: buffer, since: cursor,
                connection: connection))
    }

    private func channels(_ parameters: Parameters) throws(RPCError) -> Channel.Set {
        guard let names = try parameters.optionalStrings("channels") else {
            return [.elements, .errors, .executing, .enabled]
        }
        var channels: Channel.Set = []
        for name in names {
            guard let channel = Channel(rawValue: name), ![.state, .lag, .end].contains(channel) else {
                throw parameters.fault(
                    "channels", "no such channel: \(name); there are elements, errors, executing, enabled, executions")
            }
            channels.insert(Channel.Set(channel))
        }
        return channels
    }

    /// The named actions, each once; "*" means all that the peer may subscribe to.
    private func targets(_ names: [String]) throws(RPCError) -> [HostedAction] {
        if names.contains("*") {
            return server.host.registry.actions.filter { server.rights.allow(.subscribe, on: $0, by: connection.peer) }
        }
        var actions: [HostedAction] = []
        for name in names {
            let action = try action(name, for: .subscribe)
            if !actions.contains(where: { $0 === action }) { actions.append(action) }
        }
        return actions
    }

    /// The name of an action is no longer configured; a subscription without any action left ends.
    func drop(_ action: HostedAction, from subscription: Subscription) {
        subscription.removed.insert(ObjectIdentifier(action))
        if subscription.watchedActions.allSatisfy({ subscription.removed.contains(ObjectIdentifier($0)) }) {
            close(subscription, .removed)
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
        if case .execution(let execution, let requester?) = subscription.target {
            requests.removeValue(forKey: requester)?.observation.end()
            // If it was the last requester, the stream ends with the execution that this cancels.
            if execution.withdraw(requester) { return }
        }
        close(subscription, .unsubscribed)
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
