public import Rx

// The interface for a host, which persists the state of a reactor, answers for its actions, and reports its changes.
extension ReactorProtocol {
    /// Starts the reactor with `state` at `revision` instead of with `initialState`.
    ///
    /// Call it before the first use of `action`, `state`, `dispatch`, or `snapshot`; a later call is a programming
    /// error.
    ///
    /// - Parameters:
    ///   - state: the first state.
    ///   - revision: the number of mutations that led to `state`.
    public func restore(_ state: State, revision: Int) {
        store.core.restore(ReactorSnapshot(revision: revision, state: state))
    }

    /// Installs a check that runs before each reduced state takes effect. If it returns an error, the previous state
    /// stays, and the mutation causes only that error, as `ReactorError.refused`.
    ///
    /// Call it once and before the first use of the reactor; a later call is a programming error.
    ///
    /// - Parameter admission: receives the mutation, the state before it, and the state after it, in turns of the
    ///   reactor.
    #if Migration
        @preconcurrency
    #endif
    public func admitStates(
        _ admission: @escaping @Sendable (_ mutation: Mutation, _ before: State, _ after: State) -> (any Error)?
    ) {
        store.core.admitStates(admission)
    }

    /// Sends `action` and reports its end. A dispatch ends when its turn is over, everything that `mutate` started in
    /// that turn has ended, and the resulting mutations are reduced. It does not wait for a mutation that a transform
    /// delays.
    ///
    /// - Parameters:
    ///   - action: the action to mutate by.
    ///   - tag: is attached to each transition and failure that the action causes.
    ///   - ended: called exactly once: in a turn of the reactor, or, if the reactor is released first, by the thread
    ///     that releases it.
    #if Migration
        @preconcurrency
    #endif
    public func dispatch(
        _ action: Action, tag: DispatchTag? = nil, ended: @escaping @Sendable (DispatchEnd<State>) -> Void
    ) {
        store.start(self)
        store.core.dispatch(action, store.core.ticketType.init(tag, ended))
    }

    /// Reduces a stored mutation and publishes it as a transition, bypassing `mutate` and the transforms of actions and
    /// mutations. It is reduced before this returns, unless another thread is in a turn or the reactor has a
    /// `scheduler`.
    public func replay(_ mutation: Mutation) {
        store.start(self)
        store.core.replay(mutation)
    }

    /// Ends the reactor as if it were deallocated: disposes running work, releases pending dispatches, and completes
    /// the streams. Call it in a turn; otherwise a turn in progress may still emit.
    public func release() { store.core.release() }

    /// Each reduced mutation with the resulting state, in order, in turns of the reactor. Emits before `state` does and
    /// before the dispatch ends. Grammar: `next* completed`; completes when the reactor is released.
    ///
    /// Reading this property does not start the reactor, so a subscriber from before the first use misses nothing.
    public var transitions: Observable<ReactorTransition<Mutation, State>> { store.core.transitions }

    /// The errors of `errors`, each with the tag of its dispatch, emitted just before `errors` does. A subscriber
    /// counts as a handler of the errors. Grammar: `next* completed`.
    public var failures: Observable<ReactorFailure> { store.core.failures }

    /// The last reduced state and its revision.
    public var snapshot: ReactorSnapshot<State> {
        store.start(self)
        return store.core.snapshot ?? ReactorSnapshot(revision: 0, state: initialState)
    }

    /// The executor of the reactor's turns. A stream that is observed on it before being merged into a transform never
    /// comes between a mutation and its reduction.
    public var executor: ReactorExecutor { store.core.executor }
}
