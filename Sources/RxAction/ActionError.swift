/// What `errors` carries and what the observable of `execute` fails with.
public enum ActionError: Error {
    /// The attempt was refused: the condition does not hold, or what is in flight lets nothing else start.
    case notEnabled
    /// The work failed with this error, or was cancelled with this reason; or the attempt was refused with
    /// `Refusal.queueFull`.
    case underlyingError(any Error)

    init(_ refusal: Refusal) {
        switch refusal {
        case .executing, .condition, .released: self = .notEnabled
        case .queueFull: self = .underlyingError(refusal)
        }
    }
}

/// The reason of a cancellation for which no other was given.
public struct ExecutionCancelled: Error {
    public init() {}
}

/// The reason of a cancellation by `Overlap.latest`: a later input took its place.
public struct ExecutionSuperseded: Error {
    public let by: ExecutionID
}

/// Why an attempt started nothing; as a cancellation's reason, why an input that waited never started.
public enum Refusal: Error, Sendable {
    /// These executions are in flight.
    case executing([ExecutionID])
    /// So many inputs wait already.
    case queueFull(limit: Int)
    /// The condition does not hold; with the error, if it failed.
    case condition((any Error)?)
    /// The action is gone.
    case released
}
