internal import Rx
internal import Synchronization

/// What there is of a reactor while it runs: its streams, its state, and what is under way. The other half of this type has
/// what happens in its turns.
final class ReactorCore<Action: Sendable, Mutation: Sendable, State: Sendable>: ActionEntry<Action>,
    @unchecked Sendable
{
    // Unchecked: what changes is atomic, guarded by `lock`, or changed in turns only.
    //
    // This is generic code that is not specialised: each type made of the reactor's, be it an optional, has to be looked up
    // where it is used, at the price of some hundred instructions. So what every action needs does without: states are
    // in plain memory, tickets and what is under way are of no particular type, and what few need is in functions of its
    // own, since types are looked up where a function begins.
    typealias Link = ReactorLink<Action, Mutation, State>
    typealias Snapshot = ReactorSnapshot<State>

    private enum Life: UInt8, AtomicRepresentable {
        case new, started, released
    }

    let executor = ReactorExecutor()
    let actions = PublishSubject<Action>()
    let states = ReplaySubject<State>.create(bufferSize: 1)
    let errors = PublishSubject<ReactorError>()
    let transitions = PublishSubject<ReactorTransition<Mutation, State>>()
    let failures = PublishSubject<ReactorFailure>()

    private let life = Atomic(Life.new)
    let lock = Lock()
    // Guarded by the lock; the first three are changed in turns, or before the first.
    /// The state that was reduced last, if `hasReduced`.
    @exclusivity(unchecked) var reduced = UnsafeMutablePointer<State>.allocate(capacity: 1)
    @exclusivity(unchecked) var hasReduced = false
    @exclusivity(unchecked) var revision = 0
    /// The state that was told last, if `hasCurrent`.
    @exclusivity(unchecked) var current = UnsafeMutablePointer<State>.allocate(capacity: 1)
    @exclusivity(unchecked) var hasCurrent = false
    @exclusivity(unchecked) var running: [ObjectIdentifier: DisposeBase] = [:]

    /// Set before the first turn.
    @exclusivity(unchecked) var admission: (@Sendable (Mutation, State, State) -> (any Error)?)?

    // Changed in turns only.
    @exclusivity(unchecked) var link: Link?
    @exclusivity(unchecked) var actionTransform: Transform<Action>?
    @exclusivity(unchecked) var mutationTransform: Transform<Mutation>?
    @exclusivity(unchecked) var stateTransform: Transform<State>?
    /// Where the next state is made: nothing is there otherwise.
    @exclusivity(unchecked) var nextReduced = UnsafeMutablePointer<State>.allocate(capacity: 1)
    @exclusivity(unchecked) var nextCurrent = UnsafeMutablePointer<State>.allocate(capacity: 1)
    @exclusivity(unchecked) var ticket: DispatchTicket?
    /// Of the dispatch that is being done.
    @exclusivity(unchecked) var tag: DispatchTag?
    @exclusivity(unchecked) var isMutating = false
    /// Within the transform of a mutation, which may keep what it is sent meanwhile until it returns.
    @exclusivity(unchecked) var isFeeding = false
    @exclusivity(unchecked) var isReducing = false
    /// What came up within a mutation and is done after it.
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

    /// Has its effect when the first to be called.
    func start<R: Reactor>(_ reactor: R)
    where R.Action == Action, R.Mutation == Mutation, R.State == State {
        let scheduler = reactor.scheduler
        lock.lock()
        let isMine = life.load(ordering: .relaxed) == .new
        if isMine {
            // Who comes next finds the first turn under way, and what it sends waits.
            executor.enterFirst(scheduler is CurrentThreadScheduler ? nil : scheduler)
            life.store(.started, ordering: .releasing)
        }
        lock.unlock()
        guard isMine else { return }
        CurrentThreadScheduler.withinTurn { begin(reactor) }
        executor.leave()
    }

    private func begin<R: Reactor>(_ reactor: R)
    where R.Action == Action, R.Mutation == Mutation, R.State == State {
        link = WeakReactor(reactor)
        let actionTransform = Transform(reactor.transform(action:), executor) { [weak self] action in
            self?.arrived(action: action)
        } fail: { [weak self] error in
            self?.arrived(error: .transformAction(error))
        }
        let mutationTransform = Transform(reactor.transform(mutation:), executor) { [weak self] mutation in
            self?.arrived(transformed: mutation)
        } fail: { [weak self] error in
            self?.arrived(error: .transformMutation(error))
        }
        let stateTransform = Transform(
            reactor.transform(state:), executor, latest: { [weak self] in self?.snapshot?.state }
        ) { [weak self] state in
            self?.arrived(state: state)
        } fail: { [weak self] error in
            self?.arrived(error: .transformState(error))
        }
        self.actionTransform = actionTransform
        self.mutationTransform = mutationTransform
        self.stateTransform = stateTransform
        // From the end to the beginning: what a transform sends at once finds its way.
        stateTransform.start()
        if !hasReduced {
            let initial = reactor.initialState
            lock.lock()
            reduced.initialize(to: initial)
            hasReduced = true
            lock.unlock()
        }
        // A copy: what it is told to may already lead to another.
        let initial = reduced.pointee
        feed(state: initial)
        mutationTransform.start()
        actionTransform.start()
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

    /// The reactor has gone, or is to be as if it had.
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
