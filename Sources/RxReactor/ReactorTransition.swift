public import Rx

// A class, like those below: passing it on copies nothing and needs no type layout.
/// A reduced mutation and the state after it.
public final class ReactorTransition<Mutation: RxSendable, State: RxSendable>: Sendable {
    /// The number of mutations so far, including this one and those before a restore.
    public let revision: Int
    /// The mutation.
    public let mutation: Mutation
    /// The state after the mutation, as `reduce(state:mutation:)` returned it, before `transform(state:)`.
    public let state: State
    /// The tag of the dispatch that caused the mutation, through its mutate or through a stream merged in
    /// synchronously; nil if no dispatch did.
    public let tag: DispatchTag?

    required init(revision: Int, mutation: Mutation, state: State, tag: DispatchTag?) {
        self.revision = revision
        self.mutation = mutation
        self.state = state
        self.tag = tag
    }
}

/// An object that identifies a dispatch to its caller.
public typealias DispatchTag = any AnyObject & Sendable

/// An error of a reactor and the dispatch that caused it.
public struct ReactorFailure: Sendable {
    /// The error and its origin.
    public let error: ReactorError
    /// The tag of the dispatch that caused the error; nil if no dispatch did.
    public let tag: DispatchTag?
}

/// A state and its revision.
public final class ReactorSnapshot<State: RxSendable>: Sendable {
    /// The number of mutations that led to the state, including those before a restore.
    public let revision: Int
    /// The state as `reduce(state:mutation:)` returned it, before `transform(state:)`.
    public let state: State

    /// Creates a snapshot of `state` after `revision` mutations.
    public required init(revision: Int, state: State) {
        self.revision = revision
        self.state = state
    }
}

/// How a dispatch ended.
public enum DispatchEnd<State: RxSendable>: Sendable {
    /// All mutations are reduced. The snapshot is the reactor's current one and may include other changes.
    case completed(ReactorSnapshot<State>)
    /// `mutate` failed. Its earlier mutations are reduced.
    case failed(any Error, ReactorSnapshot<State>)
    /// The reactor was released.
    case released
}
