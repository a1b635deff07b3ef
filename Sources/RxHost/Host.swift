internal import Rx
internal import RxAction

/// Hosts actions by name and executes them.
public final class Host: Sendable {
    public let log = EventLog()
    /// Tells this host's cursors from those of another start: eight hexadecimal digits.
    public let epoch: String
    private let current: Locked<Registry>
    /// Actions that are no longer configured, kept for work they have in flight and for their return.
    private let retired = Locked<[String: HostedAction]>([:])
    private let onEnd: (@Sendable (ExecutionRecord) -> Void)?

    /// - Parameter onEnd: called at the end of each execution that is not inline, outside of any lock, for logs.
    public init(
        _ definitions: [ActionDefinition] = [], onEnd: (@Sendable (ExecutionRecord) -> Void)? = nil
    ) {
        let digits = String(UInt32.random(in: 0...UInt32.max), radix: 16)
        epoch = String(repeating: "0", count: 8 - digits.count) + digits
        self.onEnd = onEnd
        current = Locked(Registry(definitions.map { [log] in HostedAction($0, log: log, onEnd: onEnd) }))
    }

    public var registry: Registry { current.withLock { $0 } }

    /// Executes one input.
    ///
    /// The check whether the action is enabled and the start are one step: of two callers at the same moment one is
    /// refused. A refusal for not being enabled is an event on the action's errors too.
    public func execute(
        _ action: HostedAction, _ request: ExecutionRequest
    ) -> Result<HostedExecution, ExecutionRefusal> {
        let definition = action.currentDefinition
        let faults = definition.value.validate(request.input)
        guard faults.isEmpty else { return .failure(.input(faults)) }
        let execution = HostedExecution(
            id: ExecutionID(), action: action, definition: definition, request: request, time: WallClock.milliseconds)
        let isStopping = log.change { state in
            if !state.isStopping { state.inFlight[execution.id] = execution }
            return state.isStopping
        }
        guard !isStopping else { return .failure(.stopping) }
        if let refusal = action.start(execution) {
            let enabled = log.change { state in
                state.inFlight[execution.id] = nil
                let enabled = Enabled(reason: action.reason(of: refusal, state, at: execution.record.queuedAt))
                state.publish(.refusal(enabled), of: action, at: execution.record.queuedAt)
                return enabled
            }
            return .failure(.notEnabled(enabled))
        }
        return .success(execution)
    }

    /// Takes a new set of definitions.
    ///
    /// A name that stays keeps its gate, its executions and its subscribers; a changed definition holds from the next
    /// execution on. A name that goes takes no more input; what it has in flight goes on to its end.
    @discardableResult
    public func reload(_ definitions: [ActionDefinition], dryRun: Bool = false) -> RegistryChange {
        let old = registry
        var change = RegistryChange()
        var actions: [HostedAction] = []
        for definition in definitions.sorted(by: { $0.name < $1.name }) {
            guard let action = old[definition.name] else {
                change.added.append(definition.name)
                if !dryRun { actions.append(add(definition)) }
                continue
            }
            actions.append(action)
            if action.definition.fingerprint == definition.fingerprint {
                change.unchanged.append(definition.name)
            } else {
                change.changed.append(definition.name)
                if !dryRun { action.definition = definition }
            }
        }
        let names = Set(definitions.map(\.name))
        let removed = old.actions.filter { !names.contains($0.name) }
        change.removed = removed.map(\.name)
        guard !dryRun else { return change }
        current.withLock { $0 = Registry(actions) }
        retired.withLock { retired in
            for action in removed { retired[action.name] = action }
        }
        for action in removed {
            log.change { $0.publish(.removed, of: action, at: WallClock.milliseconds) }
            action.close()
        }
        return change
    }

    /// A name that comes back is the action it was: what it may still have in flight holds its gate.
    private func add(_ definition: ActionDefinition) -> HostedAction {
        guard let action = retired.withLock({ $0.removeValue(forKey: definition.name) }) else {
            return HostedAction(definition, log: log, onEnd: onEnd)
        }
        action.definition = definition
        action.open()
        return action
    }

    /// Takes no more input, cancels what is in flight, and calls `whenIdle` once nothing is.
    public func stop(whenIdle: @escaping @Sendable () -> Void) {
        let actions = registry.actions
        log.change { state in
            state.isStopping = true
            let time = WallClock.milliseconds
            for action in actions { action.updateEnabled(&state, at: time) }
            state.whenIdle = whenIdle
        }
        for execution in log.inFlight { execution.cancel(HostStopping()) }
    }
}
