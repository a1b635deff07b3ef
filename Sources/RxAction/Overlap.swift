/// What an input does that arrives while work is in flight.
public enum Overlap: Sendable, Equatable {
    /// It is refused.
    case reject
}
