internal import RxPlatform
internal import RxStore
public import RxRecords
internal import Rx
internal import RxAction
public import RxJSON

/// A named reactor: a state that outlives reloads, and the engine that turns actions into the next one.
// Unchecked: the event log's lock guards `levels` and `dispatches`; `lifecycle` has a lock of its own.
public final class HostedReactor: Hosted, @unchecked Sendable {
    let services: HostServices
    // The lock keeps accesses from overlapping, too.
    @exclusivity(unchecked) var levels = ReactorLevelState()
    @exclusivity(unchecked) private var dispatches = PendingDispatches()
    /// `ReactorReplacement` uses it too.
    let lifecycle: Locked<ReactorLifecycle>

    /// - Parameter ring: the events of a reactor of this name that the host had before.
    init(_ definition: ReactorDefinition, _ services: HostServices, after ring: EventRing? = nil) {
        self.services = services
        lifecycle = Locked(ReactorLifecycle(definition))
        super.init(
            name: definition.name, .reactor, ring ?? EventRing(services.catchUp), isLogged: services.store != nil)
    }

    var log: EventLog { services.log }

    /// The definition that holds, or is to hold as soon as its engine has started.
    public var definition: ReactorDefinition { lifecycle.withLock { $0.definition } }

    /// The schema of actions in that definition.
    package var schema: JSONSchema? { lifecycle.withLock { $0.definition.schema } }

    /// Why it has no engine and no state: none could be started.
    public var failure: ReactorFault? { lifecycle.withLock { $0.failure } }

    /// Where its steps are stored, if they are.
    var keptLog: ReactorLog? {
        get { lifecycle.withLock { $0.log } }
        set {
            lifecycle.withLock { $0.log = newValue }
            newValue?.begin()
        }
    }

    // MARK: As something hosted

    public override var access: Access { definition.access }

    override var snapshot: HostedLevels { .reactor(levels.value) }

    override func levels(_ kinds: EventKinds, after cursor: UInt64) -> [HostEvent] {
        guard kinds.contains(.state), levels.mark.cursor > cursor else { return [] }
        let revision = ReactorRevision(levels.revision, levels.state, nil)
        return [
            HostEvent(
                cursor: levels.mark.cursor, time: levels.mark.time, source: self, execution: nil, ordinal: 0,
                change: .state(revision))
        ]
    }

    override func mark(_ change: HostEvent.Change, _ mark: Mark) { levels.mark = mark }

    override func startOfFlight() -> FlightStart? { nil }

    /// The state now, and its revision.
    public var now: ReactorLevels { log.read { _ in levels.value } }

    /// The state and its revision; nil before the first engine has started.
    var begun: ReactorLevels? { log.read { _ in levels.begun } }

    /// Adds `change` to the number of watchers that want patches.
    public func watchPatches(_ change: Int) {
        log.update { [self] _ in levels.watchPatches(by: change) }
    }

    /// The engine that runs; nil if none does.
    var engine: (any ReactorEngine)? { lifecycle.withLock { $0.engine } }

    /// The programs of the definition are written in other lines from now on.
    func move(to lines: [String: SourceLine]) { lifecycle.withLock { $0.move(to: lines) } }

    // MARK: Life

    /// Starts an engine with a state that was kept, or with the engine's own initial one.
    ///
    /// - Parameter store: arranges for steps to be stored, before there is one.
    func start(
        from kept: JSONValue? = nil, revision: UInt64 = 0, as definition: ReactorDefinition,
        store: (any ReactorState) -> Void = { _ in }
    ) throws(ReactorFault) {
        let engine = definition.makeEngine()
        let outlet = makeOutlet()
        let state = try engine.start(from: kept, outlet: outlet)
        store(state)
        begin(engine, outlet, as: definition, with: state, revision: revision)
    }

