internal import Rx
internal import Synchronization

/// What a reactor does, step by step, in its turns. The other half of this type has what arrives from elsewhere.
///
/// What is changed in turns only needs no lock. What an action leads to on the thread of its turn is done within that turn,
/// by plain calls; what arrives from other threads, or from within a reduction, waits.
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

    private let life = Atomic(Life.new)
    private let lock = Lock()
    // Guarded by the lock; the first is changed in turns only.
    @exclusivity(unchecked) private var reduced: Snapshot?
    @exclusivity(unchecked) private var current: State?
    @exclusivity(unchecked) private var running: [ObjectIdentifier: MutateSink<Action, Mutation, State>] = [:]

    // Changed in turns only.
    @exclusivity(unchecked) private var link: Link?
    @exclusivity(unchecked) private var actionTransform: Transform<Action>?
    @exclusivity(unchecked) private var mutationTransform: Transform<Mutation>?
    @exclusivity(unchecked) private var stateTransform: Transform<State>?
    @exclusivity(unchecked) private var ticket: DispatchTicket<State>?
    @exclusivity(unchecked) private var isMutating = false
    @exclusivity(unchecked) private var isReducing = false
    /// What came up during a reduction and is done after it.
    @exclusivity(unchecked) private var late = Queue<ReactorExecutor.Turn>()
    @exclusivity(unchecked) private var isCatchingUp = false

    // MARK: - Start and end

    var isStarted: Bool { life.load(ordering: .acquiring) != .new }
    private var isReleased: Bool { life.load(ordering: .acquiring) == .released }

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
        let first = lock.withLock {
            if let reduced { return reduced }
            let initial = Snapshot(revision: 0, state: reactor.initialState)
            reduced = initial
            return initial
        }
        feed(state: first.state)
        mutationTransform.start()
        actionTransform.start()
    }

    func restore(_ snapshot: Snapshot) {
        lock.withLock {
            precondition(life.load(ordering: .relaxed) == .new, "a reactor is restored before its first use")
            reduced = snapshot
        }
    }

    /// The reactor has gone.
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
    }

    // MARK: - State

    var currentState: State? { lock.withLock { current ?? reduced?.state } }
    var snapshot: Snapshot? { lock.withLock { reduced } }
    /// What a dispatch has led to; nil when the reactor has gone.
    private var outcome: Snapshot? { isReleased ? nil : snapshot }

    // MARK: - Actions

    override func dispatch(_ action: Action) { dispatch(action, nil) }

    func dispatch(_ action: Action, _ ticket: DispatchTicket<State>?) {
        if !executor.isCurrent, executor.enter() {
            take(action, ticket)
            executor.leave()
        } else {
            executor.submit { self.take(action, ticket) }
        }
    }

    /// In a turn of its own.
    private func take(_ action: Action, _ ticket: DispatchTicket<State>?) {
        actions.onNext(action)
        self.ticket = ticket
        if let actionTransform, !actionTransform.isIdentity { actionTransform.feed(action) } else { mutate(action) }
        self.ticket = nil
        ticket?.leave(nil) { outcome }
    }

    /// From `transform(action:)`, wherever it sends.
    private func arrived(action: Action) {
        // An action within an action, or within a reduction, is for a later turn.
        if executor.isCurrent {
            if isMutating || isReducing { executor.submit { self.mutate(action) } } else { mutate(action) }
        } else if executor.enter() {
            mutate(action)
            executor.leave()
        } else {
            executor.submit { self.mutate(action) }
        }
    }

    /// In a turn.
    private func mutate(_ action: Action) {
        isMutating = true
        defer { isMutating = false }
        guard let mutations = link?.mutate(action) else { return }
        let sink = MutateSink(self, ticket)
        ticket?.enter()
        CurrentThreadScheduler.withinTurn { mutations.subscribe(into: sink) }
        lock.lock()
        let isLate = isReleased
        if !sink.isOver, !isLate { running[ObjectIdentifier(sink)] = sink }
        lock.unlock()
        if isLate { sink.dispose() }
    }

    /// A mutate is over, from the thread that ended or disposed it.
    func forget(_ sink: MutateSink<Action, Mutation, State>) {
        lock.lock()
        sink.isOver = true
        let ticket = sink.ticket.take()
        let gone = running.removeValue(forKey: ObjectIdentifier(sink))
        lock.unlock()
        withExtendedLifetime((gone, ticket)) {}
    }

    // MARK: - Mutations

    /// From a mutate, on whatever thread it sends.
    func arrived(mutation: Mutation) {
        if executor.isCurrent {
            feed(mutation)
        } else if executor.enter() {
            feed(mutation)
            executor.leave()
        } else {
            executor.submit { self.feed(mutation) }
        }
    }

    /// A mutate has ended by itself; its dispatch is told when what it sent is reduced.
    func ended(_ sink: MutateSink<Action, Mutation, State>, _ error: (any Error)?) {
        if let error { arrived(error: .mutate(error)) }
        guard let ticket = sink.ticket else { return }
        sink.ticket = nil
        executor.inTurn { self.end(ticket, error) }
    }

    private func end(_ ticket: DispatchTicket<State>, _ error: (any Error)?) {
        if isReducing { return late.append { self.end(ticket, error) } }
        ticket.leave(error) { outcome }
    }

    /// In a turn.
    private func feed(_ mutation: Mutation) {
        if isReducing { return late.append { self.feed(mutation) } }
        guard let mutationTransform, !mutationTransform.isIdentity else { return reduce(mutation) }
        mutationTransform.feed(mutation)
    }

    /// From `transform(mutation:)`, wherever it sends.
    private func arrived(transformed mutation: Mutation) {
        if executor.isCurrent {
            reduce(mutation)
        } else if executor.enter() {
            reduce(mutation)
            executor.leave()
        } else {
            executor.submit { self.reduce(mutation) }
        }
    }

    /// In a turn. A mutation within a reduction is reduced after it.
    private func reduce(_ mutation: Mutation) {
        if isReducing { return late.append { self.reduce(mutation) } }
        // In a turn there is a state.
        guard let before = reduced, let link else { return }
        isReducing = true
        if let state = link.reduce(before.state, mutation) {
            let after = Snapshot(revision: before.revision + 1, state: state)
            lock.lock()
            reduced = after
            lock.unlock()
            transitions.onNext(ReactorTransition(revision: after.revision, mutation: mutation, state: state))
            feed(state: state)
        }
        isReducing = false
        catchUp()
    }

    private func feed(state: State) {
        guard let stateTransform, !stateTransform.isIdentity else { return publish(state) }
        stateTransform.feed(state)
    }

    private func catchUp() {
        if isCatchingUp || late.isEmpty { return }
        isCatchingUp = true
        while let next = late.removeFirst() { next() }
        isCatchingUp = false
    }

    // MARK: - States and errors

    /// From `transform(state:)`, wherever it sends.
    private func arrived(state: State) {
        executor.inTurn { self.publish(state) }
    }

    private func publish(_ state: State) {
        if isReleased { return }
        lock.lock()
        let previous = current
        current = state
        lock.unlock()
        states.onNext(state)
        withExtendedLifetime(previous) {}
    }

    private func arrived(error: ReactorError) {
        executor.inTurn { self.publish(error) }
    }

    private func publish(_ error: ReactorError) {
        if errors.hasObservers { errors.onNext(error) } else { Hooks.defaultErrorHandler([], error) }
    }
}
