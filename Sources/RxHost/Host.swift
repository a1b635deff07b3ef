public import RxRecords
public import RxStore
public import RxAction
public import RxJSON
internal import Rx
internal import Synchronization

/// Hosts actions by name and executes them.
public final class Host: Sendable {
    public struct KeyLimits: Sendable, Equatable {
        /// Keys remembered at a time.
        public var count = 10_000
        public var lifetime = Duration.seconds(3600)

        public init() {}
    }

    /// What is kept of each action's events for readers that come late or come back.
    public struct ReplayLimits: Sendable, Equatable {
        public var events = 10_000
        /// Of memory, about.
        public var bytes = 4 << 20

        public init() {}
    }

    /// Tells this host's cursors from those of another start: eight hexadecimal digits.
    public let epoch: String
    let services: HostServices
    let current: Locked<Registry>
    let reloads = Atomic<UInt64>(0)
    /// Actions that are no longer configured, kept for work they have in flight and for their return.
    let retired = Locked<[String: HostedAction]>([:])
    /// What the store had of an earlier host, until `resume`.
    let recovery: Locked<Recovery?>

    /// - Parameters:
    ///   - store: keeps history, durable inputs and switches; without one they last as long as the host.
    ///   - stateStore: keeps the states of reactors that persist, likewise.
    ///   - replay: bounds of what `EventLog.replay` can bring back.
    ///   - keys: bounds of what `ExecutionRequest.key` promises.
    ///   - onEnd: called at the end of each execution that is not inline, outside of any lock, for logs; not of those that
    ///     the next host starts.
    ///   - onRetry: called after each failure that is followed by another attempt.
    ///   - onReactorFault: called after each failure in a reactor, for logs.
    public init(
        _ definitions: [ActionDefinition] = [], reactors: [ReactorDefinition] = [], store: ExecutionStore? = nil,
        stateStore: StateStore? = nil, keys: KeyLimits = KeyLimits(),
        replay: ReplayLimits = ReplayLimits(), onEnd: (@Sendable (ExecutionRecord) -> Void)? = nil,
        onRetry: (@Sendable (RetryNote) -> Void)? = nil,
        onReactorFault: (@Sendable (_ reactor: String, ReactorFault) -> Void)? = nil
    ) {
        let digits = String(UInt32.random(in: 0...UInt32.max), radix: 16)
        epoch = String(repeating: "0", count: 8 - digits.count) + digits
        let recovery = store?.takeRecovery()
        self.recovery = Locked(recovery)
        services = HostServices(
            replay: replay, store: store, stateStore: stateStore,
            keys: ExecutionKeys(limit: keys.count, lifetime: keys.lifetime),
            switches: recovery?.switches ?? [:], onEnd: onEnd, onRetry: onRetry, onReactorFault: onReactorFault)
        current = Locked(
            Registry(
                definitions.map { [services] in HostedAction($0, services) },
                reactors.map { [services] in HostedReactor($0, services) }))
    }

    public var log: EventLog { services.log }
    public var store: ExecutionStore? { services.store }
    public var registry: Registry { current.withLock { $0 } }

    /// Grows with each new registry.
    public var generation: UInt64 { reloads.load(ordering: .acquiring) }

    // MARK: Executing

    /// Executes one input: `submit`, for who needs no more than the execution.
    public func execute(
        _ action: HostedAction, _ request: ExecutionRequest
    ) -> Result<HostedExecution, ExecutionRefusal> {
        submit(action, request).map { accepted in
            if !accepted.isKept { accepted.whenKept { _ in } }
            return accepted.execution
        }
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
        let observer = request.observer.map { ExecutionObserver(isLive: true, $0) }
        let execution = HostedExecution(
            id: ExecutionID(), action: action, definition: definition, request: request, key: key,
            durability: durability, observer: observer, time: WallClock.milliseconds)
        guard let key else { return start(execution, request, observer) }
        if let early = claim(key, for: execution, request) { return early }
        let result = start(execution, request, observer)
        if case .failure = result {
            services.keys.release(key, of: execution)
            execution.dismiss(own: observer)
        }
        return result
    }

