internal import JSONRPC
internal import RxAction
internal import RxHost
internal import RxProtocol

/// What a `subscribe` is about: actions, reactors, streams, or executions, each of which the client may see.
struct SubscribeTarget {
    /// Executions of one subscription that only the history has: each is read from the disk, and has its record in the
    /// answer.
    private static let pastTolerated = 256

    let kind: Subscription.Target
    private(set) var source: EventSource
    /// Executions that only the history may have.
    var past: [ExecutionID] = []
    /// What the names, or the executions, belong to.
    var subject = HostedKind.action
    /// The step of the stream that is tapped; nil for the stream itself, and for anything else.
    var tap: String?

    /// - Throws: if the parameters do not name exactly one kind of target, or name one that the client may not see.
    static func read(_ parameters: Parameters, _ session: Session) throws(RPCError) -> SubscribeTarget {
        let actions = try parameters.optionalStrings("action")
        let reactors = try parameters.optionalStrings("reactor")
        let streams = try parameters.optionalStrings("stream")
        let executions = try parameters.optionalStrings("execution")
        let step = try parameters.optionalString("step")
        if step != nil, streams?.count != 1 || streams == ["*"] {
            throw parameters.fault("step", "is for one stream")
        }
        switch (actions, reactors, streams, executions) {
        case (let names?, nil, nil, nil) where !names.isEmpty:
            return try read(names, of: .action, session)
        case (nil, let names?, nil, nil):
            guard !names.isEmpty else { throw parameters.fault("reactor", "must be a name, several, or \"*\"") }
            return try read(names, of: .reactor, session)
        case (nil, nil, let names?, nil):
            guard !names.isEmpty else { throw parameters.fault("stream", "must be a name, several, or \"*\"") }
            guard let step else { return try read(names, of: .stream, session) }
            return try read(step, of: names[0], parameters, session)
        case (nil, nil, nil, let ids?) where !ids.isEmpty:
            return try read(executions: ids, session)
        case (nil, nil, nil, .some):
            throw parameters.fault("execution", "is required: an id, or several")
        case (_, nil, nil, nil):
            throw parameters.fault("action", "is required: a name, several, or \"*\"; or a reactor or a stream")
        case (_, _, .some, _):
            throw parameters.fault("stream", "excludes \"action\", \"reactor\", and \"execution\"")
        case (_, .some, nil, _):
            throw parameters.fault("reactor", "excludes \"action\" and \"execution\"")
        case (.some, nil, nil, .some):
            throw parameters.fault("execution", "excludes \"action\"")
        }
    }

    /// All of a kind that the client may see now, if these are meant; otherwise this target.
    func renewed(for session: Session) -> SubscribeTarget {
        switch kind {
        case .all(let kind): Self.all(kind, session)
        case .named, .executions, .requested: renewedTap(for: session) ?? self
        }
    }

    /// This target with a tap that begins now; nil without a tap.
    private func renewedTap(for session: Session) -> SubscribeTarget? {
        guard let tap, let name = source.sources.first?.name, let feed = session.context.host.tap(tap, of: name) else {
            return nil
        }
        var target = self
        target.source = .named([feed])
        return target
    }

    private static func all(_ kind: HostedKind, _ session: Session) -> SubscribeTarget {
        let host = session.context.host
        let present: [Hosted] =
            switch kind {
            // What those that are gone did while the reader was away is kept.
            case .action: host.registry.actions + host.retiredActions
            case .reactor: host.registry.reactors + host.formerReactors
            case .stream: host.allStreamFeeds + host.formerStreamFeeds
            }
        return SubscribeTarget(
            kind: .all(kind), source: .named(session.client.subscribable(among: present)), subject: kind)
    }

    private static func read(
        _ names: [String], of kind: HostedKind, _ session: Session
    ) throws(RPCError) -> SubscribeTarget {
        if names.contains("*") { return all(kind, session) }
        var found: [Hosted] = []
        var known: Set<String> = []
        for name in names where known.insert(name).inserted {
            let one: Hosted =
                switch kind {
                case .action: try session.client.action(name, allowing: .subscribe, for: .subscribe)
                case .reactor: try reactor(name, session)
                case .stream: try session.client.feed(ofStream: name, for: .subscribe)
                }
            found.append(one)
        }
        return SubscribeTarget(kind: .named, source: .named(found), subject: kind)
    }

    private static func read(
        _ step: String, of name: String, _ parameters: Parameters, _ session: Session
    ) throws(RPCError) -> SubscribeTarget {
        let stream = try session.client.stream(name, allowing: .subscribe, for: .subscribe)
        guard let feed = session.context.host.tap(step, of: name) else {
            let steps = stream.places.joined(separator: ", ")
            throw parameters.fault("step", "\(name) has no step \(step); its steps are \(steps)")
        }
        return SubscribeTarget(kind: .named, source: .named([feed]), subject: .stream, tap: step)
    }

    private static func reactor(_ name: String, _ session: Session) throws(RPCError) -> HostedReactor {
        let reactor = try session.client.reactor(name, allowing: .subscribe, for: .subscribe)
        // Such a reactor has no state to begin with.
        if let fault = reactor.failure { throw RPCError(fault, reactor: name, reveals: true) }
        return reactor
    }

    private static func read(executions ids: [String], _ session: Session) throws(RPCError) -> SubscribeTarget {
        let lookup = ExecutionLookup(session: session, operation: .read, method: .subscribe)
        var wanted: [ExecutionID] = []
        var known: Set<ExecutionID> = []
        for text in ids {
            guard let id = ExecutionID(text) else { throw .notFound("execution", text) }
            if known.insert(id).inserted { wanted.append(id) }
        }
        let live = try lookup.live(wanted)
        let past = wanted.filter { live[$0] == nil }
        if let first = past.first, session.context.host.store == nil {
            throw .notFound("execution", first.description)
        }
        guard past.count <= pastTolerated else { throw .limitReached("pastExecutions", pastTolerated) }
        let found = wanted.compactMap { live[$0] }
        return SubscribeTarget(kind: .executions, source: .executions(found), past: past)
    }
}
