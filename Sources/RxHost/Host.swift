public import RxAction
public import RxJSON
internal import Rx

/// Hosts actions by name and executes them.
public final class Host: Sendable {
    public struct KeyLimits: Sendable, Equatable {
        /// Keys remembered at a time.
        public var count = 10_000
        public var lifetime = Duration.seconds(3600)

        public init() {}
    }

    /// Tells this host's cursors from those of another start: eight hexadecimal digits.
    public let epoch: String
    let services: HostServices
    private let current: Locked<Registry>
    /// Actions that are no longer configured, kept for work they have in flight and for their return.
    private let retired = Locked<[String: HostedAction]>([:])
    /// What the store had of an earlier host, until `resume`.
    private let recovery: Locked<Recovery?>

    /// - Parameters:
    ///   - store: keeps history, durable inputs and switches; without one they last as long as the host.
    ///   - keys: bounds of what `ExecutionRequest.key` promises.
    ///   - onEnd: called at the end of each execution that is not inline, outside of any lock, for logs; not of those that
    ///     the next host starts.
    ///   - onRetry: called after each failure that is followed by another attempt.
    public init(
        _ definitions: [ActionDefinition] = [], store: ExecutionStore? = nil, keys: KeyLimits = KeyLimits(),
        onEnd: (@Sendable (ExecutionRecord) -> Void)? = nil, onRetry: (@Sendable (RetryNote) -> Void)? = nil
    ) {
        let digits = String(UInt32.random(in: 0...UInt32.max), radix: 16)
        epoch = String(repeating: "0", count: 8 - digits.count) + digits
        let recovery = store?.takeRecovery()
        self.recovery = Locked(recovery)
        services = HostServices(
            store: store, keys: ExecutionKeys(limit: keys.count, lifetime: keys.lifetime),
            switches: recovery?.switches ?? [:], onEnd: onEnd, onRetry: onRetry)
        current = Locked(Registry(definitions.map { [services] in HostedAction($0, services) }))
    }

    public var log: EventLog { services.log }
    public var store: ExecutionStore? { services.store }
    public var registry: Registry { current.withLock { $0 } }

    // MARK: Executing

    /// Executes one input: `submit`, for who needs no more than the execution.
    public func execute(
        _ action: HostedAction, _ request: ExecutionRequest
    ) -> Result<HostedExecution, ExecutionRefusal> {
        submit(action, request).map(\.execution)
    }

    /// Executes one input, or has it wait or join, as the action's overlap says.
    ///
    /// The check whether the action is enabled and the start are one step: of two callers at the same moment one is
    /// refused. A refusal for not being enabled is an event on the action's errors too.
    public func submit(
        _ action: HostedAction, _ request: ExecutionRequest
    ) -> Result<AcceptedExecution, ExecutionRefusal> {
        let definition = action.currentDefinition
        let faults = definition.value.validate(request.input)
        guard faults.isEmpty else { return .failure(.input(faults)) }
        let key = request.key.map { ExecutionKey($0, by: request.by, input: request.input) }
        let durability = definition.value.isDurable && services.store != nil ? Durability() : nil
        var own = request
        // A durable one is watched from the moment its acceptance is told.
        if durability != nil { own.isWatched = false }
        let execution = HostedExecution(
            id: ExecutionID(), action: action, definition: definition, request: own, key: key,
            durability: durability, time: WallClock.milliseconds)
        if let key {
            switch services.keys.claim(key, for: execution, at: execution.record.queuedAt) {
            case .granted: break
            case .known(let known):
                if let joined = join(known, request) { return .success(joined) }
            case .otherInput: return .failure(.keyReused)
            case .full(let limit): return .failure(.tooManyKeys(limit: limit))
            }
        }
        let result = start(execution, request)
        if case .failure = result, let key { services.keys.release(key, of: execution) }
        return result
    }

