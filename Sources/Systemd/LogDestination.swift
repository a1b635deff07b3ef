internal import Glibc
internal import RxPlatform

/// The destination of log records.
public struct LogDestination: Sendable {
    /// nil for standard error.
    let journal: JournalSocket?
    let standardError: StandardError
    /// Whose thread writes the records; nil if whoever logs does.
    private(set) var queue: LogQueue?

    init(journal: JournalSocket?, standardError: StandardError) {
        self.journal = journal
        self.standardError = standardError
    }

    /// The same destination, to which a thread of its own writes: nobody who logs waits for it. Records that it does
    /// not take in time are lost and counted.
    func queued(on queues: Queues = .system) -> LogDestination {
        var destination = self
        destination.queue = LogQueue(queues) { [self] count in write(lost: count) }
        return destination
    }

    private func write(lost count: Int) {
        let (message, priority) = ("\(count) log records were lost: too many came at once", 4)
        if let journal, journal.send(JournalRecord(message, priority: priority, lost: count)) != .absent { return }
        standardError.write(priority: priority, line: message)
    }

    /// Lines on standard error.
    public static let standardError = LogDestination(journal: nil, standardError: StandardError(showsPriority: false))

    /// The journal, or standard error if there is none.
    public static let journal = LogDestination(
        journal: JournalSocket(), standardError: StandardError(showsPriority: StandardError.isJournal))

    /// The journal if standard error leads to it, as in a unit. Otherwise standard error, which a terminal, a pipe, or
    /// a file receives. A thread of its own writes the records; `exit` waits until it has, for a second at most.
    public static let detected: LogDestination = {
        let destination = (StandardError.isJournal ? journal : standardError).queued()
        atexit { LogDestination.detected.queue?.flush() }
        return destination
    }()
}
