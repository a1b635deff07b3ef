public import RxAction
internal import RxStore

/// The names or executions whose events a reader reads.
public enum EventSource: Sendable {
    /// All events of these actions, reactors, or streams.
    case named([Hosted])
    /// The events of these executions only.
    case executions([HostedExecution])

    /// The actions, reactors, or streams that publish the events, one for each place of the source.
    public var sources: [Hosted] {
        switch self {
        case .named(let sources): sources
        case .executions(let executions): executions.map(\.action)
        }
    }

    /// Whether the names are streams: they are of one kind.
    var isOfStreams: Bool {
        switch self {
        case .named(let sources): sources.first?.kind == .stream
        case .executions: false
        }
    }
}

extension EventSource {
    /// The parts of the log on the disk that have events of these kinds. The retention leaves an execution all of its
    /// events or none: its readers lack nothing of what is kept.
    func parts(_ kinds: EventKinds) -> LogParts {
        guard case .named(let sources) = self else { return [] }
        if isOfStreams { return LogParts(kinds.ofStreams.map { .streams($0) }) }
        var parts: LogParts = kinds.contains(.errors) ? .others : []
        guard sources.contains(where: { $0.kind == .action }) else { return parts }
        if kinds.contains(.executions) { parts.insert(.executions) }
        if kinds.contains(.errors) { parts.insert(.failures) }
        if kinds.contains(.elements) { parts.insert(.elements) }
        return parts
    }
}

/// Where a reader begins.
public enum EventStart: Sendable, Hashable {
    /// With the next event.
    case now
    /// With the newest event of each kind that is still kept.
    case last
    /// After this cursor of the log.
    case cursor(UInt64)
    /// After a cursor of another log, which is always refused. If that is an earlier one, before some of it was lost,
    /// what is left of it follows `continuation`; nil for a log that is not known.
    case cursorOfAnother(continuation: UInt64?)
    /// With the oldest event that is kept.
    case start
    /// With the first event since this time, in milliseconds since 1970, or with the oldest that is kept.
    case time(Int64)
    /// With the first event of this execution.
    case execution(ExecutionID)
    /// With the first event of the oldest execution in flight; for a source of executions, with their own first events.
    case executing
}

/// Why a reader cannot begin at its `EventStart`.
public enum EventStartRefusal: Error, Sendable, Hashable {
    /// Some of the events, which only memory had, are not kept any more; a reader may go on after `oldest`. Nil if none
    /// of them were of this log.
    case expired(oldest: UInt64?)
    /// The cursor is ahead of the log.
    case ahead
    /// The execution is not known.
    case notFound(ExecutionID)
    /// The execution belongs to another action.
    case elsewhere(ExecutionID)
}
