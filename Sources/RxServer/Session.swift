internal import RxRecords
internal import JSONRPC
internal import Rx
internal import RxAction
internal import RxHost
internal import RxJSON
internal import RxProtocol

/// What one client has opened, and the one place where its rights are checked.
final class Session {
    typealias Handler = @Sendable (Session, JSONView?, Reply) throws(RPCError) -> Void

    /// The implemented methods; each is a file in `Methods/`.
    static let handlers: [String: Handler] = [
        "rpc.discover": { session, params, reply throws(RPCError) in try session.discover(params, reply) },
        "server.hello": { session, params, reply throws(RPCError) in try session.hello(params, reply) },
        "server.status": { session, params, reply throws(RPCError) in try session.status(params, reply) },
        "server.reload": { session, params, reply throws(RPCError) in try session.reload(params, reply) },
        "action.list": { session, params, reply throws(RPCError) in try session.listActions(params, reply) },
        "action.describe": { session, params, reply throws(RPCError) in try session.describeAction(params, reply) },
        "action.execute": { session, params, reply throws(RPCError) in try session.execute(params, reply) },
        "action.check": { session, params, reply throws(RPCError) in try session.checkAction(params, reply) },
        "action.enable": { session, params, reply throws(RPCError) in try session.enableAction(params, reply) },
        "action.disable": { session, params, reply throws(RPCError) in try session.disableAction(params, reply) },
        "execution.list": { session, params, reply throws(RPCError) in try session.listExecutions(params, reply) },
        "execution.get": { session, params, reply throws(RPCError) in try session.getExecution(params, reply) },
        "execution.cancel": { session, params, reply throws(RPCError) in try session.cancelExecution(params, reply) },
        "execution.wait": { session, params, reply throws(RPCError) in try session.waitForExecution(params, reply) },
        "reactor.list": { session, params, reply throws(RPCError) in try session.listReactors(params, reply) },
        "reactor.describe": { session, params, reply throws(RPCError) in try session.describeReactor(params, reply) },
        "reactor.state": { session, params, reply throws(RPCError) in try session.tellState(params, reply) },
        "reactor.dispatch": { session, params, reply throws(RPCError) in try session.dispatch(params, reply) },
        "reactor.history": { session, params, reply throws(RPCError) in try session.tellHistory(params, reply) },
        "subscribe": { session, params, reply throws(RPCError) in try session.subscribe(params, reply) },
        "unsubscribe": { session, params, reply throws(RPCError) in try session.unsubscribe(params, reply) },
    ]

    // Unsafe because checked references cost too much here; the connection owns its session.
    unowned(unsafe) let connection: Connection
    let server: Server
    var subscriptions: [String: Subscription] = [:]
    /// Executions this client withdraws from when it goes, by the token it asked with.
    var requests: [UInt64: (execution: HostedExecution, observation: any Disposable)] = [:]
    /// What it calls itself.
    var client: String?
    /// The action that was asked for last and what the client may do with it, as of the registry of that generation:
    /// clients mostly ask for one.
    @exclusivity(unchecked) private var known: KnownAction?
    /// What is being handled. Where nothing is said, it is what is asked for more often than all others together.
    private(set) var method = Session.execute
    private static let execute = "action.execute"
    /// Names of streams that are about to be opened.
    var reservedNames: Set<String> = []
    /// How to stop listening to what this client waits for.
    var observations: [UInt64: () -> Void] = [:]
    /// What it waits for and must be allowed to, until it is told.
    var waits: [UInt64: Wait] = [:]

    init(connection: Connection) {
        self.connection = connection
        server = connection.server
    }

    func handle(_ request: Request, _ reply: Reply) {
        if request.calls("action.execute") {
            do throws(RPCError) {
                try execute(request.params, reply)
            } catch {
                reply.failure(error)
            }
            return
        }
        let called = request.method
        guard let handler = Session.handlers[called] else {
            reply.failure(
                RPCError(.methodNotFound, message: "no such method: \(called)") { writer in
                    writer.field("method", called)
                })
            return
        }
        method = called
        defer { method = Session.execute }
        do throws(RPCError) {
            try handler(self, request.params, reply)
        } catch {
            reply.failure(error)
        }
    }

