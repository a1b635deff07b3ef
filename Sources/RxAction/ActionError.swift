/// What `errors` carries and what the observable of `execute` fails with.
public enum ActionError: Error {
    /// The attempt was refused: the condition does not hold, or an execution is in flight.
    case notEnabled
    /// The work failed with this error, or was cancelled with this reason.
    case underlyingError(any Error)
}

/// The reason of a cancellation for which no other was given.
public struct ExecutionCancelled: Error {
    public init() {}
}

/// Why an attempt started nothing.
public enum Refusal: Error, Sendable {
    /// These executions are in flight.
    case executing([ExecutionID])
    /// The condition does not hold; with the error, if it failed.
    case condition((any Error)?)
    /// The action is gone.
    case released
}