    /// An outlet for a new engine. The reactor outlives it.
    func makeOutlet() -> Outlet {
        Outlet(onStep: { [unowned self] in reduced($0) }, onFault: { [unowned self] in failed($0) })
    }

    /// Publishes the state of an engine of `definition` that has started, and sends it what was dispatched meanwhile.
    func begin(
        _ engine: any ReactorEngine, _ outlet: Outlet, as definition: ReactorDefinition,
        with state: any ReactorState, revision: UInt64
    ) {
        publish(state, revision, of: definition.fingerprint)
        outlet.open()
        DispatchGate(self).open(for: engine, outlet, as: definition)
    }

    /// Publishes a state that did not follow from a mutation. If the reactor had to go back, it has done so, and the
    /// dispatches that fail are answered.
    private func publish(_ state: any ReactorState, _ revision: UInt64, of fingerprint: String) {
        let lost = log.update { [self] log in
            let other = levels.begin(with: state, revision: revision, of: fingerprint)
            if let other { publish(other, at: services.time, in: &log) }
            return dispatches.begin(with: state, at: revision)
        }
        services.stateListeners.notify(name, PublishedState(self, revision, state))
        guard let (failed, error) = lost else { return }
        for dispatch in failed { answer(dispatch, .failure(.notKept(error))) }
    }

    /// It has no engine, and answers every dispatch with that.
    func fail(_ fault: ReactorFault) {
        let fault = located(fault)
        guard let held = lifecycle.withLock({ $0.fail(fault) }) else { return finishStopping() }
        finishGoingBack()
        fail(held, fault)
    }

    /// Answers dispatches that no engine gets.
    func fail(_ dispatches: [ReactorDispatch], _ fault: ReactorFault) {
        for dispatch in dispatches { answer(dispatch, .failure(.failed(fault))) }
    }

    /// Takes no more dispatches and stops the engine.
    ///
    /// - Parameter completion: called once, on any thread, when the engine has stopped.
    func stop(completion: @escaping @Sendable () -> Void) {
        log.update { [self] _ in dispatches.stop() }
        stopEngine(completion)
    }

    /// Stops the engine because a reload has removed the reactor, after the dispatches that it has taken.
    ///
    /// - Parameters:
    ///   - queue: where the engine is stopped; nil for the calling thread, or the one that ends the last dispatch.
    ///   - completion: called once, on any thread, when the engine has stopped.
    func remove(on queue: WorkQueue?, completion: @escaping @Sendable () -> Void) {
        guard let backlog = lifecycle.withLock({ $0.backlog }) else { return stopEngine(completion) }
        services.drains.drain(backlog) { [self] in
            if let queue { queue.async { [self] in stopEngine(completion) } } else { stopEngine(completion) }
        }
    }

    private func stopEngine(_ completion: @escaping @Sendable () -> Void) {
        switch lifecycle.withLock({ $0.stop(completion: completion) }) {
        case .stop(let engine, let held):
            for dispatch in held { answer(dispatch, .failure(stoppedRefusal)) }
            engine.stop { [self] in
                storeLast()
                completion()
            }
        case .later(let held, let backlog):
            for dispatch in held { answer(dispatch, .failure(stoppedRefusal)) }
            backlog?.cutShort()
        case .none(let held):
            for dispatch in held { answer(dispatch, .failure(stoppedRefusal)) }
            completion()
        }
    }

    /// The engine that was being replaced when the reactor was stopped, or its successor, has stopped.
    func finishStopping() {
        let completion = lifecycle.withLock { $0.finishStopping() }
        storeLast()
        completion?()
    }

    // MARK: Dispatching

    /// Dispatches an action.
    ///
    /// - Parameters:
    ///   - action: the action, as the client sent it.
    ///   - by: who dispatches it, for no other cause.
    ///   - completion: as for `dispatch(_:causes:completion:)`.
    public func dispatch(
        _ action: RawJSON, by: Origin, completion: @escaping @Sendable (Result<UInt64, DispatchRefusal>) -> Void
    ) {
        dispatch(action, causes: Causes(by), completion: completion)
    }

