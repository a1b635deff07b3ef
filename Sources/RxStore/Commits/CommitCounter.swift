internal import RxPlatform

/// Counts the transactions of a database, in it and beside it.
// Unchecked: used from one queue.
final class CommitCounter: @unchecked Sendable {
    private let marks: CommitMarks
    private let sync: MarkSync?
    private let update: Statement
    private var mark: CommitMark
    /// Whether a transaction has failed that the log may have all the same, and nothing has replaced it.
    private var isVoid = false
    /// Whether a commit has failed and the log was not moved to the file since. The kernel reports a failed sync once:
    /// a later one that succeeds does not prove that earlier pages of the log are on the disk.
    private(set) var needsCheckpoint = false

    /// - Parameters:
    ///   - database: the database.
    ///   - marks: the file for the mark.
    ///   - sync: brings that to the disk; nil for nothing.
    ///   - mark: what is noted, and true of the database.
    init(
        _ database: Database, _ marks: CommitMarks, _ sync: MarkSync?, _ mark: CommitMark
    ) throws(StoreError) {
        self.marks = marks
        self.sync = sync
        self.mark = mark
        update = try Statement("UPDATE commits SET number = ?1", database)
    }

    /// Notes that what was found lost is reported: from here on, only later losses are losses.
    func accept() { write() }

    /// Counts a transaction, within it, and as the last thing before its commit: from here on, a whole transaction with
    /// this number can be the new one.
    func count() throws(StoreError) {
        update.bind(1, mark.committed + 1)
        try update.run()
        if isVoid { marks.void.clear() }
    }

    /// The transaction is committed; `isSynced`: it was synced, and so were all before it unless one failed.
    func committed(isSynced: Bool) {
        mark.committed += 1
        isVoid = false
        if isSynced, !needsCheckpoint { mark.synced = mark.committed }
        write()
    }

    /// The commit failed for want of room, so that the log does not have it. What it has of an earlier one stays.
    func failed() {
        if isVoid { void() }
    }

    /// The commit failed, and the log may have the transaction all the same: nothing after it counts as synced before
    /// the log is moved.
    func doubt() { needsCheckpoint = true }

    /// The log may have the failed transaction, and no other one could be written in its place.
    func void() {
        isVoid = true
        marks.void.note(mark.committed + 1)
        sync?.schedule()
    }

    /// Brings everything that is committed to the disk with a transaction that changes nothing else.
    ///
    /// - Returns: whether it is there.
    func sync(_ database: Database) throws(StoreError) -> Bool {
        guard !needsCheckpoint else { return false }
        try database.execute("PRAGMA synchronous = FULL; BEGIN IMMEDIATE")
        do throws(StoreError) {
            try count()
            try database.execute("COMMIT")
        } catch {
            if database.isInTransaction { try? database.execute("ROLLBACK") }
            void()
            throw error
        }
        committed(isSynced: true)
        return true
    }

    /// Everything that is committed is on the disk: the log was moved to the file as a whole.
    func synced() {
        needsCheckpoint = false
        guard mark.synced < mark.committed else { return }
        mark.synced = mark.committed
        marks.write(mark)
        sync?.begin()
    }

    private func write() {
        marks.write(mark)
        sync?.schedule()
    }
}
