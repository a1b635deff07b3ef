internal import Rx

/// How far back the log goes, for other threads than the writer's.
final class LogExtent: Sendable {
    private let current: Locked<LogMarks>

    init(_ log: RecoveredLog) { current = Locked(log.marks) }

    /// The last events that are beyond the retention.
    var marks: LogMarks { current.withLock { $0 } }

    /// A commit has removed events up to these.
    func trim(through marks: LogMarks) { current.withLock { $0 = marks } }
}