    // MARK: Rights

    /// The only way to an action for a method or a stream.
    func action(_ name: String, for operation: Rights.Operation) throws(RPCError) -> HostedAction {
        let generation = server.host.generation
        if let known, known.generation == generation, known.action.name == name {
            guard known.allowed.contains(operation) else { throw forbidden(operation.rawValue, action: name) }
            return known.action
        }
        guard let action = server.host.registry[name] else { throw .notFound("action", name) }
        let allowed = server.rights.operations(under: action.access, to: connection.peer)
        known = KnownAction(action, generation, allowed)
        guard allowed.contains(operation) else { throw forbidden(operation.rawValue, action: name) }
        return action
    }

    /// Executes what can be executed without further ado: an input for the action that the client may execute and has asked
    /// for last.
    ///
    /// - Returns: nil if the request has to go the long way, and nothing has happened.
    func executeBriefly(_ request: Request) -> BriefExecution? {
        guard request.calls("action.execute"), let params = request.params, let known,
            let plain = PlainParameters(params)
        else { return nil }
        return known.executeBriefly(plain, in: server.host, by: connection.peer.origin)
    }

    /// The only way to a reactor for a method or a stream.
    func reactor(_ name: String, for operation: Rights.Operation) throws(RPCError) -> HostedReactor {
        guard let reactor = server.host.registry.reactor(name) else { throw .notFound("reactor", name) }
        guard server.rights.allow(operation, on: reactor, by: connection.peer) else {
            throw forbidden(operation.rawValue, reactor: name)
        }
        return reactor
    }

    /// Without an action: something with the server itself.
    func authorize(_ operation: Rights.Operation, on action: HostedAction? = nil) throws(RPCError) {
        guard server.rights.allow(operation, on: action, by: connection.peer) else {
            throw forbidden(operation.rawValue, action: action?.name)
        }
    }

    /// The only way to an execution for a method or a stream.
    ///
    /// - Parameter method: what asked for it, where that is no longer what is being handled.
    func authorize(
        _ operation: Rights.ExecutionOperation, on execution: ExecutionID, of action: String, by origin: Origin,
        method: String? = nil
    ) throws(RPCError) {
        let access = server.host.access(toActionNamed: action)
        guard server.rights.allow(operation, onExecutionBy: origin, under: access, by: connection.peer) else {
            throw forbidden(operation.rawValue, action: action, execution: execution, method: method)
        }
    }

    private func forbidden(
        _ operation: String, action: String? = nil, reactor: String? = nil, execution: ExecutionID? = nil,
        method: String? = nil
    ) -> RPCError {
        audit(
            AuditRecord(
                method: method ?? self.method, action: action, reactor: reactor, execution: execution,
                outcome: .refusal(ErrorCode.forbidden.name)))
        return refusal(of: operation, action: action, reactor: reactor, execution: execution)
    }

    /// What is answered to who may not, or may not any more.
    func refusal(
        of operation: String, action: String? = nil, reactor: String? = nil, execution: ExecutionID? = nil
    ) -> RPCError {
        RPCError(.forbidden) { writer in
            writer.field("operation", operation)
            if let action { writer.field("action", action) }
            if let reactor { writer.field("reactor", reactor) }
            if let execution { writer.field("execution", execution.description) }
            writer.field("uid", Int(connection.peer.uid))
        }
    }

    func audit(_ record: AuditRecord) { server.audit.write(record, by: connection.peer) }

    // MARK: Subscriptions

