internal import RxLoop

/// The records of an execution in flight that the journal gets, as they come, within a session.
final class FollowedJournal {
    var onRecord: (LogRecord) -> Void = { _ in }
    /// How many records have come.
    private(set) var count = 0
    /// The end of the execution, once it has come.
    private(set) var end: LogRecord?
    /// Whether journalctl goes on.
    var isOpen: Bool { watch != nil }

    private let match: String
    /// What is there already, and known.
    private var skipped: Int
    private var lines = JournalLines()
    private var program: ChildProgram?
    private var watch: Watch?

    /// - Parameters:
    ///   - match: the field and the value of the records.
    ///   - known: how many of the first records are known.
    init(_ match: String, after known: Int) {
        self.match = match
        skipped = known
    }

    /// Begins; without journalctl, nothing comes.
    func start(in session: DaemonSession) {
        program = ChildProgram("journalctl", Journal.arguments(match, follow: true), isInSession: true)
        guard let program else { return }
        watch = try? session.watch(program.output) { [self] in read() }
    }

    private func read() {
        guard let chunk = program?.readReady() else { return close() }
        for record in lines.take(chunk) {
            guard skipped == 0 else {
                skipped -= 1
                continue
            }
            count += 1
            if record.kind == .end { end = end ?? record }
            onRecord(record)
        }
    }

    /// Ends journalctl.
    func close() {
        watch?.cancel()
        watch = nil
        program?.end()
        program = nil
    }
}
