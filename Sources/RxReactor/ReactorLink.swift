internal import Rx

/// A reactor as its engine knows it: not kept, and of no particular type.
class ReactorLink<Action: Sendable, Mutation: Sendable, State: Sendable>: @unchecked Sendable {
    // Unchecked: immutable.
    // nil: the reactor has gone.
    func mutate(_ action: Action) -> Observable<Mutation>? { nil }
    func reduce(_ before: ReactorSnapshot<State>, _ mutation: Mutation) -> ReactorSnapshot<State>? { nil }
}

final class WeakReactor<R: Reactor>: ReactorLink<R.Action, R.Mutation, R.State>, @unchecked Sendable {
    // Unchecked: immutable.
    private weak let reactor: R?

    init(_ reactor: R) {
        self.reactor = reactor
    }

    override func mutate(_ action: R.Action) -> Observable<R.Mutation>? { reactor?.mutate(action: action) }

    override func reduce(
        _ before: ReactorSnapshot<R.State>, _ mutation: R.Mutation
    ) -> ReactorSnapshot<R.State>? {
        guard let reactor else { return nil }
        return ReactorSnapshot(
            revision: before.revision + 1, state: reactor.reduce(state: before.state, mutation: mutation))
    }
}
