public import RxPlatform
public import RxRecords
public import RxStore
public import RxAction
public import RxJSON
internal import Rx
internal import Synchronization

/// Hosts actions by name and executes them.
public final class Host: Sendable {
    /// Limits of execution keys.
    public typealias KeyLimits = ExecutionKeyLimits

    /// Identifies the log, which the cursors count: eight hexadecimal digits. Without a store, another one for each
    /// host; with one, another one only after events may have been lost.
    public let epoch: String
    /// The earlier epochs of the log, each with the number after which the next one began.
    private let earlierEpochs: [String: UInt64]
    /// The view of the host: its levels, executions, and events.
    public let log: EventLog
    let services: HostServices
    let keys: ExecutionKeys
    /// The salt of the hashes by which keys recognize their inputs.
    let inputSalt: InputSalt
    let current: Locked<Registry>
    let reloads = Atomic<UInt64>(0)
    private let lastRequester = Atomic<UInt64>(0)
    /// Actions that are no longer configured, kept for work they have in flight, for their return, and for readers of
    /// the events that they have in the log.
    let retired = Locked<[String: HostedAction]>([:])
    /// Reactors that are no longer configured, by name.
    let formerReactorsByName = Locked<[String: FormerReactor]>([:])
    /// Reactors of a reload that is not in force yet: others that start with them listen to their states.
    let starting = Locked<[String: HostedReactor]>([:])
    let hostedStreams: HostStreams
    private let recovery: HostRecovery

    /// - Parameters:
    ///   - definitions: the actions.
    ///   - reactors: the reactors.
    ///   - store: stores history, durable inputs, and switches; without one they last as long as the host.
    ///   - stateStore: stores the states of reactors that persist, likewise.
    ///   - keys: limits of `ExecutionRequest.key`.
    ///   - catchUp: limits of the events that `EventLog.nextPortion` can return.
    ///   - onEnd: called at the end of each execution whose definition has `logsEnds`, outside of any lock; not for
    ///     those that the next host starts.
    ///   - onRetry: called after each failure that is followed by another attempt.
    ///   - onReactorFault: called after each failure in a reactor, for logs.
    ///   - platform: the outside world; the stores should have the same.
    public init(
        _ definitions: [ActionDefinition] = [], reactors: [ReactorDefinition] = [], store: ExecutionStore? = nil,
        stateStore: StateStore? = nil, keys: KeyLimits = KeyLimits(),
        catchUp: CatchUpLimits = CatchUpLimits(), onEnd: (@Sendable (ExecutionRecord) -> Void)? = nil,
        onRetry: (@Sendable (RetryNote) -> Void)? = nil,
        onReactorFault: (@Sendable (_ reactor: String, ReactorFault) -> Void)? = nil, platform: Platform = .system
    ) {
        let recovery = store?.takeRecovery()
        let digits = String(UInt32(truncatingIfNeeded: platform.entropy.next()), radix: 16)
        earlierEpochs = recovery?.log.earlier ?? [:]
        epoch = recovery?.log.epoch ?? String(repeating: "0", count: 8 - digits.count) + digits
        self.keys = ExecutionKeys(keys, owner: platform.disk.user())
        services = HostServices(
            platform: platform, catchUp: catchUp, store: store, stateStore: stateStore,
            switches: recovery?.switches ?? [:], keys: self.keys, onEnd: onEnd, onRetry: onRetry,
            onReactorFault: onReactorFault)
        log = services.log
        inputSalt =
            recovery?.inputSalt ?? InputSalt(low: platform.entropy.next(), high: platform.entropy.next())
        current = Locked(
            Registry(
                definitions.map { [services, keys = self.keys] in HostedAction($0, services, keys) },
                reactors.map { [services] in HostedReactor($0, services) }))
        let recovered = recovery?.log ?? RecoveredLog()
        func logged(_ kind: HostedKind) -> Set<String> {
            Set(recovered.names.lazy.filter { $0.kind == kind.rawValue && $0.since != nil }.map(\.name))
        }
        let names = Set(recovered.streams.events.map(\.name)).union(logged(.stream))
        let feeds = Dictionary(uniqueKeysWithValues: names.map { ($0, StreamFeed($0, catchUp)) })
        hostedStreams = HostStreams(services, recovered: feeds)
        self.recovery = HostRecovery(of: recovery, services, self.keys)
        guard recovery != nil else { return }
        let registry = registry
        func isGone(_ name: String) -> Bool { registry[name] == nil && registry.reactor(name) == nil }
        let gone = recovered.actions.union(logged(.action)).filter(isGone)
            .map { HostedAction(.unconfigured($0), services, self.keys) }
        let retired = Dictionary(uniqueKeysWithValues: gone.map { ($0.name, $0) })
        let reactors = logged(.reactor).filter { isGone($0) && retired[$0] == nil }
            .map { FormerReactor($0, catchUp) }
        let formerReactors = Dictionary(uniqueKeysWithValues: reactors.map { ($0.name, $0) })
        log.retire(gone)
        self.retired.withLock { $0 = retired }
        self.formerReactorsByName.withLock { $0 = formerReactors }
        log.begin(
            with: recovered, registry.actions, registry.reactors + gone + reactors,
            { registry[$0] ?? registry.reactor($0) ?? retired[$0] ?? formerReactors[$0] },
            { feeds[$0] },
            at: services.time)
    }

