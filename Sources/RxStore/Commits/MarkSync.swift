internal import Rx
internal import RxPlatform

/// Writes the mark of a database to the disk, on a queue of its own, so that nobody waits for it.
///
/// A failure leaves an earlier mark on the disk; the next change tries again.
final class MarkSync: Sendable {
    /// How late the mark on the disk may be: long enough that syncs are rare however many commits there are.
    static let delay = Duration.seconds(1)

    private let marks: CommitMarks
    private let queue: WorkQueue
    private let isScheduled = Locked(false)

    init(_ marks: CommitMarks, on queue: WorkQueue) {
        self.marks = marks
        self.queue = queue
    }

    /// The mark has changed, and is to be on the disk after `delay` at most.
    func schedule() {
        let isFirst = isScheduled.withLock { isScheduled in
            defer { isScheduled = true }
            return !isScheduled
        }
        guard isFirst else { return }
        queue.async(after: Self.delay) { [weak self] in
            guard let self else { return }
            // A change from here on may be too late for this sync.
            isScheduled.withLock { $0 = false }
            _ = marks.sync()
        }
    }

    /// Writes the mark to the disk soon.
    func begin() {
        queue.async { [weak self] in _ = self?.marks.sync() }
    }
}
