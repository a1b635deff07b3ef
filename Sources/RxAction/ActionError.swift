/// The errors in `Action.errors` and of the sequence that `Action.execute` returns.
public enum ActionError: Error {
    /// The attempt was refused: the condition is false, or the overlap rule admits no other execution now.
    case notEnabled
    /// The work failed with this error or was canceled with this reason, or the attempt was refused with
    /// `Refusal.queueFull` or `Refusal.tooManyGroups`.
    case underlyingError(any Error)

    init(_ refusal: Refusal) {
        switch refusal {
        case .executing, .condition, .released: self = .notEnabled
        case .queueFull, .tooManyGroups: self = .underlyingError(refusal)
        }
    }
}

/// The default reason for a cancellation.
public struct ExecutionCancelled: Error {
    /// Creates the default reason for a cancellation.
    public init() {}
}

/// The reason for a cancellation by `Overlap.latest`: a later input replaced this one.
public struct ExecutionSuperseded: Error {
    /// The execution that replaced the canceled one.
    public let by: ExecutionID
}

/// Why an attempt started nothing. As a cancellation's reason: why a waiting input never started.
public enum Refusal: Error, Sendable {
    /// The overlap rule admits no other execution while these are in flight: `limit` may be.
    case executing([ExecutionID], limit: Int)
    /// The queue already holds `limit` waiting inputs.
    case queueFull(limit: Int)
    /// The input belongs to no group with executions, and `limit` groups have some already.
    case tooManyGroups(limit: Int)
    /// The condition is false, or it failed with this error.
    case condition((any Error)?)
    /// The action was released.
    case released
}
