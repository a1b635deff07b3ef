internal import JSONRPC
internal import RxAction
internal import RxHost
internal import RxJSON
internal import RxProtocol
internal import RxRecords

/// The peer of one connection, and the one place where its rights are checked.
final class Client {
    let peer: Peer
    /// The peer as the one cause of what it requests.
    let causes: Causes
    /// The client's name for itself, for logs.
    var name: String?
    let host: Host
    private let context: ServerContext
    /// The action of the last request: clients mostly use one.
    @exclusivity(unchecked) private(set) var known: KnownAction?
    /// What the client's user uses of the server.
    let account: Account

    init(_ peer: Peer, of context: ServerContext) {
        self.peer = peer
        causes = Causes(peer.origin)
        account = context.accounts[peer.uid]
        self.context = context
        host = context.host
    }

    /// Executes an input of the action that the client executed last, if its work is a function of the input.
    ///
    /// - Returns: `notBrief` if the request needs its handler; then nothing has happened.
    func executeBriefly(_ plain: PlainParameters) -> BriefOutcome {
        guard let known else { return .notBrief }
        return known.executeBriefly(plain, in: host, causes)
    }

    // MARK: Rights

    /// The only way to an action for a method or a stream.
    ///
    /// - Parameters:
    ///   - name: the action's.
    ///   - operation: the right that is needed.
    ///   - method: the one that needs it, for the audit.
    /// - Throws: if there is no such action, or the client lacks the right.
    func action(
        _ name: String, allowing operation: Rights.Operation, for method: Method
    ) throws(RPCError) -> HostedAction {
        let generation = host.generation
        if let known, known.generation == generation, known.action.name == name {
            guard known.allowed.contains(operation) else {
                throw forbidden(operation.rawValue, method, action: name)
            }
            return known.action
        }
        guard let action = host.registry[name] else { throw .notFound("action", name) }
        let allowed = rights(on: action)
        known = KnownAction(action, generation, allowed)
        guard allowed.contains(operation) else { throw forbidden(operation.rawValue, method, action: name) }
        return action
    }

    /// The only way to a reactor for a method or a stream.
    func reactor(
        _ name: String, allowing operation: Rights.Operation, for method: Method
    ) throws(RPCError) -> HostedReactor {
        guard let reactor = host.registry.reactor(name) else { throw .notFound("reactor", name) }
        guard context.rights.allow(operation, on: reactor, by: peer) else {
            throw forbidden(operation.rawValue, method, reactor: name)
        }
        return reactor
    }

    /// The only way to a stream for a method.
    func stream(
        _ name: String, allowing operation: Rights.Operation, for method: Method
    ) throws(RPCError) -> any HostedStream {
        guard let stream = host.streams[name] else { throw unknownStream(name) }
        guard rights(on: stream).contains(operation) else { throw forbidden(operation.rawValue, method, stream: name) }
        return stream
    }

    /// The error for a name that no stream has. For that of an action or a reactor, it names the streams that give
    /// elements to it.
    private func unknownStream(_ name: String) -> RPCError {
        let registry = host.registry
        guard let owner: Hosted = registry[name] ?? registry.reactor(name), mayRead(owner) else {
            return .notFound("stream", name)
        }
        let names = host.streams.values.filter { stream in
            stream.targets.contains(name) && rights(on: stream).contains(.read)
        }.map(\.name).sorted()
        return .notFound(stream: name, whichIs: owner.kind, with: names)
    }

    /// What the client may do with a stream: what it may do with everything that the stream reads and gives elements
    /// to, and what the configuration grants.
    func rights(on stream: any HostedStream) -> Rights.Operations {
        var rights = StreamRights(client: self)
        return rights.all(on: stream)
    }

    /// What the client may see of a stream that it may read: everything, unless only the configuration grants that.
    func view(of stream: any HostedStream) -> StreamView {
        var rights = StreamRights(client: self)
        return rights.view(of: stream)
    }

    /// The only way to the events of a stream, or to those of one step.
    func feed(ofStream name: String, for method: Method, tap: String? = nil) throws(RPCError) -> StreamFeed {
        _ = try stream(name, allowing: .subscribe, for: method)
        let feed = tap.map { host.tap($0, of: name) } ?? host.streamFeed(name)
        guard let feed else { throw .notFound("stream", name) }
        return feed
    }

    /// A stream as `stream.list` reports it, without rights; empty if it is no longer configured.
    func summary(ofStream name: String) -> JSONObject {
        var rights = StreamRights(client: self)
        return host.streams[name].map { rights.visible($0).summary } ?? [:]
    }

    /// Whether the client may manage the daemon.
    var mayManage: Bool { context.rights.allow(.manage, on: nil, by: peer) }

    /// Whether the client may do everything, as root and the daemon's user may.
    var isMaster: Bool { context.rights.isMaster(peer) }

    /// The records of executions that the client may see; nil for all.
    var executionScope: ExecutionScope? { context.rights.scope(of: peer, in: host) }

    /// Whether the client may dispatch to a reactor at the time of the call, on any thread.
    func mayDispatch(to reactor: HostedReactor) -> @Sendable () -> Bool {
        { [rights = context.rights, peer] in rights.allow(.execute, on: reactor, by: peer) }
    }

    /// What the client may do under rights of the configuration.
    func rights(under access: Access) -> Rights.Operations { context.rights.operations(under: access, to: peer) }

