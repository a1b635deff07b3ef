public import RxRecords
public import RxJSON
public import RxReactor

/// How a Swift reactor's actions, mutations and states are told as JSON.
public struct ReactorCoding<R: Reactor>: Sendable {
    /// Throws what is wrong with it.
    public var action: @Sendable (RawJSON) throws(InputFault) -> R.Action
    /// Whether `action` takes nothing that the reactor's schema refuses: then the schema is asked only what is wrong.
    public var isExact: Bool
    public var mutation: @Sendable (R.Mutation) -> RawJSON
    /// Needed where mutations are replayed; nil for one that is not known any more.
    public var replayed: (@Sendable (RawJSON) -> R.Mutation?)?
    public var state: @Sendable (R.State) -> any ReactorState
    /// Of what was kept; nil for what is no state.
    public var restored: @Sendable (JSONValue) -> R.State?
    /// Called with a state that the reactor did not come to by its own doing, before its next action: one that was restored
    /// or replayed, or that stays because the one after it is too long. For what else has to be as the state says.
    public var adopted: @Sendable (R, R.State) -> Void
    /// By how many bytes a mutation has made the state longer, less than 0 for shorter: as JSON, but for the escapes in its
    /// strings, as `JSONValue.bytes(upTo:)` has it. Nil where the patch between the two states shall say it, which costs as much
    /// as to make that patch.
    public var growth: (@Sendable (_ mutation: R.Mutation, _ before: R.State, _ after: R.State) -> Int)?

    public init(
        action: @escaping @Sendable (RawJSON) throws(InputFault) -> R.Action, isExact: Bool = false,
        mutation: @escaping @Sendable (R.Mutation) -> RawJSON,
        replayed: (@Sendable (RawJSON) -> R.Mutation?)? = nil,
        state: @escaping @Sendable (R.State) -> any ReactorState,
        restored: @escaping @Sendable (JSONValue) -> R.State?,
        adopted: @escaping @Sendable (R, R.State) -> Void = { _, _ in },
        growth: (@Sendable (_ mutation: R.Mutation, _ before: R.State, _ after: R.State) -> Int)? = nil
    ) {
        self.action = action
        self.isExact = isExact
        self.mutation = mutation
        self.replayed = replayed
        self.state = state
        self.restored = restored
        self.adopted = adopted
        self.growth = growth
    }
}
