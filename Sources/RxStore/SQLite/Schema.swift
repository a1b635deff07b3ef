internal import Glibc
internal import RxPlatform

/// The tables of a database file, and the steps that lead to its current version.
struct Schema {
    /// One change of a file's tables, defined beside the code that owns the tables. A released step never changes.
    struct Step {
        let sql: String

        init(_ sql: String) { self.sql = sql }
    }

    /// How the rows of a table are checked: SQLite's own check does not know what their texts must be.
    struct RowCheck: Sendable {
        /// All rows of the table.
        let query: String
        /// Makes the test whether this program can read such a row of the file with this path.
        let makeTest: @Sendable (_ path: String) -> (_ row: Statement) -> Bool
    }

    /// SQLite's application ID, which distinguishes this kind of file from others.
    let applicationID: Int64
    /// Each step leads from the version that equals its index to the next version.
    let steps: [Step]
    /// The checks of the tables that are not read at the start.
    let rowChecks: [RowCheck]

    var version: Int { steps.count }

    /// Creates the file if there is none, with mode 0600; SQLite gives its log the same mode.
    static func createFile(_ path: String, on disk: Disk) throws(StoreError) {
        let error = disk.makeFile(path, 0o600)
        guard error == 0 else { throw .file(call: "open", path: path, errno: error) }
    }

    /// The version of the file; 0 if it has no tables yet. Throws as `recognize` does, and changes nothing.
    func version(of database: Database) throws(StoreError) -> Int {
        try database.integer("SELECT count(*) FROM sqlite_schema") == 0 ? 0 : try recognize(database)
    }

    /// Upgrades the file to the present version.
    ///
    /// - Parameters:
    ///   - database: the database, not in a transaction.
    ///   - found: its version.
    ///   - copies: makes a copy before an upgrade.
    func prepare(_ database: Database, from found: Int, _ copies: UpgradeCopies) throws(StoreError) {
        let isNew = found == 0
        guard !database.isReadOnly else { throw .file(call: "open", path: database.path, errno: EROFS) }
        // Has to precede the first table. With it, free pages can be returned to the file system.
        if isNew { try database.execute("PRAGMA auto_vacuum = INCREMENTAL") }
        guard try database.text("PRAGMA journal_mode = WAL") == "wal" else {
            throw .failed(
                doing: "PRAGMA journal_mode = WAL", path: database.path, code: 1,
                message: "the file system does not support shared memory, which WAL mode needs", errno: 0)
        }
        guard found < version else { return }
        if !isNew { try copies.make(of: database, in: found) }
        try database.execute("BEGIN IMMEDIATE")
        for step in steps[found...] { try database.execute(step.sql) }
        try database.execute("PRAGMA application_id = \(applicationID); PRAGMA user_version = \(version); COMMIT")
    }

    /// The version of the file. Throws if the file is not ours, or later than this program, and if its tables are not
    /// those of its version. SQLite has their definitions as texts: those that are damaged may still be definitions.
    @discardableResult
    func recognize(_ database: Database) throws(StoreError) -> Int {
        let owner = try database.integer("PRAGMA application_id")
        guard owner == applicationID else { throw .foreign(path: database.path) }
        let found = try Int(database.integer("PRAGMA user_version"))
        guard found <= version else { throw .newer(path: database.path, found: found, known: version) }
        let expected = try SchemaObjects(madeBy: steps.prefix(max(found, 0)))
        if let name = try SchemaObjects(of: database).difference(from: expected) {
            throw .damaged(path: database.path, message: "the definition of \(name) is not that of format \(found)")
        }
        return found
    }

    /// Throws if the file cannot be written, because it is locked or the disk is full: better now than after an
    /// acceptance. Changes nothing in it.
    func tryWriting(_ database: Database) throws(StoreError) {
        do throws(StoreError) {
            // The change is rolled back, so it need not be synced.
            try database.execute(
                "PRAGMA synchronous = NORMAL; BEGIN IMMEDIATE; PRAGMA user_version = \(version); COMMIT")
        } catch {
            if database.isInTransaction { try? database.execute("ROLLBACK") }
            throw error
        }
    }

    /// Checks the whole file for damage: its pages, and that its indices lead to the rows. What the rows contain is not
    /// checked; see `unreadableRows`.
    static func check(_ database: Database) throws(StoreError) {
        let finding = try database.text("PRAGMA integrity_check(1)")
        guard finding == "ok" else { throw .damaged(path: database.path, message: finding) }
    }

    /// The number of rows that cannot be read: other bytes were written over a part of them.
    func unreadableRows(in database: Database) throws(StoreError) -> Int {
        var unreadable = 0
        for check in rowChecks {
            let rows = try Statement(check.query, database)
            let isReadable = check.makeTest(database.path)
            while try rows.step() {
                if !isReadable(rows) { unreadable += 1 }
            }
        }
        return unreadable
    }
}
