internal import Rx

/// The reference from a core to a reactor of type `R`.
final class WeakReactor<R: ReactorProtocol>: ReactorLink<R.Action, R.Mutation, R.State>, @unchecked Sendable {
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
