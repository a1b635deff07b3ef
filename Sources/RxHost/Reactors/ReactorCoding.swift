public import RxRecords
public import RxJSON
public import RxReactor

/// How the actions, mutations, and states of a reactor in Swift are represented as JSON.
public struct ReactorCoding<R: Reactor>: Sendable {
    /// Decodes an action. Throws what is wrong with it.
    public var action: @Sendable (RawJSON) throws(InputFault) -> R.Action
    /// Whether `action` refuses everything that the reactor's schema refuses: then the schema is used for messages
    /// only.
    public var isExact: Bool
    /// Encodes a mutation.
    public var mutation: @Sendable (R.Mutation) -> RawJSON
    /// Decodes a stored mutation, to be replayed; returns nil for one that is not known any more.
    public var replayed: (@Sendable (RawJSON) -> R.Mutation?)?
    /// Encodes a state.
    public var state: @Sendable (R.State) -> any ReactorState
    /// Decodes a stored state; returns nil for a value that is not a state.
    public var restored: @Sendable (JSONValue) -> R.State?
    /// Called before the next action with a state that did not follow from an action: one that was restored or
    /// replayed, or that stays because the next one is too long. The reactor brings its other variables in line with
    /// it.
    public var adopted: @Sendable (R, R.State) -> Void
    /// The number of bytes by which a mutation made the state longer (negative if shorter), as JSON without escapes in
    /// strings, as `JSONValue.bytes(upTo:)` counts. If nil, it is taken from the patch between the two states, at the
    /// cost of that patch.
    public var growth: (@Sendable (_ mutation: R.Mutation, _ before: R.State, _ after: R.State) -> Int)?

    /// A coding without replay and without `growth`, unless given.
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
