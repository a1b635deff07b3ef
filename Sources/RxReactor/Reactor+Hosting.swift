public import Rx

// For those who host a reactor: who keep its state, answer for its actions and tell others what changed.
extension Reactor {
    /// Starts with `state`, as after `revision` mutations, instead of `initialState`, which stays what it is.
    ///
    /// Before the first use of `action`, `state`, `dispatch` or `snapshot`: later is a programming error.
    public func restore(_ state: State, revision: Int) {
        store.engine.restore(ReactorSnapshot(revision: revision, state: state))
    }

    /// Has each reduced state admitted before it is the reactor's. With an error in answer it never is: the state before
    /// stays, and of the mutation nothing is told but that error, as `.refused`.
    ///
    /// Before the first use, and once: later is a programming error.
    ///
    /// - Parameter admission: asked in turns of the reactor, of a mutation, the state before and the one after it.
    public func admitStates(
        _ admission: @escaping @Sendable (_ mutation: Mutation, _ before: State, _ after: State) -> (any Error)?
    ) {
        store.engine.admitStates(admission)
    }

    /// Sends `action` and tells its end: when its turn is over, what `mutate` made of it in that turn has ended, and the
    /// mutations of that are reduced.
    ///
    /// - Parameters:
    ///   - tag: comes back with each transition and failure that the action leads to.
    ///   - ended: called once, in a turn of the reactor or, when the reactor goes before, by whoever lets go of it.
    ///     A mutation that a transform holds back is not waited for.
    public func dispatch(
        _ action: Action, tag: DispatchTag? = nil, ended: @escaping @Sendable (DispatchEnd<State>) -> Void
    ) {
        store.start(self)
        store.engine.dispatch(action, ToldTicket(tag, ended))
    }

    /// Reduces a mutation that was kept and tells it as a transition, past `mutate` and the transforms of actions and
    /// mutations: before this returns, unless a turn is under way elsewhere or the reactor has a `scheduler`.
    public func replay(_ mutation: Mutation) {
        store.start(self)
        store.engine.replay(mutation)
    }

    /// Ends it as if it had gone: what is under way is disposed, dispatches that have not ended are released, and the
    /// streams complete. In a turn, or whoever is in one may still be telling something.
    public func release() { store.engine.release() }

    /// Every mutation as it is reduced, with the state after it, in order and in the reactor's turns: before the state is
    /// told, and before the end of the dispatch. Completes when the reactor goes.
    ///
    /// Asking for it does not start the reactor, so that who subscribes before the first use misses none.
    public var transitions: Observable<ReactorTransition<Mutation, State>> { store.engine.transitions }

    /// What `errors` has, with the dispatch that it came of; just before it. Who subscribes here answers for the errors.
    public var failures: Observable<ReactorFailure> { store.engine.failures }

    /// The state as it was reduced last, and how many mutations led there.
    public var snapshot: ReactorSnapshot<State> {
        store.start(self)
        return store.engine.snapshot ?? ReactorSnapshot(revision: 0, state: initialState)
    }

    /// Where the reactor's turns are taken, one at a time. A stream merged into a transform that is observed on it first
    /// never comes in between a mutation and its reduction.
    public var executor: ReactorExecutor { store.engine.executor }
}
