public import RxAction

/// What a reader of events reads.
public enum EventSource: Sendable {
    case named([Hosted])
    case executions([HostedExecution])

    public var sources: [Hosted] {
        switch self {
        case .named(let sources): sources
        case .executions(let executions): executions.map(\.action)
        }
    }
}

/// Where a reader begins.
public enum EventStart: Sendable, Hashable {
    /// With what happens next.
    case now
    /// With the newest event of each kind that is still kept.
    case last
    /// After this cursor of the log.
    case cursor(UInt64)
    /// With the first event of this execution.
    case execution(ExecutionID)
    /// With the first event of what is in flight; of executions, with their own.
    case executing
}

/// Why a reader cannot begin where it wants to.
public enum EventStartRefusal: Error, Sendable, Hashable {
    /// Not all of it is kept any more; after `oldest` it is.
    case expired(oldest: UInt64)
    /// The log is not there yet.
    case ahead
    /// Nothing is known of that execution.
    case notFound(ExecutionID)
    /// That execution is of another action.
    case elsewhere(ExecutionID)
}
