internal import RxPlatform
internal import RxStore
public import RxRecords
internal import Rx
internal import RxAction
public import RxJSON

/// A named reactor: a state that outlives reloads, and the engine that turns actions into the next one.
// Unchecked: the event log's lock guards `levels` and `dispatches`.
public final class HostedReactor: Hosted, @unchecked Sendable {
    let services: HostServices
    // The lock keeps accesses from overlapping, too.
    @exclusivity(unchecked) var levels = ReactorLevelState()
    @exclusivity(unchecked) private var dispatches = PendingDispatches()
    /// `ReactorReplacement` uses it too.
    let lifecycle: Locked<ReactorLifecycle>

    init(_ definition: ReactorDefinition, _ services: HostServices) {
        self.services = services
        lifecycle = Locked(ReactorLifecycle(definition))
        super.init(name: definition.name, services.replay, isLogged: services.store != nil)
    }

    var log: EventLog { services.log }

    /// The definition that holds, or is to hold as soon as its engine has started.
    public var definition: ReactorDefinition { lifecycle.withLock { $0.definition } }

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
        log.update { [self] log in
            dispatches.begin(at: revision)
            let other = levels.begin(with: state, revision: revision, of: definition.fingerprint)
            if let other { publish(other, at: services.time, in: &log) }
        }
        services.stateListeners.notify(name, PublishedState(self, revision, state))
        outlet.open()
        let backlog = EngineBacklog()
        while true {
            switch lifecycle.withLock({ $0.run(engine, outlet, backlog, as: definition) }) {
            case .send(let held):
                for dispatch in held { carryOut(dispatch, with: engine, backlog, as: definition) }
            case .running: return
            case .stop: return engine.stop { [self] in finishStopping() }
            }
        }
    }

    /// It has no engine, and answers every dispatch with that.
    func fail(_ fault: ReactorFault) {
        let fault = located(fault)
        guard let held = lifecycle.withLock({ $0.fail(fault) }) else { return finishStopping() }
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
        case .stop(let engine):
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
        let validation = lifecycle.withLock { $0.definition.validation }
        let input: ReactorInput
        do throws(DispatchRefusal) {
            input = try validation.validate(action, causes)
        } catch {
            return completion(.failure(error))
        }
        let (refusal, since) = log.update { [self] state in
            (dispatches.admit(input, isHostStopping: state.isStopping), levels.revision)
        }
        if let refusal { return completion(.failure(refusal)) }
        pass(ReactorDispatch(input: input, since: since, completion: completion), validatedBy: validation.number)
    }

    /// Sends a dispatch to the engine, or holds it until there is one.
    private func pass(_ dispatch: ReactorDispatch, validatedBy number: UInt64) {
        switch lifecycle.withLock({ $0.dispatch(dispatch, validatedBy: number) }) {
        case .send(let engine, let backlog): send(dispatch, to: engine, backlog)
        case .validate(let validation):
            // The definition has changed meanwhile: validating takes a while.
            if let dispatch = validated(dispatch, by: validation) { pass(dispatch, validatedBy: validation.number) }
        case .held: break
        case .refuse(.stopping): answer(dispatch, .failure(stoppedRefusal))
        case .refuse(let refusal): answer(dispatch, .failure(refusal))
        }
    }

    /// Why a reactor that is stopped takes no dispatch: the host is stopping, or a reload has removed the reactor.
    private var stoppedRefusal: DispatchRefusal {
        let isStopping = log.read { [self] state in state.isStopping || dispatches.isStopping }
        return isStopping ? .stopping : .failed(ReactorFault(.stopped, "a reload has removed the reactor"))
    }

    /// The dispatch as another definition validates it; nil if that refuses it, and it is answered.
    private func validated(_ dispatch: ReactorDispatch, by validation: DispatchValidation) -> ReactorDispatch? {
        do throws(DispatchRefusal) {
            let input = try validation.validate(dispatch.input.action, dispatch.input.causes)
            return ReactorDispatch(input: input, since: dispatch.since, completion: dispatch.completion)
        } catch {
            answer(dispatch, .failure(error))
            return nil
        }
    }

    /// Sends a dispatch that was held to an engine of `definition`, which need not be the one that validated it.
    private func carryOut(
        _ held: ReactorDispatch, with engine: any ReactorEngine, _ backlog: EngineBacklog,
        as definition: ReactorDefinition
    ) {
        guard let dispatch = validated(held, by: definition.validation) else { return }
        backlog.enter()
        send(dispatch, to: engine, backlog)
    }

    /// Sends a dispatch that has entered the backlog.
    private func send(_ dispatch: ReactorDispatch, to engine: any ReactorEngine, _ backlog: EngineBacklog) {
        engine.dispatch(dispatch.input) { [self] fault in
            switch fault {
            case nil: reduced(dispatch)
            case let fault? where fault.stage == .stopped: stopped(dispatch, fault)
            case let fault?: answer(dispatch, .failure(.failed(located(fault))))
            }
            backlog.leave()
        }
    }

    /// The engine was stopped before it had answered a dispatch.
    private func stopped(_ dispatch: ReactorDispatch, _ fault: ReactorFault) {
        if fault.isWithoutEffect, lifecycle.withLock({ $0.giveBack(dispatch) }) { return }
        if case .stopping = stoppedRefusal { return answer(dispatch, .failure(.stopping)) }
        let message = "a reload ended the reactor's engine before the action had ended"
        answer(dispatch, .failure(.failed(ReactorFault(.stopped, message, input: fault.input))))
    }

    /// All mutations of a dispatch are reduced; the answer waits until they are stored.
    private func reduced(_ dispatch: ReactorDispatch) {
        guard keptLog != nil else {
            let revision = log.update { [self] _ in
                dispatches.answered(dispatch.input)
                return levels.revision
            }
            return dispatch.completion(.success(revision))
        }
        let stored = log.update { [self] _ -> UInt64? in
            let revision = levels.revision
            // Not the newest revision at the time of the answer: that one may not be stored yet.
            return dispatches.wait(for: revision) { [self] in answerStored(dispatch, revision) } ? nil : revision
        }
        if let stored { answerStored(dispatch, stored) }
    }

    private func answerStored(_ dispatch: ReactorDispatch, _ revision: UInt64) {
        let loss = log.update { [self] _ in
            dispatches.answered(dispatch.input)
            return dispatches.loss(since: dispatch.since)
        }
        dispatch.completion(loss.map { .failure(.notKept($0)) } ?? .success(revision))
    }

    private func answer(_ dispatch: ReactorDispatch, _ result: Result<UInt64, DispatchRefusal>) {
        log.update { [self] _ in dispatches.answered(dispatch.input) }
        dispatch.completion(result)
    }

    // MARK: From the engine

    /// Publishes and stores a step.
    func reduced(_ step: ReactorStep) {
        let kept = keptLog
        let (earlier, wantsPatch) = log.read { _ in (levels.state, levels.wantsPatches) }
        let patch = step.patch ?? (wantsPatch || kept != nil ? step.state.patch(from: earlier) : nil)
        let time = services.time
        let (number, start) = log.update { [self] state in
            let revision = levels.reduced(to: step.state, patch)
            publish(revision, at: time, in: &state)
            return (revision.number, kept == nil ? nil : levels.start(of: step))
        }
        if let kept { store(step, patch ?? JSONPatch(), number, start, in: kept, at: time) }
        services.stateListeners.notify(name, PublishedState(self, number, step.state))
    }

    /// Publishes that it is configured now, and its state if it has one: it may have begun before.
    func publishAdded(at time: Int64) {
        log.update { [self] state in
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

    /// The fault with the line of its program.
    private func located(_ fault: ReactorFault) -> ReactorFault {
        guard let place = fault.place, place.source == nil else { return fault }
        var located = fault
        located.place = place.located(in: definition.lines)
        return located
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
        kept.append(KeptStep(revision: revision, time: time, .reduced(reduction))) { [self] error in
            let answers = log.update { [self] _ in dispatches.stored(revision, error) }
            for answer in answers { answer() }
        }
        if kept.needsSnapshot {
            let fingerprint = log.read { _ in levels.fingerprint }
            kept.snapshot(step.state, revision: revision, time: time, fingerprint: fingerprint)
        }
    }

    /// Stores the state at the end if that failed before.
    private func storeLast() {
        guard let kept = keptLog, kept.isBehind else { return }
        let (now, fingerprint) = log.read { _ in (levels.value, levels.fingerprint) }
        kept.snapshot(now.state, revision: now.revision, time: services.time, fingerprint: fingerprint)
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
