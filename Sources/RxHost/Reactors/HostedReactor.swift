public import RxStore
public import RxRecords
internal import Rx
internal import RxAction
public import RxJSON

/// A named reactor: a state that outlives reloads, and the engine that turns actions into the next one.
// Unchecked: `levels` is guarded by the event log's lock.
public final class HostedReactor: Hosted, @unchecked Sendable {
    /// Dispatches that may be unanswered: more than a pipelining client has, and what keeps a slow engine's line short.
    public static let dispatchesWaiting = 10_000
    /// States that may wait to be told, each of which may be large; of more, only the newest are.
    static let revisionsWaiting = 64

    /// With the log's lock held.
    struct Levels {
        var revision: UInt64 = 0
        var state: any ReactorState = JSONState(.null)
        /// Before, there is no state.
        var hasBegun = false
        /// When it was told last.
        var mark = Mark()
        /// Of those who watch, how many want patches.
        var patchWatchers = 0
        /// Told, oldest first, and perhaps not yet looked at.
        var waiting: [ReactorRevision] = []
        var unanswered = 0
        var isStopping = false
        var keeping = Keeping()
    }

    /// What is known of the steps that were given to the store.
    struct Keeping {
        /// All up to here are kept, or are lost.
        var through: UInt64 = 0
        /// The newest that was lost, and why.
        var lost: (revision: UInt64, error: StoreError)?
        /// Dispatches that wait for a revision to be kept, in order.
        var waiting: [(revision: UInt64, answer: @Sendable () -> Void)] = []
        /// The action whose mutations are told, and the revision of the first one, if it may be dispatched again.
        var repeated: (input: ReactorInput, start: UInt64)?

        /// The revision of the first mutation of the same action.
        mutating func start(of step: ReactorStep, _ revision: UInt64) -> UInt64? {
            guard step.isRepeatable, let input = step.input else { return nil }
            if let repeated, repeated.input === input { return repeated.start }
            repeated = (input, revision)
            return revision
        }

        /// - Returns: who need wait no longer.
        mutating func ended(_ revision: UInt64, _ error: StoreError?) -> [@Sendable () -> Void] {
            through = max(through, revision)
            if let error { lost = (revision, error) }
            let count = waiting.prefix { $0.revision <= through }.count
            defer { waiting.removeFirst(count) }
            return waiting.prefix(count).map(\.answer)
        }
    }

    var levels = Levels()
    let current: Locked<Current>

    struct Current {
        var definition: ReactorDefinition
        var log: ReactorLog?
        var phase = Phase.waiting([])
        /// Definitions that are to hold one after the other, the first of which is being changed to.
        var changes: [Change] = []
        /// Whether somebody sees to these,
        var isChanging = false
        /// and for that an engine is being stopped or started.
        var isReplacing = false
    }

    enum Phase {
        /// Until it is started, or while its engine is replaced: what is dispatched waits.
        case waiting([Dispatch])
        case running(any ReactorEngine, Outlet)
        /// It could not be started; another definition may do better.
        case failed(ReactorFault)
        /// While its engine is replaced, there is more to stop.
        case stopped(whenChanged: (@Sendable () -> Void)? = nil)
    }

    struct Change {
        let from: ReactorDefinition
        let to: ReactorDefinition
        let completion: @Sendable (ReactorFault?) -> Void
    }

    struct Dispatch {
        let input: ReactorInput
        /// The revision when it came.
        let since: UInt64
        let completion: @Sendable (Result<UInt64, DispatchRefusal>) -> Void
    }

    init(_ definition: ReactorDefinition, _ services: HostServices) {
        current = Locked(Current(definition: definition))
        super.init(name: definition.name, services)
    }

    public var definition: ReactorDefinition { current.withLock { $0.definition } }

    /// Why it has no engine and no state: none could be started.
    public var failure: ReactorFault? {
        current.withLock { if case .failed(let fault) = $0.phase { fault } else { nil } }
    }

    // MARK: As something hosted

    public override var access: Access { definition.access }

    override var snapshot: HostedLevels {
        .reactor(ReactorLevels(state: levels.state, revision: levels.revision))
    }

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

    // MARK: Life

    /// Begins with a state that was kept, or with the engine's own initial one.
    ///
    /// - Parameter keep: sees to it that steps are kept, before there is one.
    func start(
        from kept: JSONValue? = nil, revision: UInt64 = 0, as definition: ReactorDefinition,
        keep: (any ReactorState) -> Void = { _ in }
    ) throws(ReactorFault) {
        let engine = definition.makeEngine()
        let outlet = Outlet(self)
        let state = try engine.start(from: kept, outlet: outlet)
        keep(state)
        begin(engine, outlet, with: state, revision: revision)
    }

