internal import RxPlatform

/// Counts the transactions of a database, in it and beside it.
// Unchecked: used from one queue.
final class CommitCounter: @unchecked Sendable {
    /// The number of transactions so far; 0 in a database of an early version, which did not count.
    static func number(in database: Database) throws(StoreError) -> UInt64 {
        guard try database.integer("SELECT count(*) FROM sqlite_schema WHERE name = 'commits'") > 0 else { return 0 }
        return UInt64(clamping: try database.integer("SELECT number FROM commits"))
    }

    private let marks: CommitMarks
    private let sync: MarkSync?
    private let update: Statement
    private var mark: CommitMark

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

    /// Counts a transaction, within it.
    func count() throws(StoreError) {
        update.bind(1, mark.committed + 1)
        try update.run()
    }

    /// The transaction is committed; `isSynced`: it and all before it are on the disk.
    func committed(isSynced: Bool) {
        mark.committed += 1
        if isSynced { mark.synced = mark.committed }
        write()
    }

    /// The transaction failed, and the log may have it all the same.
    func void() {
        marks.void.note(mark.committed + 1)
        sync?.schedule()
    }

    /// Everything that is committed is on the disk.
    func synced() {
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
