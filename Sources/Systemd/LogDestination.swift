/// Where records go.
public struct LogDestination: Sendable {
    /// Nil: to standard error.
    let journal: JournalSocket?
    let standardError: StandardError

    init(journal: JournalSocket?, standardError: StandardError) {
        self.journal = journal
        self.standardError = standardError
    }

    /// Lines on standard error.
    public static let standardError = LogDestination(journal: nil, standardError: StandardError(showsPriority: false))

    /// The journal, or standard error where there is none.
    public static let journal = LogDestination(
        journal: JournalSocket(), standardError: StandardError(showsPriority: StandardError.isJournal))

    /// The journal if standard error leads there anyway, as in a unit; else standard error, where a person at a terminal,
    /// a pipe or a file that somebody asked for is reading.
    public static let detected = StandardError.isJournal ? journal : standardError
}
