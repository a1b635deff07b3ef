internal import Rx

/// A type-erased weak reference from an engine to its reactor.
class ReactorLink<Action: Sendable, Mutation: Sendable, State: Sendable>: @unchecked Sendable {
    // Unchecked: immutable.
    /// Returns nil if the reactor is gone.
    func mutate(_ action: Action) -> Observable<Mutation>? { nil }
    /// Writes the state after the mutation into uninitialized memory. Returns false if the reactor is gone.
    func reduce(_ state: State, _ mutation: Mutation, into place: UnsafeMutablePointer<State>) -> Bool { false }
}

final class WeakReactor<R: Reactor>: ReactorLink<R.Action, R.Mutation, R.State>, @unchecked Sendable {
    // Unchecked: immutable.
    private weak let reactor: R?

    init(_ reactor: R) {
        self.reactor = reactor
    }

    override func mutate(_ action: R.Action) -> Observable<R.Mutation>? { reactor?.mutate(action: action) }

    override func reduce(
        _ state: R.State, _ mutation: R.Mutation, into place: UnsafeMutablePointer<R.State>
    ) -> Bool {
        guard let reactor else { return false }
        place.initialize(to: reactor.reduce(state: state, mutation: mutation))
        return true
    }
}
