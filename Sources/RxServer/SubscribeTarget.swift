internal import JSONRPC
internal import RxAction
internal import RxHost
internal import RxProtocol

/// What a `subscribe` is about: actions, reactors, or executions, each of which the client may see.
struct SubscribeTarget {
    /// Executions of one subscription that only the history has: each is read from the disk, and has its record in the
    /// answer.
    private static let pastTolerated = 256

    let kind: Subscription.Target
    let source: EventSource
    /// Executions that only the history may have.
    var past: [ExecutionID] = []
    var isOfReactors = false

    /// - Throws: if the parameters do not name exactly one kind of target, or name one that the client may not see.
    static func read(_ parameters: Parameters, _ session: Session) throws(RPCError) -> SubscribeTarget {
        let actions = try parameters.optionalStrings("action")
        let executions = try parameters.optionalStrings("execution")
        if let reactors = try parameters.optionalStrings("reactor") {
            guard actions == nil, executions == nil else {
                throw parameters.fault("reactor", "excludes \"action\" and \"execution\"")
            }
            return try read(reactors: reactors, parameters, session)
        }
        switch (actions, executions) {
        case (let names?, nil) where !names.isEmpty:
            return try read(actions: names, session)
        case (nil, let ids?) where !ids.isEmpty:
            return try read(executions: ids, session)
        case (.some, .some):
            throw parameters.fault("execution", "excludes \"action\"")
        case (_, nil):
            throw parameters.fault("action", "is required: a name, several, or \"*\"; or a reactor")
        case (nil, .some):
            throw parameters.fault("execution", "is required: an id, or several")
        }
    }

    /// All actions or reactors that the client may see now, if these are meant; otherwise the same.
    func renewed(for session: Session) -> SubscribeTarget {
        let registry = session.context.host.registry
        return switch kind {
        case .allActions: Self.all(registry.actions.filter(session.client.maySubscribe))
        case .allReactors: Self.all(registry.reactors.filter(session.client.maySubscribe))
        case .named, .executions, .requested: self
        }
    }

    private static func all(_ actions: [HostedAction]) -> SubscribeTarget {
        SubscribeTarget(kind: .allActions, source: .named(actions))
    }

    private static func all(_ reactors: [HostedReactor]) -> SubscribeTarget {
        SubscribeTarget(kind: .allReactors, source: .named(reactors), isOfReactors: true)
    }

    private static func read(actions names: [String], _ session: Session) throws(RPCError) -> SubscribeTarget {
        if names.contains("*") {
            return all(session.context.host.registry.actions.filter(session.client.maySubscribe))
        }
        var found: [HostedAction] = []
        for name in names {
            let action = try session.client.action(name, allowing: .subscribe, for: .subscribe)
            if !found.contains(where: { $0 === action }) { found.append(action) }
        }
        return SubscribeTarget(kind: .named, source: .named(found))
    }

    private static func read(
        reactors names: [String], _ parameters: Parameters, _ session: Session
    ) throws(RPCError) -> SubscribeTarget {
        if names.contains("*") {
            return all(session.context.host.registry.reactors.filter(session.client.maySubscribe))
        }
        guard !names.isEmpty else { throw parameters.fault("reactor", "must be a name, several, or \"*\"") }
        var found: [HostedReactor] = []
        for name in names {
            let reactor = try session.client.reactor(name, allowing: .subscribe, for: .subscribe)
            // Such a reactor has no state to begin with.
            if let fault = reactor.failure { throw RPCError(fault, reactor: name, reveals: true) }
            if !found.contains(where: { $0 === reactor }) { found.append(reactor) }
        }
        return SubscribeTarget(kind: .named, source: .named(found), isOfReactors: true)
    }

    private static func read(executions ids: [String], _ session: Session) throws(RPCError) -> SubscribeTarget {
        let lookup = ExecutionLookup(session: session, operation: .read, method: .subscribe)
        var found: [HostedExecution] = []
        var past: [ExecutionID] = []
        for text in ids {
            guard let id = ExecutionID(text) else { throw .notFound("execution", text) }
            if let execution = try lookup.live(id) {
                if !found.contains(where: { $0.id == id }) { found.append(execution) }
            } else {
                guard session.context.host.store != nil else { throw .notFound("execution", text) }
                if !past.contains(id) { past.append(id) }
                guard past.count <= pastTolerated else { throw .limitReached("pastExecutions", pastTolerated) }
            }
        }
        return SubscribeTarget(kind: .executions, source: .executions(found), past: past)
    }
}