    /// What `submit` would do with `input` now, and nothing else.
    public func check(_ action: HostedAction, _ input: RawJSON) -> Result<Outlook, ExecutionRefusal> {
        let faults = action.currentDefinition.value.validate(input)
        guard faults.isEmpty else { return .failure(.input(faults)) }
        switch action.outlook() {
        case .success(let outlook):
            let isStopping = log.change { $0.isStopping }
            return isStopping ? .failure(.stopping) : .success(outlook)
        case .failure(let refusal):
            return .failure(log.change { action.explain(refusal, $0, at: WallClock.milliseconds) })
        }
    }

    private func start(
        _ execution: HostedExecution, _ request: ExecutionRequest
    ) -> Result<AcceptedExecution, ExecutionRefusal> {
        let action = execution.action
        if let body = request.observer {
            let observer = ExecutionObserver(isLive: true, body)
            execution.observers = [observer]
        }
        let observer = execution.observers.first
        if execution.durability != nil { execution.recordingHolds = 1 }
        while true {
            let isTaken = log.change { state in
                if !state.isStopping, !action.levels.isRemoved { state.inFlight[execution.id] = execution }
                return state.inFlight[execution.id] != nil
            }
            guard isTaken else {
                let isStopping = log.change { $0.isStopping }
                return .failure(isStopping ? .stopping : .notEnabled(Enabled(reason: .condition(error: nil))))
            }
            switch action.start(execution) {
            case .started:
                return .success(accepted(execution, .started, observer, request))
            case .queued:
                return .success(accepted(execution, .queued, observer, request))
            case .joined(let id):
                let known = log.change { state in
                    state.inFlight[execution.id] = nil
                    return state.execution(id)
                }
                // If it has ended meanwhile, the action is looked at again.
                guard let known, let joined = join(known, request) else { continue }
                if let key = execution.key { services.keys.move(key, to: known) }
                return .success(joined)
            case .refused(let refusal):
                return .failure(
                    log.change { state in
                        state.inFlight[execution.id] = nil
                        let time = execution.record.queuedAt
                        let explained = action.explain(refusal, state, at: time)
                        switch explained {
                        case .notEnabled(let enabled): state.publish(.refusal(enabled), of: action, at: time)
                        case .queueFull(let limit): state.publish(.queueFull(limit: limit), of: action, at: time)
                        case .input, .keyReused, .tooManyKeys, .stopping: break
                        }
                        return explained
                    })
            }
        }
    }

    private func accepted(
        _ execution: HostedExecution, _ disposition: AcceptedExecution.Disposition, _ observer: ExecutionObserver?,
        _ request: ExecutionRequest
    ) -> AcceptedExecution {
        AcceptedExecution(
            execution: execution, disposition: disposition, attachment: nil, observer: observer,
            durability: execution.durability, isWatched: request.isWatched)
    }

    private func join(_ execution: HostedExecution, _ request: ExecutionRequest) -> AcceptedExecution? {
        guard let (attachment, observer) = execution.attach(request) else { return nil }
        return AcceptedExecution(
            execution: execution, disposition: .joined, attachment: attachment, observer: observer)
    }

    // MARK: Switching

    /// Switches an action off, so that it takes no input and starts nothing that waits; or on again, with nil.
    ///
    /// - Parameter completion: called when that will outlive the host, on any thread, or with the reason why not.
    public func set(
        _ manual: ManualSwitch?, of action: HostedAction, completion: @escaping @Sendable (StoreError?) -> Void
    ) {
        action.set(manual)
        guard let store else { return completion(nil) }
        store.set(manual, of: action.name, completion: completion)
    }

    // MARK: Life

