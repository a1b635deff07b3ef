internal import Synchronization

/// How far back the log goes, for other threads than the writer's.
final class LogExtent: Sendable {
    private let trimmed: Atomic<UInt64>

    init(_ trimmed: UInt64) { self.trimmed = Atomic(trimmed) }

    /// Events up to this one are beyond the retention, or could not be written.
    var trimmedThrough: UInt64 { trimmed.load(ordering: .acquiring) }

    /// A commit has removed events up to this one.
    func trim(through number: UInt64) { trimmed.store(number, ordering: .releasing) }
}