    /// Where a reader begins that has a cursor of the log with this epoch.
    public func start(after number: UInt64, ofLog epoch: String) -> EventStart {
        guard epoch != self.epoch else { return .cursor(number) }
        return .cursorOfAnother(continuation: earlierEpochs[epoch].map { min(number, $0) })
    }

    /// What the host keeps for each user.
    package var memory: UserMemoryTable { services.memory }
    /// The outside world that the host uses.
    public var platform: Platform { services.platform }
    /// Milliseconds since 1970.
    package var time: Int64 { services.time }
    /// The store of executions; nil for a host that keeps everything in memory.
    public var store: ExecutionStore? { services.store }
    /// The actions and reactors of the present configuration.
    public var registry: Registry { current.withLock { $0 } }

    /// Grows with each new registry.
    public var generation: UInt64 { reloads.load(ordering: .acquiring) }

    /// The values that an earlier host has stored of streams, by the names of their owners; until `resume`.
    public var storedStreams: [String: [String: RawJSON]] { recovery.streams }

    /// Takes over what an earlier host left in the store: durable inputs start in the order of their acceptance, and
    /// keys refer to the same executions.
    ///
    /// - Returns: what it left. Inputs whose action is no longer configured, or no longer durable, are among the
    ///   interrupted.
    @discardableResult
    public func resume() -> Recovery { recovery.resume(in: registry, retired.withLock { $0 }) }

    // MARK: Executing

    /// A token for `ExecutionRequest.requester`, which no other request of this host has.
    public func makeRequester() -> UInt64 { lastRequester.wrappingAdd(1, ordering: .relaxed).newValue }

    /// Executes, starts, queues, or joins, as the action's work and overlap demand.
    ///
    /// The check whether the action is enabled and the start are one step: of two callers at the same moment, one is
    /// refused. Refusals because the action is not enabled or its queue is full are published as errors of the action
    /// too.
    ///
    /// - Parameters:
    ///   - action: the action to execute.
    ///   - request: the input and its origin.
    ///   - observer: makes a function that is called with the execution's elements and its end, outside of any lock, on
    ///     the work's thread; with the past first if the request joins an execution. Not called if the result is
    ///     `done`.
    public func submit(
        _ action: HostedAction, _ request: ExecutionRequest, observer: () -> ExecutionEvent.Observer? = { nil }
    ) -> Submission {
        submit(action, request, making: { observer().map { ExecutionObserver($0) } })
    }

    private func submit(
        _ action: HostedAction, _ request: ExecutionRequest, making observer: () -> ExecutionObserver?
    ) -> Submission {
        let definition = action.currentDefinition
        if request.isPlain, let work = definition.brief {
            let faults = request.validation?.faults(under: definition)
            let redaction = request.validation?.redaction(under: definition)
            switch execute(action, work, request.input, request.causes, faults: faults, redaction) {
            case .done(let execution): return .done(execution)
            case .invalid(let faults): return .refused(.input(faults))
            case .notBrief: break
            }
        }
        return accept(action, request, observer)
    }

    /// Submits a request of a requester that wants the first elements at the end. All requests of a user collect them
    /// together.
    ///
    /// - Parameters:
    ///   - action: the action to execute.
    ///   - request: the input and its origin.
    ///   - collecting: makes what is called at the end; not called if the result is `done`.
    public func submitCollecting(
        _ action: HostedAction, _ request: ExecutionRequest, _ collecting: () -> ElementCollecting?
    ) -> Submission {
        submit(action, request, making: { collecting().map { ExecutionObserver(.elements($0)) } })
    }

