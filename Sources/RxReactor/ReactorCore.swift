internal import Rx
internal import Synchronization

/// The running part of a reactor: its streams, its state, and its work in progress. `ReactorCore+Turns.swift`
/// contains the processing of turns.
final class ReactorCore<Action: RxSendable, Mutation: RxSendable, State: RxSendable>: ActionEntry<Action>,
    @unchecked Sendable
{
    // Unchecked: mutable state is atomic, guarded by `lock`, or changed only in turns.
    //
    // This generic code is not specialized. Each type that depends on the reactor's types, even an optional, is looked
    // up at run time for some hundred instructions. The path of every action therefore avoids such types: states are in
    // raw memory, tickets and running work are type-erased, and rare paths are separate functions, because lookups
    // happen at the start of a function.
    typealias Link = ReactorLink<Action, Mutation, State>
    typealias Snapshot = ReactorSnapshot<State>

    private enum Life: UInt8, AtomicRepresentable {
        case new, started, released
    }

    // The types of the objects that each action makes: looked up once.
    let sinkType = MutateSink<Action, Mutation, State>.self
    let transitionType = ReactorTransition<Mutation, State>.self
    let snapshotType = ReactorSnapshot<State>.self
    let ticketType = ReportingTicket<State>.self

    let executor = ReactorExecutor()
    let actions = PublishSubject<Action>()
    let states = ReplaySubject<State>.create(bufferSize: 1)
    let errors = PublishSubject<ReactorError>()
    let transitions = PublishSubject<ReactorTransition<Mutation, State>>()
    let failures = PublishSubject<ReactorFailure>()

    private let life = Atomic(Life.new)
    let lock = Lock()
    // Guarded by the lock. The first three are changed only in turns or before the first turn.
    /// The last reduced state; initialized if `hasReduced`.
    @exclusivity(unchecked) var reduced = UnsafeMutablePointer<State>.allocate(capacity: 1)
    @exclusivity(unchecked) var hasReduced = false
    @exclusivity(unchecked) var revision = 0
    /// The last published state; initialized if `hasCurrent`.
    @exclusivity(unchecked) var current = UnsafeMutablePointer<State>.allocate(capacity: 1)
    @exclusivity(unchecked) var hasCurrent = false
    @exclusivity(unchecked) var running: [ObjectIdentifier: DisposeBase] = [:]

    /// Set before the first turn.
    @exclusivity(unchecked) var admission: (@Sendable (Mutation, State, State) -> (any Error)?)?

    // Changed only in turns.
    @exclusivity(unchecked) var link: Link?
    @exclusivity(unchecked) var actionTransform: Transform<Action>?
    @exclusivity(unchecked) var mutationTransform: Transform<Mutation>?
    @exclusivity(unchecked) var stateTransform: Transform<State>?
    /// Memory for the next state; initialized only while that state is made.
    @exclusivity(unchecked) var nextReduced = UnsafeMutablePointer<State>.allocate(capacity: 1)
    @exclusivity(unchecked) var nextCurrent = UnsafeMutablePointer<State>.allocate(capacity: 1)
    @exclusivity(unchecked) var ticket: DispatchTicket?
    /// The tag of the dispatch being processed.
    @exclusivity(unchecked) var tag: DispatchTag?
    @exclusivity(unchecked) var isMutating = false
    /// Whether `transform(mutation:)` is running. It may hold elements back until it returns.
    @exclusivity(unchecked) var isFeeding = false
    @exclusivity(unchecked) var isReducing = false
    /// Turns that came up within a mutation and run after it.
    @exclusivity(unchecked) var late = Queue<ReactorExecutor.Turn>()
    @exclusivity(unchecked) var isAnyLate = false
    @exclusivity(unchecked) var isCatchingUp = false

    deinit {
        if hasReduced { reduced.deinitialize(count: 1) }
        if hasCurrent { current.deinitialize(count: 1) }
        for place in [reduced, nextReduced, current, nextCurrent] { place.deallocate() }
    }

    // MARK: - Start and end

    var isStarted: Bool { life.load(ordering: .acquiring) != .new }
    var isReleased: Bool { life.load(ordering: .acquiring) == .released }

    /// Starts the core; only the first call has an effect.
    ///
    /// - Parameters:
    ///   - scheduler: where the core takes its turns.
    ///   - begin: called once, in the first turn.
    func start(on scheduler: any ImmediateSchedulerType, _ begin: () -> Void) {
        lock.lock()
        let isMine = life.load(ordering: .relaxed) == .new
        if isMine {
            // Later callers find the first turn under way, and their elements wait.
            executor.enterFirst(scheduler is CurrentThreadScheduler ? nil : scheduler)
            life.store(.started, ordering: .releasing)
        }
        lock.unlock()
        guard isMine else { return }
        CurrentThreadScheduler.withinTurn(begin)
        executor.leave()
    }

    func restore(_ snapshot: Snapshot) {
        let before: State? = lock.withLock {
            precondition(life.load(ordering: .relaxed) == .new, "a reactor is restored before its first use")
            let before = hasReduced ? reduced.move() : nil
            reduced.initialize(to: snapshot.state)
            hasReduced = true
            revision = snapshot.revision
            return before
        }
        withExtendedLifetime(before) {}
    }

    func admitStates(_ admission: @escaping @Sendable (Mutation, State, State) -> (any Error)?) {
        lock.withLock {
            precondition(
                life.load(ordering: .relaxed) == .new && self.admission == nil,
                "states are admitted from before the first use on, by one")
            self.admission = admission
        }
    }

    /// Ends the core because the reactor was released or asked for its release.
    func release() {
        lock.lock()
        life.store(.released, ordering: .releasing)
        let mutates = running.values
        running = [:]
        lock.unlock()
        executor.close()
        actionTransform?.dispose()
        mutationTransform?.dispose()
        stateTransform?.dispose()
        for mutate in mutates { mutate.dispose() }
        states.onCompleted()
        errors.onCompleted()
        transitions.onCompleted()
        failures.onCompleted()
    }

    // MARK: - State

    func currentState(orInitial initial: () -> State) -> State {
        lock.lock()
        guard hasCurrent || hasReduced else {
            lock.unlock()
            return initial()
        }
        let state = hasCurrent ? current.pointee : reduced.pointee
        lock.unlock()
        return state
    }

    var snapshot: Snapshot? {
        lock.withLock { hasReduced ? Snapshot(revision: revision, state: reduced.pointee) : nil }
    }

    override func dispatch(_ action: Action) { dispatch(action, nil) }
}