    func begin(_ engine: any ReactorEngine, _ outlet: Outlet, with state: any ReactorState, revision: UInt64) {
        log.update { [self] log in
            let isAnother = levels.hasBegun && levels.revision != revision
            levels.state = state
            levels.revision = revision
            levels.hasBegun = true
            levels.keeping.through = revision
            // No patch leads to the state of another definition.
            if isAnother { publish(ReactorRevision(revision, state, nil), at: WallClock.milliseconds, in: &log) }
        }
        services.stateListeners.notify(name, ToldState(self, revision, state))
        outlet.open()
        run(engine, outlet)
    }

    /// Where its steps are kept, if they are.
    var keptLog: ReactorLog? {
        get { current.withLock { $0.log } }
        set { current.withLock { $0.log = newValue } }
    }

    /// The engine takes what has waited for it, then what comes.
    private func run(_ engine: any ReactorEngine, _ outlet: Outlet) {
        enum Next {
            case send([Dispatch])
            case run
            case stop
        }
        while true {
            let next = current.withLock { current -> Next in
                switch current.phase {
                case .waiting(let held) where !held.isEmpty:
                    current.phase = .waiting([])
                    return .send(held)
                case .waiting, .running, .failed:
                    current.phase = .running(engine, outlet)
                    return .run
                case .stopped: return .stop
                }
            }
            switch next {
            case .send(let held): for dispatch in held { send(dispatch, to: engine) }
            case .run: return
            case .stop: return engine.stop { [self] in finishStopping() }
            }
        }
    }

    /// The state, once there is one.
    var begun: ReactorLevels? {
        log.update { [self] _ in
            levels.hasBegun ? ReactorLevels(state: levels.state, revision: levels.revision) : nil
        }
    }

    var isStopped: Bool {
        current.withLock { if case .stopped = $0.phase { true } else { false } }
    }

    func stop(completion: @escaping @Sendable () -> Void) {
        log.update { [self] _ in levels.isStopping = true }
        enum Way {
            case stop(any ReactorEngine)
            /// Whoever replaces its engine sees to the rest.
            case later([Dispatch])
            case none([Dispatch])
        }
        let way = current.withLock { current -> Way in
            switch current.phase {
            case .running(let engine, _):
                current.phase = .stopped()
                return .stop(engine)
            case .waiting(let held):
                current.phase = .stopped(whenChanged: current.isReplacing ? completion : nil)
                return current.isReplacing ? .later(held) : .none(held)
            case .failed:
                current.phase = .stopped()
                return .none([])
            case .stopped: return .none([])
            }
        }
        switch way {
        case .stop(let engine):
            engine.stop { [self] in
                keepLast()
                completion()
            }
        case .later(let held):
            for dispatch in held { answer(dispatch.completion, .failure(.stopping)) }
        case .none(let held):
            for dispatch in held { answer(dispatch.completion, .failure(.stopping)) }
            completion()
        }
    }

    /// The engine is stopped that was being replaced, or has replaced another, when the reactor was.
    func finishStopping() {
        let completion = current.withLock { current -> (@Sendable () -> Void)? in
            guard case .stopped(let completion) = current.phase else { return nil }
            current.phase = .stopped()
            return completion
        }
        keepLast()
        completion?()
    }

    // MARK: Dispatching

    /// Takes an action.
    ///
    /// - Parameter completion: called once, on any thread, perhaps before this returns: with the revision that all
    ///   mutations of the action are part of, or with what went wrong.
    public func dispatch(
        _ action: RawJSON, by: Origin, completion: @escaping @Sendable (Result<UInt64, DispatchRefusal>) -> Void
    ) {
        let input: ReactorInput
        do throws(DispatchRefusal) {
            input = try current.withLock { $0.definition.input }(action, by)
        } catch {
            return completion(.failure(error))
        }
        let admission = log.update { [self] state -> Result<UInt64, DispatchRefusal> in
            guard !levels.isStopping, !state.isStopping else { return .failure(.stopping) }
            guard levels.unanswered < HostedReactor.dispatchesWaiting else {
                return .failure(.full(limit: HostedReactor.dispatchesWaiting))
            }
            levels.unanswered += 1
            return .success(levels.revision)
        }
        let since: UInt64
        switch admission {
        case .success(let revision): since = revision
        case .failure(let refusal): return completion(.failure(refusal))
        }
        let dispatch = Dispatch(input: input, since: since, completion: completion)
        enum Way {
            case now(any ReactorEngine)
            case later
            case never(DispatchRefusal)
        }
        let way = current.withLock { current -> Way in
            switch current.phase {
            case .running(let engine, _): return .now(engine)
            case .waiting(var held):
                held.append(dispatch)
                current.phase = .waiting(held)
                return .later
            case .failed(let fault): return .never(.failed(fault))
            case .stopped: return .never(.stopping)
            }
        }
        switch way {
        case .now(let engine): send(dispatch, to: engine)
        case .later: break
        case .never(let refusal): answer(completion, .failure(refusal))
        }
    }

