internal import Rx
internal import Synchronization

/// The running part of a reactor: its streams, its state, and its work in progress. The extension below processes its
/// turns.
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
    private let sinkType = MutateSink<Action, Mutation, State>.self
    private let transitionType = ReactorTransition<Mutation, State>.self
    private let snapshotType = ReactorSnapshot<State>.self
    let ticketType = ReportingTicket<State>.self

    let executor = ReactorExecutor()
    let actions = PublishSubject<Action>()
    let states = ReplaySubject<State>.create(bufferSize: 1)
    let errors = PublishSubject<ReactorError>()
    let transitions = PublishSubject<ReactorTransition<Mutation, State>>()
    let failures = PublishSubject<ReactorFailure>()

    private let life = Atomic(Life.new)
    private let lock = Lock()
    // Guarded by the lock. The first three are changed only in turns or before the first turn.
    /// The last reduced state; initialized if `hasReduced`.
    @exclusivity(unchecked) private var reduced = UnsafeMutablePointer<State>.allocate(capacity: 1)
    @exclusivity(unchecked) private var hasReduced = false
    @exclusivity(unchecked) private var revision = 0
    /// The last published state; initialized if `hasCurrent`.
    @exclusivity(unchecked) private var current = UnsafeMutablePointer<State>.allocate(capacity: 1)
    @exclusivity(unchecked) private var hasCurrent = false
    @exclusivity(unchecked) private var running: [ObjectIdentifier: DisposeBase] = [:]

    /// Set before the first turn.
    @exclusivity(unchecked) private var admission: (@Sendable (Mutation, State, State) -> (any Error)?)?

    // Changed only in turns.
    @exclusivity(unchecked) private var link: Link?
    @exclusivity(unchecked) private var actionTransform: Transform<Action>?
    @exclusivity(unchecked) private var mutationTransform: Transform<Mutation>?
    @exclusivity(unchecked) private var stateTransform: Transform<State>?
    /// Memory for the next state; initialized only while that state is made.
    @exclusivity(unchecked) private var nextReduced = UnsafeMutablePointer<State>.allocate(capacity: 1)
    @exclusivity(unchecked) private var nextCurrent = UnsafeMutablePointer<State>.allocate(capacity: 1)
    @exclusivity(unchecked) private var ticket: DispatchTicket?
    /// The tag of the dispatch being processed.
    @exclusivity(unchecked) private var tag: DispatchTag?
    @exclusivity(unchecked) private var isMutating = false
    /// Whether `transform(mutation:)` is running. It may hold elements back until it returns.
    @exclusivity(unchecked) private var isFeeding = false
    @exclusivity(unchecked) private var isReducing = false
    /// Turns that came up within a mutation and run after it.
    @exclusivity(unchecked) private var late = Queue<ReactorExecutor.Turn>()
    @exclusivity(unchecked) private var isAnyLate = false
    @exclusivity(unchecked) private var isCatchingUp = false

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

    /// Takes up the link to the reactor. Called in the first turn, before its transforms are made.
    func connect(to link: Link) { self.link = link }

    /// Starts the transforms, and publishes the first state. Called in the first turn.
    ///
    /// - Parameter initial: makes the first state, unless one was restored.
    @inline(never)  // A rare path.
    func begin(
        _ actionTransform: Transform<Action>, _ mutationTransform: Transform<Mutation>,
        _ stateTransform: Transform<State>, initial: () -> State
    ) {
        self.actionTransform = actionTransform
        self.mutationTransform = mutationTransform
        self.stateTransform = stateTransform
        // Started from the last to the first, so that elements emitted at once pass through.
        stateTransform.start()
        if !hasReduced {
            let initial = initial()
            lock.lock()
            reduced.initialize(to: initial)
            hasReduced = true
            lock.unlock()
        }
        // A copy, because a subscriber may already cause the next state.
        let first = reduced.pointee
        feed(state: first)
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

// Processes actions and mutations in turns.
//
// All synchronous consequences of an action are processed within its turn by plain calls, one step after the other:
// take, mutate, feed, reduce, publish. Elements that a mutate or a transform emits later or on another thread arrive in
// turns of their own. An element that arrives within a mutation waits for the end of that mutation.

extension ReactorCore {
    // MARK: - Actions

    func dispatch(_ action: Action, _ ticket: DispatchTicket?) {
        if !executor.isCurrent, executor.enter() {
            take(action, ticket)
            executor.leave()
        } else {
            executor.submit { self.take(action, ticket) }
        }
    }

    /// Processes an action in a turn of its own.
    private func take(_ action: Action, _ ticket: DispatchTicket?) {
        actions.onNext(action)
        self.ticket = ticket
        tag = ticket?.tag
        if let actionTransform, !actionTransform.isIdentity { actionTransform.feed(action) } else { mutate(action) }
        self.ticket = nil
        tag = nil
        if let ticket { leave(ticket, nil) }
    }

    private func leave(_ ticket: DispatchTicket, _ error: (any Error)?) {
        if ticket.leave(error) { reportEnd(of: ticket) }
    }

    @inline(never)
    private func reportEnd(of ticket: DispatchTicket) {
        // The state does not change within this part of the turn.
        if isReleased || !hasReduced { return }
        // All tickets of this reactor have its state type.
        unsafeDowncast(ticket, to: ReportingTicket<State>.self).end(
            snapshotType.init(revision: revision, state: reduced.pointee))
    }

    /// Handles an action from `transform(action:)`, on any thread.
    func arrived(action: Action) {
        // A nested action is processed in a later turn.
        if executor.isCurrent {
            if isMutating || isWithinMutation { executor.submit { self.mutate(action) } } else { mutate(action) }
        } else if executor.enter() {
            mutate(action)
            executor.leave()
        } else {
            executor.submit { self.mutate(action) }
        }
    }

    /// Starts the mutate of an action. Called in a turn.
    private func mutate(_ action: Action) {
        isMutating = true
        defer { isMutating = false }
        guard let mutations = link?.mutate(action) else { return }
        let sink = sinkType.init(self, ticket)
        ticket?.enter()
        CurrentThreadScheduler.withinTurn { mutations.subscribe(into: sink) }
        lock.lock()
        let isLate = isReleased
        if !sink.isOver, !isLate {
            running[ObjectIdentifier(sink)] = sink
            sink.isKept = true
        }
        lock.unlock()
        if isLate { sink.dispose() }
    }

    /// Removes a finished mutate. Called on the thread that ended or disposed it.
    func forget(_ sink: MutateSink<Action, Mutation, State>) {
        lock.lock()
        sink.isOver = true
        let ticket = sink.ticket.take()
        // The caller is this sink, so it is not deallocated here.
        if sink.isKept { running[ObjectIdentifier(sink)] = nil }
        lock.unlock()
        withExtendedLifetime(ticket) {}
    }

    // MARK: - Mutations

    /// Handles a mutation from a mutate, on any thread.
    func arrived(mutation: Mutation, _ tag: DispatchTag?) {
        if executor.isCurrent {
            feed(mutation, tag)
        } else if executor.enter() {
            feed(mutation, tag)
            executor.leave()
        } else {
            executor.submit { self.feed(mutation, tag) }
        }
    }

    /// Handles the end of a mutate. Its dispatch ends once its mutations are reduced.
    func ended(_ sink: MutateSink<Action, Mutation, State>, _ error: (any Error)?, _ tag: DispatchTag?) {
        if let error { arrived(error: .mutate(error), tag) }
        lock.lock()
        let ticket = sink.ticket.take()
        lock.unlock()
        guard let ticket else { return }
        if executor.isCurrent, !isWithinMutation {
            leave(ticket, error)
        } else {
            executor.inTurn { self.end(ticket, error) }
        }
    }

    private func end(_ ticket: DispatchTicket, _ error: (any Error)?) {
        if isWithinMutation { return doLater { self.end(ticket, error) } }
        leave(ticket, error)
    }

    /// Passes a mutation to the transform. Called in a turn. A nested mutation is processed afterwards.
    private func feed(_ mutation: Mutation, _ tag: DispatchTag?) {
        if isWithinMutation { return feedLater(mutation, tag) }
        guard let mutationTransform, !mutationTransform.isIdentity else { return reduce(mutation, tag) }
        let outer = self.tag
        self.tag = tag
        isFeeding = true
        mutationTransform.feed(mutation)
        isFeeding = false
        self.tag = outer
        catchUp()
    }

    @inline(never)
    private func feedLater(_ mutation: Mutation, _ tag: DispatchTag?) {
        doLater { self.feed(mutation, tag) }
    }

    private var isWithinMutation: Bool { isReducing || isFeeding }

    /// Handles a mutation from `transform(mutation:)`, on any thread.
    func arrived(transformed mutation: Mutation) {
        if executor.isCurrent {
            reduce(mutation, tag)
        } else if executor.enter() {
            reduce(mutation, nil)
            executor.leave()
        } else {
            executor.submit { self.reduce(mutation, nil) }
        }
    }

    /// Reduces a stored mutation, bypassing the transforms.
    func replay(_ mutation: Mutation) {
        executor.inTurn { self.reduce(mutation, nil) }
    }

    /// Reduces a mutation. Called in a turn. A mutation that arrives meanwhile is reduced afterwards.
    private func reduce(_ mutation: Mutation, _ tag: DispatchTag?) {
        if isReducing { return reduceLater(mutation, tag) }
        // Within a turn there is always a state.
        guard hasReduced, let link else { return }
        isReducing = true
        if link.reduce(reduced.pointee, mutation, into: nextReduced) {
            if admission == nil || isAdmitted(mutation, tag) { take(mutation, tag) }
        }
        isReducing = false
        catchUp()
    }

    @inline(never)
    private func isAdmitted(_ mutation: Mutation, _ tag: DispatchTag?) -> Bool {
        guard let error = admission?(mutation, reduced.pointee, nextReduced.pointee) else { return true }
        nextReduced.deinitialize(count: 1)
        publish(.refused(error), tag)
        return false
    }

    /// Makes the next state the current one.
    private func take(_ mutation: Mutation, _ tag: DispatchTag?) {
        lock.lock()
        (reduced, nextReduced) = (nextReduced, reduced)
        revision += 1
        lock.unlock()
        let before = nextReduced.move()
        let outer = self.tag
        self.tag = tag
        if transitions.hasObservers { emitTransition(mutation, tag) }
        feed(state: reduced.pointee)
        self.tag = outer
        // Released outside the lock and after the new state is published.
        withExtendedLifetime(before) {}
    }

    @inline(never)
    private func reduceLater(_ mutation: Mutation, _ tag: DispatchTag?) {
        doLater { self.reduce(mutation, tag) }
    }

    @inline(never)
    private func emitTransition(_ mutation: Mutation, _ tag: DispatchTag?) {
        transitions.onNext(
            transitionType.init(revision: revision, mutation: mutation, state: reduced.pointee, tag: tag))
    }

    private func feed(state: State) {
        guard let stateTransform, !stateTransform.isIdentity else { return publish(state) }
        stateTransform.feed(state)
    }

    /// Runs `body` after the current mutation. Called in a turn.
    private func doLater(_ body: @escaping ReactorExecutor.Turn) {
        late.append(body)
        isAnyLate = true
    }

    private func catchUp() {
        if !isAnyLate || isWithinMutation || isCatchingUp { return }
        isCatchingUp = true
        while let next = late.removeFirst() { next() }
        isAnyLate = false
        isCatchingUp = false
    }

    // MARK: - States and errors

    /// Handles a state from `transform(state:)`, on any thread.
    func arrived(state: State) {
        executor.inTurn { self.publish(state) }
    }

    private func publish(_ state: State) {
        if isReleased { return }
        nextCurrent.initialize(to: state)
        lock.lock()
        (current, nextCurrent) = (nextCurrent, current)
        let isFirst = !hasCurrent
        hasCurrent = true
        lock.unlock()
        if isFirst { return states.onNext(state) }
        // Moved out at once, because publishing this state may publish another one.
        let previous = nextCurrent.move()
        states.onNext(state)
        withExtendedLifetime(previous) {}
    }

    func arrived(error: ReactorError, _ tag: DispatchTag? = nil) {
        executor.inTurn { self.publish(error, tag) }
    }

    private func publish(_ error: ReactorError, _ tag: DispatchTag?) {
        let isHosted = failures.hasObservers
        if isHosted { failures.onNext(ReactorFailure(error: error, tag: tag)) }
        if errors.hasObservers { errors.onNext(error) } else if !isHosted { Hooks.defaultErrorHandler([], error) }
    }
}