    /// - Throws: if the name is taken, empty or too long, or the connection has too many subscriptions.
    func checkNew(subscription name: String, parameter: StaticString) throws(RPCError) {
        guard (1...Session.nameBytes).contains(name.utf8.count) else {
            throw .refused([
                RPCError.Fault(path: "/\(parameter)", message: "must have 1 to \(Session.nameBytes) bytes")
            ])
        }
        guard subscriptions[name] == nil, !reservedNames.contains(name) else {
            throw RPCError(.duplicateSubscription) { writer in
                writer.field("subscription", name)
            }
        }
        guard subscriptions.count + reservedNames.count < server.limits.subscriptionsPerConnection else {
            throw .limitReached("subscriptionsPerConnection", server.limits.subscriptionsPerConnection)
        }
    }

    /// A name is repeated in the head of every event.
    static let nameBytes = 128

    func open(_ subscription: Subscription) {
        subscriptions[subscription.name] = subscription
        server.subscriptions.insert(subscription)
    }

    /// Sends the subscription's last event and forgets it; after what it has missed, if it is being told of that.
    func close(_ subscription: Subscription, _ reason: EndReason) {
        if subscription.position != nil, reason.isOfTarget {
            subscription.endsAfterReplay = reason
            return
        }
        guard subscriptions[subscription.name] === subscription else { return }
        subscriptions[subscription.name] = nil
        subscription.end()
        forget(subscription)
        let end = server.encoder.end(
            reason, cursor: server.host.log.cursor, time: Timestamp(milliseconds: WallClock.milliseconds))
        connection.send(end, of: subscription)
    }

    /// The client is gone: its subscriptions die, and it withdraws from what it asked to be cancelled with it.
    func end() {
        for subscription in subscriptions.values { forget(subscription) }
        subscriptions = [:]
        for (token, request) in requests {
            request.observation.dispose()
            request.execution.withdraw(token)
        }
        requests = [:]
        for stop in observations.values { stop() }
        observations = [:]
        waits = [:]
    }

    /// Something is listened to until it is told or the client goes; `stop` ends that.
    func observe(_ stop: @escaping () -> Void) -> UInt64 {
        let token = server.makeToken()
        observations[token] = stop
        return token
    }

    func stopObserving(_ token: UInt64) {
        waits[token] = nil
        observations.removeValue(forKey: token)?()
    }

    private func forget(_ subscription: Subscription) {
        subscription.stopPacing()
        server.subscriptions.remove(subscription)
        server.host.log.unwatch(subscription.source, isAll: subscription.watchesAll)
        if subscription.wantsPatches { watchPatches(subscription, by: -1) }
    }
}

/// An action as a client knows it.
private final class KnownAction {
    let action: HostedAction
    /// Of the registry.
    let generation: UInt64
    let allowed: Rights.Operations
    private let name: [UInt8]
    /// Nil if the client may not execute it, too.
    private let brief: BriefWork?

    // What is used for each request without being retained for it; the properties above keep these alive.
    private let unretainedAction: Unmanaged<HostedAction>
    private let unretainedBrief: Unmanaged<BriefWork>?

    init(_ action: HostedAction, _ generation: UInt64, _ allowed: Rights.Operations) {
        self.action = action
        self.generation = generation
        self.allowed = allowed
        name = Array(action.name.utf8)
        brief = allowed.contains(.execute) ? action.briefWork : nil
        unretainedAction = .passUnretained(action)
        unretainedBrief = brief.map { .passUnretained($0) }
    }

    /// Nil if it is not this one that is asked for, or it is not known any more, or not brief.
    func executeBriefly(_ plain: PlainParameters, in host: Host, by origin: Origin) -> BriefExecution? {
        guard let unretainedBrief, plain.action.equals(utf8: name), generation == host.generation else { return nil }
        let input = plain.input?.rawJSON ?? .null
        return unretainedAction._withUnsafeGuaranteedRef { action in
            unretainedBrief._withUnsafeGuaranteedRef { host.executeBriefly(action, $0, input, by: origin) }
        }
    }
}
