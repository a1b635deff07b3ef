public import Rx

// For those who host a reactor: who keep its state, answer for its actions and tell others what changed.
extension Reactor {
    /// Starts with `state`, as after `revision` mutations, instead of `initialState`, which stays what it is.
    ///
    /// Before the first use of `action`, `state`, `dispatch` or `snapshot`: later is a programming error.
    public func restore(_ state: State, revision: Int) {
        store.engine.restore(ReactorSnapshot(revision: revision, state: state))
    }

    /// Sends `action` and tells its end: when its turn is over, what `mutate` made of it in that turn has ended, and the
    /// mutations of that are reduced.
    ///
    /// - Parameter ended: called once, in a turn of the reactor or, when the reactor goes before, by whoever lets go of it.
    ///   A mutation that a transform holds back is not waited for.
    public func dispatch(_ action: Action, ended: @escaping @Sendable (DispatchEnd<State>) -> Void) {
        store.start(self)
        store.engine.dispatch(action, DispatchTicket(ended))
    }

    /// Every mutation as it is reduced, with the state after it, in order and in the reactor's turns: before the state is
    /// told, and before the end of the dispatch. Completes when the reactor goes.
    ///
    /// Asking for it does not start the reactor, so that who subscribes before the first use misses none.
    public var transitions: Observable<ReactorTransition<Mutation, State>> { store.engine.transitions }

    /// The state as it was reduced last, and how many mutations led there.
    public var snapshot: ReactorSnapshot<State> {
        store.start(self)
        return store.engine.snapshot ?? ReactorSnapshot(revision: 0, state: initialState)
    }

    /// Where the reactor's turns are taken, one at a time. A stream merged into a transform that is observed on it first
    /// never comes in between a mutation and its reduction.
    public var executor: ReactorExecutor { store.engine.executor }
}
