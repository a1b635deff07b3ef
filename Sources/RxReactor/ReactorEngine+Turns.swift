internal import Rx

// What an action leads to on the thread of its turn is done within that turn, by plain calls, one step after the other:
// take, mutate, feed, reduce, publish. What a step makes elsewhere, in a mutate or a transform that takes its time or its own
// thread, arrives in a turn of its own. What arrives from within a mutation waits for the end of that.

extension ReactorEngine {
    // MARK: - Actions

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
        tag = ticket?.tag
        if let actionTransform, !actionTransform.isIdentity { actionTransform.feed(action) } else { mutate(action) }
        self.ticket = nil
        tag = nil
        ticket?.leave(nil, outcome)
    }

    /// From `transform(action:)`, wherever it sends.
    func arrived(action: Action) {
        // An action within an action, or within a mutation, is for a later turn.
        if executor.isCurrent {
            if isMutating || isWithinMutation { executor.submit { self.mutate(action) } } else { mutate(action) }
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
        if !sink.isOver, !isLate {
            running[ObjectIdentifier(sink)] = sink
            sink.isKept = true
        }
        lock.unlock()
        if isLate { sink.dispose() }
    }

    /// A mutate is over, from the thread that ended or disposed it.
    func forget(_ sink: MutateSink<Action, Mutation, State>) {
        lock.lock()
        sink.isOver = true
        let ticket = sink.takeTicket()
        // It is who calls, so it does not go here.
        if sink.isKept { running[ObjectIdentifier(sink)] = nil }
        lock.unlock()
        if let ticket { withExtendedLifetime(ticket) {} }
    }

    // MARK: - Mutations

    /// From a mutate, on whatever thread it sends.
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

    /// A mutate has ended by itself; its dispatch is told when what it sent is reduced.
    func ended(_ sink: MutateSink<Action, Mutation, State>, _ error: (any Error)?, _ tag: DispatchTag?) {
        if let error { arrived(error: .mutate(error), tag) }
        lock.lock()
        let taken = sink.takeTicket()
        lock.unlock()
        guard let ticket = taken else { return }
        if executor.isCurrent, !isWithinMutation {
            ticket.leave(error, outcome)
        } else {
            executor.inTurn { self.end(ticket, error) }
        }
    }

    private func end(_ ticket: DispatchTicket<State>, _ error: (any Error)?) {
        if isWithinMutation { return later { self.end(ticket, error) } }
        ticket.leave(error, outcome)
    }

    /// In a turn. A mutation from within another is taken after that.
    private func feed(_ mutation: Mutation, _ tag: DispatchTag?) {
        if isWithinMutation { return later { self.feed(mutation, tag) } }
        guard let mutationTransform, !mutationTransform.isIdentity else { return reduce(mutation, tag) }
        let outer = self.tag
        self.tag = tag
        isFeeding = true
        mutationTransform.feed(mutation)
        isFeeding = false
        self.tag = outer
        catchUp()
    }

    private var isWithinMutation: Bool { isReducing || isFeeding }

    /// From `transform(mutation:)`, wherever it sends.
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

    /// One that was kept, which no transform gets to see again.
    func replay(_ mutation: Mutation) {
        executor.inTurn { self.reduce(mutation, nil) }
    }

    /// In a turn. A mutation within a reduction is reduced after it.
    private func reduce(_ mutation: Mutation, _ tag: DispatchTag?) {
        if isReducing { return later { self.reduce(mutation, tag) } }
        // In a turn there is a state.
        guard let before = reduced, let link else { return }
        isReducing = true
        if let after = link.reduce(before, mutation) {
            if let error = admission?(mutation, before.state, after.state) {
                publish(.refused(error), tag)
            } else {
                take(after, of: mutation, tag)
            }
        }
        // Not released with the lock held.
        withExtendedLifetime(before) {}
        isReducing = false
        catchUp()
    }

    private func take(_ after: Snapshot, of mutation: Mutation, _ tag: DispatchTag?) {
        lock.lock()
        reduced = after
        lock.unlock()
        let outer = self.tag
        self.tag = tag
        transitions.onNext(
            ReactorTransition(revision: after.revision, mutation: mutation, state: after.state, tag: tag))
        feed(after)
        self.tag = outer
    }

    func feed(_ snapshot: Snapshot) {
        guard let stateTransform, !stateTransform.isIdentity else { return publish(snapshot) }
        stateTransform.feed(snapshot.state)
    }

    private func later(_ turn: @escaping ReactorExecutor.Turn) {
        late.append(turn)
        hasLate = true
    }

    private func catchUp() {
        if !hasLate || isWithinMutation || isCatchingUp { return }
        isCatchingUp = true
        while let next = late.removeFirst() { next() }
        hasLate = false
        isCatchingUp = false
    }

    // MARK: - States and errors

    /// From `transform(state:)`, wherever it sends.
    func arrived(state: State) {
        executor.inTurn { self.publish(Snapshot(revision: 0, state: state)) }
    }

    private func publish(_ snapshot: Snapshot) {
        if isReleased { return }
        lock.lock()
        let previous = current
        current = snapshot
        lock.unlock()
        states.onNext(snapshot.state)
        if let previous { withExtendedLifetime(previous) {} }
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
