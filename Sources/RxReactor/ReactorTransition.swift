/// A mutation that was reduced.
// Classes, here and below: what they hold is then handed on without being copied, and without asking how large it is.
public final class ReactorTransition<Mutation: Sendable, State: Sendable>: Sendable {
    /// How many mutations were reduced, this one included and those before a restore.
    public let revision: Int
    public let mutation: Mutation
    /// After it; as `reduce(state:mutation:)` returned it, before `transform(state:)`.
    public let state: State
    /// That of the dispatch that it came of: sent by its mutate, or by a merged stream within the doing of that. Nil for
    /// what came by itself.
    public let tag: DispatchTag?

    init(revision: Int, mutation: Mutation, state: State, tag: DispatchTag?) {
        self.revision = revision
        self.mutation = mutation
        self.state = state
        self.tag = tag
    }
}

/// What a dispatch is known by to the one who dispatches.
public typealias DispatchTag = any AnyObject & Sendable

/// An error of a reactor.
public struct ReactorFailure: Sendable {
    public let error: ReactorError
    /// As that of a `ReactorTransition`.
    public let tag: DispatchTag?
}

/// A state and how many mutations led there.
public final class ReactorSnapshot<State: Sendable>: Sendable {
    public let revision: Int
    /// As `reduce(state:mutation:)` returned it, before `transform(state:)`.
    public let state: State

    public init(revision: Int, state: State) {
        self.revision = revision
        self.state = state
    }
}

/// How a dispatch ended.
public enum DispatchEnd<State: Sendable>: Sendable {
    /// What the reactor is at then, which others may have changed too.
    case completed(ReactorSnapshot<State>)
    /// `mutate` failed; the mutations before are reduced.
    case failed(any Error, ReactorSnapshot<State>)
    /// The reactor has gone.
    case released
}
