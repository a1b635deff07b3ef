internal import Rx

// What an action leads to on the thread of its turn is done within that turn, by plain calls, one step after the other:
// take, mutate, feed, reduce, publish. What a step makes elsewhere, in a mutate or a transform that takes its time or its own
// thread, arrives in a turn of its own. What arrives from within a mutation waits for the end of that.

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

    /// In a turn of its own.
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
        if ticket.leave(error) { tellEnd(of: ticket) }
    }

    @inline(never)
    private func tellEnd(of ticket: DispatchTicket) {
        // In a turn the state does not change.
        if isReleased || !hasReduced { return }
        // They are all made for this reactor.
        unsafeDowncast(ticket, to: ToldTicket<State>.self).end(
            ReactorSnapshot(revision: revision, state: reduced.pointee))
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
        let ticket = sink.ticket.take()
        // It is who calls, so it does not go here.
        if sink.isKept { running[ObjectIdentifier(sink)] = nil }
        lock.unlock()
        withExtendedLifetime(ticket) {}
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

    /// In a turn. A mutation from within another is taken after that.
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
        if isReducing { return reduceLater(mutation, tag) }
        // In a turn there is a state.
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

    /// The next state is the reactor's.
    private func take(_ mutation: Mutation, _ tag: DispatchTag?) {
        lock.lock()
        (reduced, nextReduced) = (nextReduced, reduced)
        revision += 1
        lock.unlock()
        let before = nextReduced.move()
        let outer = self.tag
        self.tag = tag
        if transitions.hasObservers { tellTransition(mutation, tag) }
        feed(state: reduced.pointee)
        self.tag = outer
        // Not released with the lock held, nor before the state is told.
        withExtendedLifetime(before) {}
    }

    @inline(never)
    private func reduceLater(_ mutation: Mutation, _ tag: DispatchTag?) {
        doLater { self.reduce(mutation, tag) }
    }

    @inline(never)
    private func tellTransition(_ mutation: Mutation, _ tag: DispatchTag?) {
        transitions.onNext(
            ReactorTransition(revision: revision, mutation: mutation, state: reduced.pointee, tag: tag))
    }

    func feed(state: State) {
        guard let stateTransform, !stateTransform.isIdentity else { return publish(state) }
        stateTransform.feed(state)
    }

    /// In a turn, within a mutation: does it after that.
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

    /// From `transform(state:)`, wherever it sends.
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
        // Moved away at once: another state may be told from within the telling of this one.
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
