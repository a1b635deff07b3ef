internal import Glibc

/// The tables of a database file, and the steps that lead to its current version.
struct Schema {
    /// One change of a file's tables, defined beside the code that owns the tables. A released step never changes.
    struct Step {
        let sql: String

        init(_ sql: String) { self.sql = sql }
    }

    /// SQLite's application ID, which distinguishes this kind of file from others.
    let applicationID: Int64
    /// Each step leads from the version that equals its index to the next version.
    let steps: [Step]

    var version: Int { steps.count }

    /// Makes the file if there is none, for its owner alone; SQLite gives its log the same mode.
    static func createFile(_ path: String) throws(StoreError) {
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .file(call: "open", path: path, errno: errno) }
        close(descriptor)
    }

    /// Checks that the file is one of ours and brings it to the present version. A file that is not is not touched.
    func prepare(_ database: Database) throws(StoreError) {
        let tables = try database.integer("SELECT count(*) FROM sqlite_schema")
        let isNew = tables == 0
        let found = isNew ? 0 : try recognize(database)
        guard !database.isReadOnly else { throw .file(call: "open", path: database.path, errno: EROFS) }
        // Must come before the first table, and outlasts it: space that old executions leave goes back.
        if isNew { try database.execute("PRAGMA auto_vacuum = INCREMENTAL") }
        guard try database.text("PRAGMA journal_mode = WAL") == "wal" else {
            throw .failed(
                doing: "PRAGMA journal_mode = WAL", path: database.path, code: 1,
                message: "the file system gives no shared memory", errno: 0)
        }
        guard found < version else { return }
        try database.execute("BEGIN IMMEDIATE")
        for step in steps[found...] { try database.execute(step.sql) }
        try database.execute("PRAGMA application_id = \(applicationID); PRAGMA user_version = \(version); COMMIT")
    }

    /// The version of a file, which is one of ours and no later than this program.
    @discardableResult
    func recognize(_ database: Database) throws(StoreError) -> Int {
        let owner = try database.integer("PRAGMA application_id")
        guard owner == applicationID else { throw .foreign(path: database.path) }
        let found = try Int(database.integer("PRAGMA user_version"))
        guard found <= version else { throw .newer(path: database.path, found: found, known: version) }
        return found
    }

    /// Finds out whether the file can be written: that it is locked, or the disk full, is better known before anything is
    /// promised. Changes nothing in it.
    func tryWriting(_ database: Database) throws(StoreError) {
        do throws(StoreError) {
            // Nothing of it has to be on the disk.
            try database.execute(
                "PRAGMA synchronous = NORMAL; BEGIN IMMEDIATE; PRAGMA user_version = \(version); COMMIT")
        } catch {
            if database.isInTransaction { try? database.execute("ROLLBACK") }
            throw error
        }
    }

    /// Looks through all of the file for damage. What it cannot see is one text in the place of another.
    static func check(_ database: Database) throws(StoreError) {
        let finding = try database.text("PRAGMA quick_check(1)")
        guard finding == "ok" else { throw .damaged(path: database.path, message: finding) }
    }
}
