/// The destination of log records.
public struct LogDestination: Sendable {
    /// nil for standard error.
    let journal: JournalSocket?
    let standardError: StandardError

    init(journal: JournalSocket?, standardError: StandardError) {
        self.journal = journal
        self.standardError = standardError
    }

    /// Lines on standard error.
    public static let standardError = LogDestination(journal: nil, standardError: StandardError(showsPriority: false))

    /// The journal, or standard error if there is none.
    public static let journal = LogDestination(
        journal: JournalSocket(), standardError: StandardError(showsPriority: StandardError.isJournal))

    /// The journal if standard error leads to it, as in a unit. Otherwise standard error, which a terminal, a pipe, or
    /// a file receives.
    public static let detected = StandardError.isJournal ? journal : standardError
}