    private func send(_ dispatch: Dispatch, to engine: any ReactorEngine) {
        let completion = dispatch.completion
        engine.dispatch(dispatch.input) { [self] fault in
            guard let fault else { return reduced(dispatch) }
            answer(completion, .failure(fault.stage == .stopped ? .stopping : .failed(fault)))
        }
    }

    /// All its mutations are; the answer waits until they are kept.
    private func reduced(_ dispatch: Dispatch) {
        // Not with the newest revision of the time of the answer: that one may not be kept yet.
        let answer: @Sendable (UInt64) -> Void = { [self] revision in
            let result = log.update { [self] _ -> Result<UInt64, DispatchRefusal> in
                levels.unanswered -= 1
                if let lost = levels.keeping.lost, lost.revision > dispatch.since {
                    return .failure(.notKept(lost.error))
                }
                return .success(revision)
            }
            dispatch.completion(result)
        }
        guard keptLog != nil else {
            let revision = log.update { [self] _ in
                levels.unanswered -= 1
                return levels.revision
            }
            return dispatch.completion(.success(revision))
        }
        let kept = log.update { [self] _ -> UInt64? in
            let revision = levels.revision
            guard levels.keeping.through < revision else { return revision }
            levels.keeping.waiting.append((revision, { answer(revision) }))
            return nil
        }
        if let kept { answer(kept) }
    }

    func answer(
        _ completion: @Sendable (Result<UInt64, DispatchRefusal>) -> Void, _ result: Result<UInt64, DispatchRefusal>
    ) {
        log.update { [self] _ in levels.unanswered -= 1 }
        completion(result)
    }

    // MARK: What the engine tells

    func reduced(_ step: ReactorStep) {
        let kept = keptLog
        let (earlier, wantsPatch) = log.update { [self] _ in (levels.state, levels.patchWatchers > 0) }
        let patch = step.patch ?? (wantsPatch || kept != nil ? step.state.patch(from: earlier) : nil)
        let time = WallClock.milliseconds
        let (number, start) = log.update { [self] state in
            levels.revision += 1
            levels.state = step.state
            publish(ReactorRevision(levels.revision, step.state, patch), at: time, in: &state)
            return (levels.revision, kept == nil ? nil : levels.keeping.start(of: step, levels.revision))
        }
        if let kept { keep(step, patch ?? JSONPatch(), number, start, in: kept, at: time) }
        services.stateListeners.notify(name, ToldState(self, number, step.state))
    }

    /// With the log's lock held.
    private func publish(_ revision: ReactorRevision, at time: Int64, in state: inout HostState) {
        state.publish(.state(revision), of: self, at: time)
        if state.isWatched(self) { keepWaiting(revision) }
    }

    /// With the log's lock held.
    private func keepWaiting(_ revision: ReactorRevision) {
        levels.waiting.append(revision)
        guard levels.waiting.count > HostedReactor.revisionsWaiting else { return }
        levels.waiting.removeFirst().drop()
    }

    func failed(_ fault: ReactorFault) {
        log.update { [self] state in
            _ = state.publish(.fault(fault.shortened), of: self, at: WallClock.milliseconds)
        }
        services.onReactorFault?(name, fault)
    }

    /// Someone who watches wants patches, or no longer does.
    public func watchPatches(_ change: Int) {
        log.update { [self] _ in levels.patchWatchers += change }
    }

    /// The state now, and its revision.
    public var now: ReactorLevels {
        log.update { [self] _ in ReactorLevels(state: levels.state, revision: levels.revision) }
    }
}

/// Why an action was not taken, or did not become a state.
public enum DispatchRefusal: Error, Sendable {
    case input([InputFault])
    case failed(ReactorFault)
    /// Its mutations are reduced, but could not be kept.
    case notKept(StoreError)
    /// So many are unanswered already.
    case full(limit: Int)
    case stopping
}

/// What a snapshot says of a reactor.
public struct ReactorLevels: Sendable {
    public let state: any ReactorState
    public let revision: UInt64
}

extension ReactorState {
    /// As a tree.
    public var tree: JSONValue {
        if let state = self as? JSONState { return state.value }
        var writer = JSONWriter()
        write(to: &writer)
        return RawJSON(unchecked: writer.bytes).value()
    }
}

extension ReactorFault {
    /// With no more of what it failed on than an event should carry.
    var shortened: ReactorFault {
        guard let input, input.utf8.count > ExecutionRecord.inputBytesKept else { return self }
        var fault = self
        fault.input = nil
        return fault
    }
}
