internal import RxJSON
internal import RxPlatform

/// Opens the journal.
protocol JournalSystem: Sendable {
    /// Opens the journal, which is then used on `queue` alone.
    ///
    /// - Parameter changed: called once on the queue after each `awaitChange`.
    func open(
        _ rule: JournalRule, on queue: WorkQueue, changed: @escaping @Sendable () -> Void
    ) throws(JournalFailure) -> any OpenJournal
}

/// An open journal, at a place between two matching records. Reading may wait for the disk.
protocol OpenJournal: AnyObject {
    /// Goes to the place after all records that match now, and returns the cursor of the last one; nil if none matches.
    func seekToEnd() throws(JournalFailure) -> String?
    /// Goes to the place before the records that journald received at that time or later, in microseconds since 1970.
    func seek(since microseconds: UInt64) throws(JournalFailure)
    /// Goes to the place after a record; if that is gone, to where it would be.
    func seek(after cursor: String) throws(JournalFailure)
    /// Goes on by one record.
    ///
    /// - Parameter isWanted: whether the record is wanted, by its origin.
    func next(_ isWanted: (JournalOrigin) -> Bool) throws(JournalFailure) -> JournalStep
    /// Waits for new records. There may be none when the change is reported.
    func awaitChange()
    /// Takes notice of new and removed files, after a change was reported. Returns what was removed before it was
    /// known.
    func update() throws(JournalFailure) -> JournalGap?
    /// Closes it; no change is reported any more. A second call has no effect.
    func close()
}

/// What going on by one record found.
enum JournalStep: Hashable {
    case record(JournalRecord)
    case unwanted
    /// There are no more records yet.
    case end
}

/// A record of the journal.
struct JournalRecord: Hashable {
    /// Where it is in the journal.
    var cursor: String
    /// When journald received it, in microseconds since 1970-01-01T00:00:00Z.
    var microseconds: UInt64
    /// Its fields: see `JournalFields`.
    var fields: RawJSON
}

/// Who wrote a record, according to journald.
struct JournalOrigin: Hashable {
    /// `_SYSTEMD_UNIT`
    var unit: String?
    /// `_SYSTEMD_USER_UNIT`
    var userUnit: String?
    /// `_PID`
    var pid: String?
    /// `_UID`
    var uid: String?
    /// When journald received the record, in microseconds since 1970-01-01T00:00:00Z.
    var microseconds: UInt64
}

/// The reason why the journal cannot be read at present.
enum JournalFailure: Error, Hashable {
    /// There are files, none of which may be read.
    case notPermitted
    /// There are no files.
    case missing
    /// The kernel's limit of inotify instances per user is reached.
    case noWatches
    /// The stored position is not one of a journal.
    case invalidCursor
    /// A call failed, with this text.
    case system(String)

    /// The reason, in a sentence without a period.
    var reason: String {
        switch self {
        case .notPermitted:
            "the journal cannot be read: permission denied; add the daemon's user to the group systemd-journal "
                + "(systemd/examples/journal.conf) and restart the daemon"
        case .missing: "there is no journal in /run/log/journal or /var/log/journal; does systemd-journald run?"
        case .noWatches:
            "the journal cannot be watched: too many inotify instances; close some, or raise "
                + "fs.inotify.max_user_instances"
        case .invalidCursor: "the stored position is not one of a journal"
        case .system(let text): "the journal cannot be read: \(text)"
        }
    }
}