    /// Takes up what an earlier host has left in the store: durable inputs start again in the order of their acceptance,
    /// keys mean what they meant.
    ///
    /// - Returns: what was in flight when that host was gone, with inputs that no action takes any more, and what goes on.
    @discardableResult
    public func resume() -> Recovery {
        let taken = recovery.withLock { recovery in
            defer { recovery = nil }
            return recovery
        }
        guard var recovery = taken else { return Recovery() }
        for keyed in recovery.keyed {
            guard let action = registry[keyed.action], let record = keyed.record else { continue }
            let execution = HostedExecution(record, action: action, key: keyed.key)
            _ = services.keys.claim(keyed.key, for: execution, at: keyed.givenAt)
        }
        var order: [String] = []
        var byAction: [String: [StoredInput]] = [:]
        for input in recovery.queued {
            if byAction[input.action] == nil { order.append(input.action) }
            byAction[input.action, default: []].append(input)
        }
        for name in order {
            guard let action = registry[name], action.definition.isDurable else {
                for input in byAction[name] ?? [] {
                    store?.ended(input.interrupted)
                    recovery.interrupted.append(input.interrupted)
                }
                recovery.queued.removeAll { $0.action == name }
                recovery.interruptedCount += byAction[name]?.count ?? 0
                continue
            }
            for input in byAction[name] ?? [] { resume(input, action) }
        }
        return recovery
    }

    private func resume(_ input: StoredInput, _ action: HostedAction) {
        let execution = HostedExecution(
            id: input.id, action: action, definition: action.currentDefinition,
            request: ExecutionRequest(input: input.input, by: input.by, timeout: input.timeout), key: input.key,
            durability: .accepted(), wasStored: true, time: input.queuedAt)
        if let key = input.key { _ = services.keys.claim(key, for: execution, at: input.queuedAt) }
        log.change { $0.inFlight[execution.id] = execution }
        action.resume(execution)
    }

    /// Takes a new set of definitions.
    ///
    /// A name that stays keeps its gate, its executions and its subscribers; a changed definition holds from the next
    /// execution on. A name that goes takes no more input; what it has in flight or waiting goes on to its end.
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
            log.change { state in
                action.levels.isRemoved = true
                state.publish(.removed, of: action, at: WallClock.milliseconds)
            }
        }
        return change
    }

    /// A name that comes back is the action it was: what it may still have in flight holds its gate.
    private func add(_ definition: ActionDefinition) -> HostedAction {
        guard let action = retired.withLock({ $0.removeValue(forKey: definition.name) }) else {
            return HostedAction(definition, services)
        }
        action.definition = definition
        log.change { _ in action.levels.isRemoved = false }
        return action
    }

    /// Takes no more input, cancels what is in flight or waits, and calls `whenIdle` once nothing is. Durable inputs that
    /// wait stay in the store.
    public func stop(whenIdle: @escaping @Sendable () -> Void) {
        let actions = registry.actions + retired.withLock { Array($0.values) }
        log.change { state in
            state.isStopping = true
            let time = WallClock.milliseconds
            for action in actions { action.updateEnabled(&state, at: time) }
            state.whenIdle = whenIdle
        }
        // First, so that the end of one does not start the next.
        for action in actions { action.close() }
        for execution in log.inFlight { execution.cancel(HostStopping()) }
    }
}

extension StoredInput {
    /// Its action is no longer there, or no longer durable.
    fileprivate var interrupted: ExecutionRecord {
        var record = ExecutionRecord(
            id: id, action: action, by: by, input: shown, state: .interrupted, queuedAt: queuedAt, elements: 0)
        record.endedAt = WallClock.milliseconds
        record.error = .interrupted
        return record
    }
}

extension HostedAction {
    /// A refusal of the gate as clients see it. With the log's lock held.
    func explain(_ refusal: Refusal, _ state: EventLog.State, at time: Int64) -> ExecutionRefusal {
        if case .queueFull(let limit) = refusal, !state.isStopping { return .queueFull(limit: limit) }
        return .notEnabled(Enabled(reason: reason(of: refusal, state, at: time)))
    }
}

extension ActionDefinition {
    /// What may be shown of an input.
    func shown(_ input: RawJSON) -> RawJSON { schema?.redacting(input) ?? input }
}