    /// Dispatches an action.
    ///
    /// - Parameters:
    ///   - action: the action, as the client sent it.
    ///   - causes: what led to it; executions that the reactor's rules start continue this chain.
    ///   - completion: called once, on any thread, perhaps before this returns: with the revision that all mutations of
    ///     the action are part of, or with what went wrong.
    public func dispatch(
        _ action: RawJSON, causes: Causes, completion: @escaping @Sendable (Result<UInt64, DispatchRefusal>) -> Void
    ) {
        DispatchGate(self).dispatch(action, causes, completion)
    }

    /// Admits a dispatch, which has to be answered; or returns why not.
    func admit(_ input: ReactorInput) -> DispatchRefusal? {
        log.update { [self] state in dispatches.admit(input, isHostStopping: state.isStopping) }
    }

    /// Whether it takes no more dispatches because the host is stopping.
    package var isStopping: Bool { log.read { [self] state in state.isStopping || dispatches.isStopping } }

    /// Why a reactor that is stopped takes no dispatch: the host is stopping, or a reload has removed the reactor.
    var stoppedRefusal: DispatchRefusal {
        isStopping ? .stopping : .failed(ReactorFault(.stopped, "a reload has removed the reactor"))
    }

    /// All mutations of a dispatch are reduced; the answer waits until they are stored.
    func ended(_ dispatch: ReactorDispatch) {
        let end = log.update { [self] _ in
            let end = dispatches.ended(dispatch, at: levels.revision)
            if case .stored = end { dispatches.answered(dispatch.input) }
            return end
        }
        switch end {
        case .stored(let revision): dispatch.completion(.success(revision))
        case .waits: break
        case .undone(let error): answer(dispatch, .failure(.notKept(error)))
        }
    }

    func answer(_ dispatch: ReactorDispatch, _ result: Result<UInt64, DispatchRefusal>) {
        log.update { [self] _ in dispatches.answered(dispatch.input) }
        dispatch.completion(result)
    }

    // MARK: From the engine

    /// Publishes and stores a step.
    func reduced(_ step: ReactorStep) {
        let kept = keptLog
        let (earlier, wantsPatch) = log.read { _ in
            (levels.state, levels.wantsPatches || !dispatches.steps.areAllSettled)
        }
        let patch = step.patch ?? (wantsPatch || kept != nil ? step.state.patch(from: earlier) : nil)
        let time = services.time
        let (number, start) = log.update { [self] state in
            let revision = levels.reduced(to: step.state, patch)
            publish(revision, at: time, in: &state)
            dispatches.reduced(step.input, patch, step.state, isStored: kept == nil)
            return (revision.number, kept == nil ? nil : levels.start(of: step))
        }
        if let kept { store(step, patch ?? JSONPatch(), number, start, in: kept, at: time) }
        services.stateListeners.notify(name, PublishedState(self, number, step.state, causes: step.input?.causes))
    }

    /// Publishes that it is configured now, and its state if it has one: it may have begun before.
    func publishAdded(at time: Int64) {
        log.update { [self] state in
            state.setLogged(feed.isLogged, self, at: time)
            state.publish(.added, of: self, at: time)
            guard let begun = levels.begun else { return }
            publish(ReactorRevision(begun.revision, begun.state, nil), at: time, in: &state)
        }
    }

    /// With the log's lock held.
    private func publish(_ revision: ReactorRevision, at time: Int64, in state: inout HostState) {
        state.publish(.state(revision), of: self, at: time)
        if state.isWatched(self) { levels.keep(revision) }
    }

    /// Publishes a fault.
    func failed(_ fault: ReactorFault) {
        let fault = located(fault)
        log.update { [self] state in
            _ = state.publish(.fault(fault.shortened), of: self, at: services.time)
        }
        services.onReactorFault?(name, fault)
    }