    /// The part of `submit` for work that needs an execution with an object of its own.
    func accept(
        _ action: HostedAction, _ request: ExecutionRequest, _ observer: () -> ExecutionObserver?
    ) -> Submission {
        let definition = action.currentDefinition
        let validation = InputValidation.of(
            request.input, request.validation, under: definition, at: services.time)
        guard validation.faults.isEmpty else { return .refused(.input(validation.faults)) }
        let memory = request.causes.origin.uid.map { services.memory[$0] }
        let redaction = validation.redaction ?? InputRedaction(definition.value.schema, request.input)
        let bytes = HostedExecution.bytesKept(ofInput: request.input, redaction)
        let isFull = memory?.mayKeep(bytes) == false
        let key = request.key.map { key in
            ExecutionKey(key, by: request.by, inputHash: validation.inputHash ?? inputSalt.hash(request.input))
        }
        let isDurable = definition.value.isDurable || request.claim != nil || request.dueAt != nil
        let durability =
            services.store != nil && (isDurable || key != nil) ? Durability(isDurable: isDurable) : nil
        let observer = observer()
        let execution = HostedExecution(
            id: services.ids.next(), action: action, definition: definition, request: request, key: key,
            group: validation.group, durability: durability, redaction: redaction, observer: observer,
            waits: request.dueAt != nil || request.after != nil, charge: memory?.charge(bytes), time: services.time)
        guard let key else {
            let result = start(execution, request, observer, isFull: isFull)
            // Another request may wait for its end already.
            if case .refused = result { execution.dismiss(own: observer) }
            return result
        }
        if let early = claim(key, for: execution, request, observer) { return early }
        let result = start(execution, request, observer, isFull: isFull)
        if case .refused = result {
            keys.release(key, of: execution)
            execution.dismiss(own: observer)
        }
        return result
    }

    /// - Returns: nil if the key refers to `execution` from now on.
    private func claim(
        _ key: ExecutionKey, for execution: HostedExecution, _ request: ExecutionRequest,
        _ observer: ExecutionObserver?
    ) -> Submission? {
        while true {
            switch keys.claim(key, request.input, for: execution, at: services.platform.monotonicClock.now) {
            case .granted: return nil
            case .known(let known, let unstored):
                let unstored = unstored.map { (key, $0) }
                if let joined = join(known, request, observer, unstored) { return .accepted(joined) }
                // Its input was refused at this very moment: the key is free again.
                keys.release(key, of: known)
            case .otherInput: return .refused(.keyReused)
            case .full(let limit): return .refused(.tooManyKeys(limit: limit))
            case .shareTaken(let limit): return .refused(.tooManyKeysOfUser(limit: limit))
            }
        }
    }

    /// What `submit` would do with `input` now. It changes nothing.
    ///
    /// - Parameters:
    ///   - action: the action.
    ///   - input: the input.
    ///   - validation: the result for the input, if it was validated already.
    public func check(
        _ action: HostedAction, _ input: RawJSON, _ validation: InputValidation? = nil
    ) -> Result<Outlook, ExecutionRefusal> {
        let definition = action.currentDefinition
        let validation = InputValidation.of(input, validation, under: definition, at: services.time)
        guard validation.faults.isEmpty else { return .failure(.input(validation.faults)) }
        switch action.outlook(in: validation.group) {
        case .success(let outlook): return log.isStopping ? .failure(.stopping) : .success(outlook)
        case .failure(let refusal): return .failure(log.explain(refusal, of: action))
        }
    }

    /// - Parameter isFull: whether too much is kept for the user already.
    private func start(
        _ execution: HostedExecution, _ request: ExecutionRequest, _ observer: ExecutionObserver?, isFull: Bool
    ) -> Submission {
        let action = execution.action
        if isFull, !keepsNothing(execution) {
            return .refused(.tooManyBytesOfUser(limit: services.memory.limit))
        }
        if request.dueAt != nil || request.after != nil {
            switch services.scheduled.accept(execution, request.dueAt, request.after) {
            case .waits:
                let disposition: AcceptedExecution.Disposition = request.dueAt == nil ? .queued : .scheduled
                return .accepted(accepted(execution, disposition, observer, request))
            case .refused(let refusal): return .refused(refusal)
            case .needNotWait: break
            }
        }
        while true {
            if let refusal = log.accept(execution) { return .refused(refusal) }
            switch action.start(execution) {
            case .started:
                return .accepted(accepted(execution, .started, observer, request))
            case .queued:
                return .accepted(accepted(execution, .queued, observer, request))
            case .joined(let id):
                // If that one has ended meanwhile, the gate decides again.
                let unstored = execution.key.flatMap { key in
                    services.store == nil ? nil : (key, Durability(isDurable: execution.definition.value.isDurable))
                }
                guard let known = log.replace(execution, by: id),
                    let joined = join(known, request, observer, unstored)
                else { continue }
                if let key = execution.key {
                    keys.move(key, from: execution, to: known, unstored: unstored?.1)
                    if let (key, stored) = unstored { store(key, of: known, stored) }
                }
                execution.dismiss(own: observer)
                return .accepted(joined)
            case .refused(let refusal):
                return .refused(log.refuse(execution, refusal, publishes: request.publishesRefusal))
            }
        }
    }