    /// - Returns: nil if the key means `execution` from now on.
    private func claim(
        _ key: ExecutionKey, for execution: HostedExecution, _ request: ExecutionRequest
    ) -> Result<AcceptedExecution, ExecutionRefusal>? {
        while true {
            switch services.keys.claim(key, for: execution, at: execution.record.queuedAt) {
            case .granted: return nil
            case .known(let known):
                if let joined = join(known, request) { return .success(joined) }
                // Its input was refused at this very moment: the key means nothing yet.
                services.keys.release(key, of: known)
            case .otherInput: return .failure(.keyReused)
            case .full(let limit): return .failure(.tooManyKeys(limit: limit))
            }
        }
    }

    /// What `submit` would do with `input` now, and nothing else.
    public func check(_ action: HostedAction, _ input: RawJSON) -> Result<Outlook, ExecutionRefusal> {
        let faults = action.currentDefinition.value.validate(input)
        guard faults.isEmpty else { return .failure(.input(faults)) }
        switch action.outlook() {
        case .success(let outlook): return log.isStopping ? .failure(.stopping) : .success(outlook)
        case .failure(let refusal): return .failure(log.explain(refusal, of: action))
        }
    }

    private func start(
        _ execution: HostedExecution, _ request: ExecutionRequest, _ observer: ExecutionObserver?
    ) -> Result<AcceptedExecution, ExecutionRefusal> {
        let action = execution.action
        while true {
            if let refusal = log.accept(execution) { return .failure(refusal) }
            switch action.start(execution) {
            case .started:
                return .success(accepted(execution, .started, observer, request))
            case .queued:
                return .success(accepted(execution, .queued, observer, request))
            case .joined(let id):
                // If that one has ended meanwhile, the gate is asked again.
                guard let known = log.replace(execution, by: id), let joined = join(known, request) else { continue }
                if let key = execution.key {
                    services.keys.move(key, from: execution, to: known)
                    execution.dismiss(own: observer)
                }
                return .success(joined)
            case .refused(let refusal):
                return .failure(log.refuse(execution, refusal))
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
        guard let admission = execution.attach(request) else { return nil }
        let durability = admission.durability
        return AcceptedExecution(
            execution: execution, disposition: .joined, attachment: durability == nil ? admission.attachment : nil,
            observer: admission.observer, durability: durability, isWatched: request.isWatched)
    }

    // MARK: The past

    /// An execution of which only the history has a record, for readers of what its action keeps; nil if there is no such
    /// action any more.
    public func past(_ record: ExecutionRecord) -> HostedExecution? {
        guard let action = registry[record.action] ?? retired.withLock({ $0[record.action] }) else { return nil }
        return HostedExecution(ended: record, action: action)
    }

    // MARK: Switching

    /// Whoever watches over the condition of an action says that it does not hold, or nil: that nothing is in the way. To be
    /// called by one thread at a time for each action.
    public func set(unmet: UnmetCondition?, of action: HostedAction) {
        action.switches.set(unmet, of: action)
    }

    /// Switches an action off, so that it takes no input and starts nothing that waits; or on again, with nil.
    ///
    /// - Parameter completion: called when that will outlive the host, on any thread, or with the reason why not.
    public func set(
        _ manual: ManualSwitch?, of action: HostedAction, completion: @escaping @Sendable (StoreError?) -> Void
    ) {
        action.switches.set(manual, of: action) { [store] in
            guard let store else { return completion(nil) }
            store.set(manual, of: action.name, completion: completion)
        }
    }
}

extension ActionDefinition {
    /// What may be shown of an input.
    func shown(_ input: RawJSON) -> RawJSON { schema?.redacting(input) ?? input }
}