    /// Checks a right on an action; without one, on the server itself.
    func authorize(
        _ operation: Rights.Operation, on action: HostedAction? = nil, for method: Method
    ) throws(RPCError) {
        guard context.rights.allow(operation, on: action, by: peer) else {
            throw forbidden(operation.rawValue, method, action: action?.name)
        }
    }

    /// The only way to an execution for a method or a stream.
    func authorize(
        _ operation: Rights.ExecutionOperation, on execution: ExecutionID, of action: String, by origin: Origin,
        for method: Method
    ) throws(RPCError) {
        let access = host.access(toActionNamed: action)
        guard context.rights.allow(operation, onExecutionBy: origin, under: access, by: peer) else {
            throw forbidden(operation.rawValue, method, action: action, execution: execution)
        }
    }

    /// Everything that the client may do with an action, a reactor, or a stream.
    func rights(on source: Hosted) -> Rights.Operations {
        switch source.kind {
        case .action, .reactor: return context.rights.operations(under: source.access, to: peer)
        case .stream:
            var streams = StreamRights(client: self)
            return streams.all(onStreamNamed: source.name)
        }
    }

    func mayRead(_ source: Hosted) -> Bool { rights(on: source).contains(.read) }

    func maySubscribe(to source: Hosted) -> Bool { rights(on: source).contains(.subscribe) }

    /// The sources, of many, that the client may subscribe to.
    func subscribable(among sources: [Hosted]) -> [Hosted] {
        var streams = StreamRights(client: self)
        return sources.filter { source in
            switch source.kind {
            case .action, .reactor: maySubscribe(to: source)
            case .stream: streams.all(onStreamNamed: source.name).contains(.subscribe)
            }
        }
    }

    /// Whether an action of this name is configured: others may have events in the log.
    func isConfigured(_ action: Hosted) -> Bool { host.registry[action.name] === action }

    func maySubscribe(toReactor name: String) -> Bool {
        host.registry.reactor(name).map { maySubscribe(to: $0) } ?? false
    }

    /// The level as the client may see it: with a condition's error only if it may subscribe to the reactor.
    func shown(_ enabled: Enabled) -> Enabled {
        guard let reactor = enabled.revealedReactor, !maySubscribe(toReactor: reactor) else { return enabled }
        return enabled.withoutValues
    }

    /// The levels as the client may see them.
    func shown(_ levels: ActionLevels) -> ActionLevels { levels.with(shown(levels.enabled)) }

    /// The refusal as the client may see it.
    func shown(_ refusal: ExecutionRefusal) -> ExecutionRefusal {
        switch refusal {
        case .notEnabled(let enabled): .notEnabled(shown(enabled))
        case .input, .queueFull, .tooManyGroups, .keyReused, .tooManyKeys, .tooManyKeysOfUser, .tooManyScheduled,
            .tooManyScheduledOfUser, .tooManyAwaited, .tooManyBytesOfUser, .cannotSchedule, .stopping:
            refusal
        }
    }

    /// Whether the client may do something with an execution, as its rights are then. Any thread.
    typealias ExecutionCheck = @Sendable (HostedExecution) -> Bool

    /// Checks a right on executions, where there may be many.
    func checking(_ operation: Rights.ExecutionOperation) -> ExecutionCheck {
        { [rights = context.rights, log = host.log, peer] execution in
            rights.allow(
                operation, onExecutionBy: log.record(of: execution).by, under: execution.action.access, by: peer)
        }
    }

    /// Whether the client may see the record of an execution, and wait for its end.
    func mayRead(_ execution: HostedExecution) -> Bool { checking(.read)(execution) }

    /// The record as the client may see it. One that may cancel an execution without reading it learns how it ended.
    func shown(_ record: ExecutionRecord) -> ExecutionRecord {
        let isAllowed = context.rights.allow(
            .read, onExecutionBy: record.by, under: host.access(toActionNamed: record.action), by: peer)
        return isAllowed ? record : record.withoutValues
    }

    private func forbidden(
        _ operation: String, _ method: Method, action: String? = nil, reactor: String? = nil,
        stream: String? = nil, execution: ExecutionID? = nil
    ) -> RPCError {
        audit(
            AuditRecord(
                method: method, action: action, reactor: reactor, stream: stream, execution: execution,
                outcome: .refusal(ErrorCode.forbidden.name)))
        return refusal(of: operation, action: action, reactor: reactor, stream: stream, execution: execution)
    }

    /// The error for a client without the right, or without it any more.
    func refusal(
        of operation: String, action: String? = nil, reactor: String? = nil, stream: String? = nil,
        execution: ExecutionID? = nil
    ) -> RPCError {
        let missing = MissingRight(
            operation, action: action, reactor: reactor, stream: stream, execution: execution?.description)
        let contact = context.rights.contact
        return RPCError(.forbidden, message: missing.message(uid: peer.uid, contact: contact)) { writer in
            writer.field("operation", operation)
            writer.field("right", missing.right)
            if let contact { writer.field("contact", contact) }
            if let action { writer.field("action", action) }
            if let reactor { writer.field("reactor", reactor) }
            if let stream { writer.field("stream", stream) }
            if let execution { writer.field("execution", execution.description) }
            writer.field("uid", Int(peer.uid))
        }
    }

    /// Writes a record about something that this client did, or was refused.
    func audit(_ record: AuditRecord) { context.audit.write(record, by: peer) }
}