    /// Whether hardly anything would be kept: it would join, be refused, or start with a short input, and the work that
    /// is in progress is bounded by its action.
    private func keepsNothing(_ execution: HostedExecution) -> Bool {
        guard !execution.isAhead else { return false }
        switch execution.action.outlook(in: execution.group) {
        case .success(.joins), .failure: return true
        case .success(.starts): return execution.hasShortInput
        case .success(.waits): return false
        }
    }

    /// Stores a key that joined an execution.
    private func store(_ key: ExecutionKey, of execution: HostedExecution, _ stored: Durability) {
        let record = log.record(of: execution).withoutLongInput
        services.store?.keyed(key, record, isDurable: stored.isDurable) { [keys] error in
            if error == nil {
                keys.stored(key, of: execution)
            } else {
                keys.release(key, of: execution)
            }
            stored.accepted(error)
        }
        // If it has ended meanwhile, its end may have come to the store before the key.
        execution.storeEndOfKeys()
    }

    private func accepted(
        _ execution: HostedExecution, _ disposition: AcceptedExecution.Disposition, _ observer: ExecutionObserver?,
        _ request: ExecutionRequest
    ) -> AcceptedExecution {
        AcceptedExecution(
            execution: execution, disposition: disposition, attachment: nil, keys: keys, observer: observer,
            durability: execution.durability, requester: request.requester, isWatched: request.isWatched)
    }

    /// - Parameter unstoredKey: the key of the request, and what completes when it is stored; nil if it is.
    private func join(
        _ execution: HostedExecution, _ request: ExecutionRequest, _ observer: ExecutionObserver?,
        _ unstoredKey: (key: ExecutionKey, stored: Durability)?
    ) -> AcceptedExecution? {
        guard let admission = execution.attach(request, observer, waits: unstoredKey != nil) else { return nil }
        return AcceptedExecution(
            execution: execution, disposition: .joined, attachment: admission.readyAttachment, keys: keys,
            observer: admission.observer, durability: admission.durability, unstoredKey: unstoredKey,
            requester: request.requester, isWatched: request.isWatched)
    }

    // MARK: Known executions

    /// An execution in flight, or one that ended recently; nil if it is not known any more.
    public func execution(_ id: ExecutionID) -> HostedExecution? {
        log.execution(id).flatMap { hosted($0) }
    }

    /// The executions with these ids that are in flight or ended recently; faster than one by one.
    public func executions(_ ids: [ExecutionID]) -> [ExecutionID: HostedExecution] {
        log.executions(ids).compactMapValues { hosted($0) }
    }

    private func hosted(_ known: KnownExecution) -> HostedExecution? {
        switch known {
        case .hosted(let execution): return execution
        case .brief(let execution):
            let past = self.past(execution.record)
            past?.noteFirstRecord(execution.base + 1)
            return past
        case .past(let record, _): return past(record)
        }
    }

    /// An execution of which only the history has a record, for readers of the events that its action keeps; nil if the
    /// host does not know the action.
    public func past(_ record: ExecutionRecord) -> HostedExecution? {
        guard let action = registry[record.action] ?? retired.withLock({ $0[record.action] }) else { return nil }
        return HostedExecution(ended: record, action: action)
    }

    // MARK: Switching

    /// Disables an action because a condition does not hold, or enables it again with nil. To be called by one thread
    /// at a time for each action.
    public func set(unmet: UnmetCondition?, of action: HostedAction) {
        ActionSwitching(action: action).set(unmet)
    }

    /// Switches an action off, so that it takes no input and starts nothing that is queued; or on again, with nil.
    ///
    /// - Parameters:
    ///   - manual: who switches the action off, and why; nil switches it on.
    ///   - action: the action to switch.
    ///   - completion: called once, on any thread, when the switch is stored, or with the error if it is not.
    public func set(
        _ manual: ManualSwitch?, of action: HostedAction, completion: @escaping @Sendable (StoreError?) -> Void
    ) {
        ActionSwitching(action: action).set(manual) { [store] in
            guard let store else { return completion(nil) }
            store.set(manual, of: action.name, completion: completion)
        }
    }
}
