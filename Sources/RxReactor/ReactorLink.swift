internal import Rx

/// A type-erased weak reference from a core to its reactor: a `WeakReactor`.
class ReactorLink<Action: RxSendable, Mutation: RxSendable, State: RxSendable>: @unchecked Sendable {
    // Unchecked: immutable.
    /// Returns nil if the reactor is gone.
    func mutate(_ action: Action) -> Observable<Mutation>? { nil }
    /// Writes the state after the mutation into uninitialized memory. Returns false if the reactor is gone.
    func reduce(_ state: State, _ mutation: Mutation, into place: UnsafeMutablePointer<State>) -> Bool { false }
}