    /// The fault with the line of its program, and without the secrets of its action.
    func located(_ fault: ReactorFault) -> ReactorFault {
        var located = fault
        if let place = fault.place, place.source == nil { located.place = place.located(in: definition.lines) }
        return definition.schema.map(located.withoutSecrets) ?? located
    }

    // MARK: Storing

    private func store(
        _ step: ReactorStep, _ patch: JSONPatch, _ revision: UInt64, _ start: UInt64?, in kept: ReactorLog,
        at time: Int64
    ) {
        var writer = JSONWriter()
        patch.write(to: &writer)
        var reduction = KeptStep.Reduction(
            by: step.input?.by, action: step.input?.action, mutation: step.mutation(),
            patch: RawJSON(unchecked: writer.bytes))
        reduction.start = start
        if let schema { reduction = reduction.withoutSecrets(of: schema) }
        kept.append(KeptStep(revision: revision, time: time, .reduced(reduction))) { [self] error in
            let (answers, goesBack) = log.update { [self] _ in dispatches.stored(revision, error) }
            for due in answers { answer(due.dispatch, .success(due.revision)) }
            if goesBack { ReactorReplacement(self).goBack() }
        }
        guard kept.needsSnapshot, let levels = levelsToKeep else { return }
        kept.snapshot(step.state, revision: revision, time: time, fingerprint: levels.fingerprint)
    }

    /// The state to be stored as a whole, and the fingerprint of the definition that made it; nil if the reactor has to
    /// go back, so that it is not the one to be stored.
    var levelsToKeep: (value: ReactorLevels, fingerprint: String)? {
        log.read { _ in dispatches.loss == nil ? (levels.value, levels.fingerprint) : nil }
    }

    /// Stores the state at the end if that failed before.
    private func storeLast() {
        finishGoingBack()
        guard let kept = keptLog, kept.isBehind, let now = levelsToKeep else { return }
        kept.snapshot(
            now.value.state, revision: now.value.revision, time: services.time, fingerprint: now.fingerprint)
    }

    // MARK: Going back

    /// Why the reactor has to go back to an earlier state; nil if it need not.
    var loss: StoreError? { log.read { _ in dispatches.loss } }

    /// Where the next engine begins; while there is none, and all its steps are written or lost.
    var end: (state: JSONValue, revision: UInt64) {
        let (now, target) = log.read { _ in (levels.value, dispatches.loss == nil ? nil : dispatches.steps.target) }
        return (target?.tree ?? now.state.tree, now.revision)
    }

    /// Fails a dispatch that its engine could not end because the reactor goes back, as soon as that is done.
    func failWhenBack(_ dispatch: ReactorDispatch, _ error: StoreError) {
        let waits = log.update { [self] _ in dispatches.failsWhenBack(dispatch) }
        if !waits { answer(dispatch, .failure(.notKept(error))) }
    }

    /// Goes back without an engine, if the reactor has to.
    func finishGoingBack() {
        guard loss != nil else { return }
        let (end, fingerprint) = (end, log.read { _ in levels.fingerprint })
        publish(JSONState(end.state), end.revision + 1, of: fingerprint)
        guard let kept = keptLog else { return }
        kept.snapshot(
            JSONState(end.state), revision: end.revision + 1, time: services.time, fingerprint: fingerprint)
    }
}

extension ReactorState {
    /// The state as a tree.
    public var tree: JSONValue {
        if let state = self as? JSONState { return state.value }
        var writer = JSONWriter()
        write(to: &writer)
        return RawJSON(unchecked: writer.bytes).value()
    }
}

extension ReactorFault {
    /// The fault without its input if that is larger than an event should carry.
    var shortened: ReactorFault {
        guard let input, input.utf8.count > ExecutionRecord.inputBytesKept else { return self }
        var fault = self
        fault.input = nil
        return fault
    }
}
