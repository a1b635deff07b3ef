internal import Synchronization

/// How far back the log goes, for other threads than the writer's.
final class LogExtent: Sendable {
    private let trimmed: Atomic<UInt64>
    private let trimmedOfStreams: Atomic<UInt64>

    init(_ log: RecoveredLog) {
        trimmed = Atomic(log.trimmed)
        trimmedOfStreams = Atomic(log.streams.trimmed)
    }

    /// Events of actions and reactors up to this one are beyond the retention.
    var trimmedThrough: UInt64 { trimmed.load(ordering: .acquiring) }

    /// Events of streams up to this one are beyond the retention.
    var trimmedOfStreamsThrough: UInt64 { trimmedOfStreams.load(ordering: .acquiring) }

    /// A commit has removed events up to these.
    func trim(through numbers: (events: UInt64, ofStreams: UInt64)) {
        trimmed.store(numbers.events, ordering: .releasing)
        trimmedOfStreams.store(numbers.ofStreams, ordering: .releasing)
    }
}
