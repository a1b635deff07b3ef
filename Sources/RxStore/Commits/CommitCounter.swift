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
    private let update: Statement
    private var mark: CommitMark

    /// - Parameter mark: what is noted, and true of the database.
    init(_ database: Database, _ marks: CommitMarks, _ mark: CommitMark) throws(StoreError) {
        self.marks = marks
        self.mark = mark
        update = try Statement("UPDATE commits SET number = ?1", database)
    }

    /// Notes that what was found lost is reported: from here on, only later losses are losses.
    func accept() { marks.write(mark) }

    /// Counts a transaction, within it.
    func count() throws(StoreError) {
        update.bind(1, mark.committed + 1)
        try update.run()
    }

    /// The transaction is committed; `isSynced`: it and all before it are on the disk.
    func committed(isSynced: Bool) {
        mark.committed += 1
        if isSynced { mark.synced = mark.committed }
        marks.write(mark)
    }

    /// Everything that is committed is on the disk.
    func synced() {
        guard mark.synced < mark.committed else { return }
        mark.synced = mark.committed
        marks.write(mark)
    }
}
