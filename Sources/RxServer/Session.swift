internal import Rx
internal import RxRecords
internal import JSONRPC
internal import RxAction
internal import RxHost
internal import RxJSON
internal import RxProtocol

/// What one client has opened and waits for, and the one place where its rights are checked.
final class Session {
    // Unsafe because checked references cost too much here; the connection owns its session.
    unowned(unsafe) let connection: Connection
    let server: Server
    /// What this client has subscribed to.
    private(set) var subscriptions: OpenSubscriptions!
    /// Executions this client withdraws from when it goes, by the token of its request.
    var requests: [UInt64: (execution: HostedExecution, observation: any Disposable)] = [:]
    /// The client's name for itself, for logs.
    var client: String?
    /// The action of the last request: clients mostly use one.
    @exclusivity(unchecked) private var known: KnownAction?
    /// What this client waits for.
    private(set) var waits: Waits!

    init(connection: Connection) {
        self.connection = connection
        server = connection.server
        subscriptions = OpenSubscriptions(of: self, on: server)
        waits = Waits(of: self, on: server)
    }

    // MARK: Requests

    /// Executes an input of the action that the client executed last, if its work is a function of the input.
    ///
    /// - Returns: nil if the request needs `handle`; then nothing has happened.
    func executeBriefly(_ request: Request) -> BriefExecution? {
        guard request.calls(Method.actionExecuteName), let params = request.params, let known,
            let plain = PlainParameters(params)
        else { return nil }
        return known.executeBriefly(plain, in: server.host, by: connection.peer.origin)
    }

    func handle(_ request: Request, _ reply: Reply) {
        let call = Call(session: self, reply: reply)
        do throws(RPCError) {
            // Most requests are this one.
            if request.calls(Method.actionExecuteName) { return try perform(ActionExecute.self, request.params, call) }
            let name = request.method
            guard let method = Method(rawValue: name) else {
                throw RPCError(.methodNotFound, message: "no such method: \(name)") { writer in
                    writer.field("method", name)
                }
            }
            try perform(method, request.params, call)
        } catch {
            reply.failure(error)
        }
    }

    private func perform(_ method: Method, _ params: JSONView?, _ call: Call) throws(RPCError) {
        switch method {
        case .rpcDiscover: try perform(RPCDiscover.self, params, call)
        case .serverHello: try perform(ServerHello.self, params, call)
        case .serverStatus: try perform(ServerStatus.self, params, call)
        case .serverReload: try perform(ServerReload.self, params, call)
        case .actionList: try perform(ActionList.self, params, call)
        case .actionDescribe: try perform(ActionDescribe.self, params, call)
        case .actionExecute: try perform(ActionExecute.self, params, call)
        case .actionCheck: try perform(ActionCheck.self, params, call)
        case .actionEnable: try perform(ActionEnable.self, params, call)
        case .actionDisable: try perform(ActionDisable.self, params, call)
        case .executionList: try perform(ExecutionList.self, params, call)
        case .executionGet: try perform(ExecutionGet.self, params, call)
        case .executionCancel: try perform(ExecutionCancel.self, params, call)
        case .executionWait: try perform(ExecutionWait.self, params, call)
        case .reactorList: try perform(ReactorList.self, params, call)
        case .reactorDescribe: try perform(ReactorDescribe.self, params, call)
        case .reactorState: try perform(ReactorStateRead.self, params, call)
        case .reactorHistory: try perform(ReactorHistory.self, params, call)
        case .reactorDispatch: try perform(ReactorDispatch.self, params, call)
        case .subscribe: try perform(Subscribe.self, params, call)
        case .unsubscribe: try perform(Unsubscribe.self, params, call)
        }
    }

    private func perform<Handler: MethodHandler>(
        _: Handler.Type, _ params: JSONView?, _ call: Call
    ) throws(RPCError) {
        try Handler(params, call).perform()
    }

    // MARK: Rights

    /// The only way to an action for a method or a stream.
    ///
    /// - Parameter method: the one that needs it, for the audit.
    func action(
        _ name: String, allowing operation: Rights.Operation, for method: Method
    ) throws(RPCError) -> HostedAction {
        let generation = server.host.generation
        if let known, known.generation == generation, known.action.name == name {
            guard known.allowed.contains(operation) else {
                throw forbidden(operation.rawValue, method, action: name)
            }
            return known.action
        }
        guard let action = server.host.registry[name] else { throw .notFound("action", name) }
        let allowed = rights(on: action)
        known = KnownAction(action, generation, allowed)
        guard allowed.contains(operation) else { throw forbidden(operation.rawValue, method, action: name) }
        return action
    }

    /// The only way to a reactor for a method or a stream.
    func reactor(
        _ name: String, allowing operation: Rights.Operation, for method: Method
    ) throws(RPCError) -> HostedReactor {
        guard let reactor = server.host.registry.reactor(name) else { throw .notFound("reactor", name) }
        guard server.rights.allow(operation, on: reactor, by: connection.peer) else {
            throw forbidden(operation.rawValue, method, reactor: name)
        }
        return reactor
    }

    /// Asks for a right on an action; without one, on the server itself.
    func authorize(
        _ operation: Rights.Operation, on action: HostedAction? = nil, for method: Method
    ) throws(RPCError) {
        guard server.rights.allow(operation, on: action, by: connection.peer) else {
            throw forbidden(operation.rawValue, method, action: action?.name)
        }
    }

    /// The only way to an execution for a method or a stream.
    func authorize(
        _ operation: Rights.ExecutionOperation, on execution: ExecutionID, of action: String, by origin: Origin,
        for method: Method
    ) throws(RPCError) {
        let access = server.host.access(toActionNamed: action)
        guard server.rights.allow(operation, onExecutionBy: origin, under: access, by: connection.peer) else {
            throw forbidden(operation.rawValue, method, action: action, execution: execution)
        }
    }

    /// Everything that the client may do with an action or a reactor.
    func rights(on source: Hosted) -> Rights.Operations {
        server.rights.operations(under: source.access, to: connection.peer)
    }

    func maySubscribe(to source: Hosted) -> Bool {
        server.rights.allow(.subscribe, on: source, by: connection.peer)
    }

    private func forbidden(
        _ operation: String, _ method: Method, action: String? = nil, reactor: String? = nil,
        execution: ExecutionID? = nil
    ) -> RPCError {
        audit(
            AuditRecord(
                method: method, action: action, reactor: reactor, execution: execution,
                outcome: .refusal(ErrorCode.forbidden.name)))
        return refusal(of: operation, action: action, reactor: reactor, execution: execution)
    }

    /// The error for a client without the right, or without it any more.
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

    // MARK: The end

    /// The client is gone: its subscriptions die, and it withdraws from the executions that it wanted cancelled with
    /// it.
    func end() {
        subscriptions.end()
        for (token, request) in requests {
            request.observation.dispose()
            request.execution.withdraw(token)
        }
        requests = [:]
        waits.end()
    }
}
