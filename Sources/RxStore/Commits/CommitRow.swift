/// What a database has of its transactions: the row of its table `commits`.
struct CommitRow {
    /// The number of transactions so far; 0 in a database of an early version, which did not count.
    private(set) var number: UInt64 = 0
    /// Whether a mark is beside the database, unless it was lost. A backup has none; nor has a database that no start
    /// of this version has completed.
    private(set) var isMarked = false

    /// The row of a database without tables.
    init() {}

    /// Reads the row.
    init(_ database: Database) throws(StoreError) {
        let columns = try database.integer("SELECT count(*) FROM pragma_table_info('commits')")
        guard columns > 0 else { return }
        let row = try Statement("SELECT number, \(columns > 1 ? "marked" : "0") FROM commits", database)
        guard try row.step() else { return }
        number = row.unsigned(0)
        isMarked = row.integer(1) != 0
    }

    /// Notes in a database whether a mark is beside it.
    static func mark(_ database: Database, _ isMarked: Bool) throws(StoreError) {
        try database.execute("UPDATE commits SET marked = \(isMarked ? 1 : 0)")
    }
}
