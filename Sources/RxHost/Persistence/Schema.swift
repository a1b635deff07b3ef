internal import Glibc

/// The tables of a file, and how it comes to have them.
struct Schema {
    /// Tells this kind of file from others.
    let applicationID: Int64
    /// Each step leads from the version that is its index to the next. Steps that were released never change.
    let steps: [String]

    var version: Int { steps.count }

    /// What `ExecutionStore` keeps; its id is "rxd" and a 1.
    ///
    /// - `executions`: the history. `seq` is the order in which executions ended.
    /// - `pending`: accepted and not yet ended. `seq` is the order of acceptance; `whole` is a durable input until it starts.
    /// - `keys`: `seq` is the order in which they were given.
    ///
    /// Ids are text, which sorts by time; times are milliseconds since 1970; `origin` and `error` are JSON. What may
    /// be large comes last in its row, so that the rest is read without it.
    static let executions = Schema(
        applicationID: 0x7278_6431,
        steps: [
            """
            CREATE TABLE executions(
                seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, action TEXT NOT NULL, state TEXT NOT NULL,
                origin TEXT NOT NULL, queued_at INTEGER NOT NULL, started_at INTEGER, ended_at INTEGER NOT NULL,
                elements INTEGER NOT NULL, input TEXT, error TEXT) STRICT;
            CREATE INDEX executions_by_action ON executions(action, id);
            CREATE TABLE pending(
                seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, action TEXT NOT NULL,
                origin TEXT NOT NULL, queued_at INTEGER NOT NULL, started_at INTEGER, timeout INTEGER,
                input TEXT, whole TEXT) STRICT;
            CREATE TABLE keys(
                seq INTEGER PRIMARY KEY, action TEXT NOT NULL, uid INTEGER NOT NULL, key TEXT NOT NULL,
                input_hash TEXT NOT NULL, id TEXT NOT NULL, given_at INTEGER NOT NULL, UNIQUE(action, uid, key)) STRICT;
            CREATE TABLE switches(
                action TEXT PRIMARY KEY, origin TEXT NOT NULL, since INTEGER NOT NULL, reason TEXT) STRICT;
            """
        ])

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
        for step in steps[found...] { try database.execute(step) }
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
