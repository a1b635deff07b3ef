internal import Rx
internal import Synchronization

/// What there is of a reactor while it runs: its streams, its state, and what is under way. The other half of this type has
/// what happens in its turns.
final class ReactorEngine<Action: Sendable, Mutation: Sendable, State: Sendable>: ActionEntry<Action>,
    @unchecked Sendable
{
    // Unchecked: what changes is atomic, guarded by `lock`, or changed in turns only.
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
    // Guarded by the lock; the first is changed in turns only.
    @exclusivity(unchecked) var reduced: Snapshot?
    @exclusivity(unchecked) var current: Snapshot?
    @exclusivity(unchecked) var running: [ObjectIdentifier: MutateSink<Action, Mutation, State>] = [:]

    /// Set before the first turn.
    @exclusivity(unchecked) var admission: (@Sendable (Mutation, State, State) -> (any Error)?)?

    // Changed in turns only.
    @exclusivity(unchecked) var link: Link?
    @exclusivity(unchecked) var actionTransform: Transform<Action>?
    @exclusivity(unchecked) var mutationTransform: Transform<Mutation>?
    @exclusivity(unchecked) var stateTransform: Transform<State>?
    @exclusivity(unchecked) var ticket: DispatchTicket<State>?
    /// Of the dispatch that is being done.
    @exclusivity(unchecked) var tag: DispatchTag?
    @exclusivity(unchecked) var isMutating = false
    /// Within the transform of a mutation, which may keep what it is sent meanwhile until it returns.
    @exclusivity(unchecked) var isFeeding = false
    @exclusivity(unchecked) var isReducing = false
    /// What came up within a mutation and is done after it.
    @exclusivity(unchecked) var late = Queue<ReactorExecutor.Turn>()
    @exclusivity(unchecked) var hasLate = false
    @exclusivity(unchecked) var isCatchingUp = false

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
        let actionTransform = Transform(reactor.transform(action:), executor) { [weak self] output in
            switch output {
            case .element(let action): self?.arrived(action: action)
            case .failure(let error): self?.arrived(error: .transformAction(error))
            }
        }
        let mutationTransform = Transform(reactor.transform(mutation:), executor) { [weak self] output in
            switch output {
            case .element(let mutation): self?.arrived(transformed: mutation)
            case .failure(let error): self?.arrived(error: .transformMutation(error))
            }
        }
        let stateTransform = Transform(
            reactor.transform(state:), executor, latest: { [weak self] in self?.snapshot?.state }
        ) { [weak self] output in
            switch output {
            case .element(let state): self?.arrived(state: state)
            case .failure(let error): self?.arrived(error: .transformState(error))
            }
        }
        self.actionTransform = actionTransform
        self.mutationTransform = mutationTransform
        self.stateTransform = stateTransform
        // From the end to the beginning: what a transform sends at once finds its way.
        stateTransform.start()
        let initial = snapshot ?? Snapshot(revision: 0, state: reactor.initialState)
        lock.withLock { reduced = initial }
        feed(initial)
        mutationTransform.start()
        actionTransform.start()
    }

    func restore(_ snapshot: Snapshot) {
        lock.withLock {
            precondition(life.load(ordering: .relaxed) == .new, "a reactor is restored before its first use")
            reduced = snapshot
        }
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

    /// What `currentState` is that of: as it was transformed, and of no revision then.
    var latest: Snapshot? {
        lock.lock()
        defer { lock.unlock() }
        return current ?? reduced
    }

    var snapshot: Snapshot? {
        lock.lock()
        defer { lock.unlock() }
        return reduced
    }

    /// What a dispatch has led to; nil when the reactor has gone.
    var outcome: Snapshot? { isReleased ? nil : snapshot }

    override func dispatch(_ action: Action) { dispatch(action, nil) }
}
