internal import Rx

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

    func feed(state: State) {
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
