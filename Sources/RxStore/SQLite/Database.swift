internal import CSQLite
internal import RxPlatform

/// One connection to an SQLite file. Its owner uses it from one queue.
final class Database {
    /// Milliseconds that a write waits for another program that works on the file.
    private static let patience: Int32 = 5000

    /// SQLITE_IOERR_READ and SQLITE_IOERR_SHORT_READ, which Swift does not import.
    private static let (readFailure, shortRead) = (SQLITE_IOERR | 1 << 8, SQLITE_IOERR | 2 << 8)

    /// The instructions of SQLite's machine from one look whether to yield to the next: some rows, or about 10 µs.
    private static let stepsBetweenYields: Int32 = 256

    /// KiB of pages that a connection keeps if it lives as long as its store. What is written and read is mostly the
    /// newest, and the kernel has the other pages.
    private static let keptPages = 512

    /// The path of a database that is nowhere but in the memory of its connection.
    static let memory = ":memory:"

    let path: String
    let handle: OpaquePointer
    /// Kept for SQLite.
    private let cores: Cores?
    /// Pages in the write-ahead log after the last commit; written by SQLite.
    private let logged = UnsafeMutablePointer<Int32>.allocate(capacity: 1)

    /// Opens an existing file, or a new database in memory.
    ///
    /// - Parameters:
    ///   - onlyToRead: whether the file must not be changed. SQLite creates `-wal` and `-shm` beside it all
    ///     the same.
    ///   - cores: if given, threads that need a core for microseconds have it during statements.
    init(path: String, on disk: Disk, onlyToRead: Bool = false, sharing cores: Cores? = nil) throws(StoreError) {
        self.path = path
        self.cores = cores
        logged.initialize(to: 0)
        var opened: OpaquePointer?
        let access = onlyToRead ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE
        // SQLite would refuse a link anywhere in the path.
        let file = path == Self.memory ? path : disk.resolve(path) ?? path
        let code = sqlite3_open_v2(
            file, &opened, access | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_NOFOLLOW, disk.fileSystem)
        guard let opened else {
            logged.deallocate()
            throw .failed(doing: "open", path: path, code: code, message: "out of memory", errno: 0)
        }
        // From here on, `deinit` closes it.
        handle = opened
        guard code == SQLITE_OK else { throw error("open", code) }
        sqlite3_extended_result_codes(handle, 1)
        sqlite3_busy_timeout(handle, Self.patience)
        // A damaged schema must not make SQLite execute anything else.
        _ = csqlite_switch(handle, SQLITE_DBCONFIG_DEFENSIVE, 1)
        _ = csqlite_switch(handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0)
        movesLogAtClose(false)
        if let cores { share(cores) }
    }

    deinit {
        sqlite3_close_v2(handle)
        logged.deallocate()
    }

    /// Sets whether the last connection to close moves the log to the file. Off until the file is known to be ours.
    func movesLogAtClose(_ moves: Bool) {
        _ = csqlite_switch(handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, moves ? 0 : 1)
    }

    /// Runs statements and ignores their rows.
    func execute(_ sql: String) throws(StoreError) {
        let code = sqlite3_exec(handle, sql, nil, nil, nil)
        guard code == SQLITE_OK else { throw error(sql, code) }
    }

    /// The first column of the first row, 0 if there is none.
    func integer(_ sql: String) throws(StoreError) -> Int64 {
        let statement = try Statement(sql, self)
        return try statement.step() ? statement.integer(0) : 0
    }

    /// The first column of the first row, empty if there is none.
    func text(_ sql: String) throws(StoreError) -> String {
        let statement = try Statement(sql, self)
        return try statement.step() ? statement.text(0) : ""
    }

    var isReadOnly: Bool { sqlite3_db_readonly(handle, "main") == 1 }
    var isInTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }
    var changedRows: Int { Int(sqlite3_changes(handle)) }
    var lastInserted: Int64 { sqlite3_last_insert_rowid(handle) }

    /// Ends the statement that runs on another thread, with an error. The connection must be open.
    func interrupt() { sqlite3_interrupt(handle) }

    /// Counts the pages of the log from now on, and leaves it to the caller when they go to the file. A log of more
    /// than `bytes` is cut back to that when it begins anew.
    func keepLog(to bytes: Int) throws(StoreError) {
        try execute("PRAGMA journal_size_limit = \(bytes)")
        sqlite3_wal_hook(
            handle,
            { counter, _, _, pages in
                counter?.assumingMemoryBound(to: Int32.self).pointee = pages
                return SQLITE_OK
            }, logged)
    }

    /// Bounds the pages that the connection keeps in memory.
    func boundPages() throws(StoreError) { try execute("PRAGMA cache_size = -\(Self.keptPages)") }

    var loggedPages: Int { Int(logged.pointee) }

    /// Moves the log to the file, except for parts that readers still need there.
    ///
    /// - Returns: whether the whole log has been moved, so that all of it is on the disk. If not, because a reader
    ///   needs a part of it or another program has locked the file, a later call will move the rest.
    func checkpoint() throws(StoreError) -> Bool {
        var (frames, moved): (Int32, Int32) = (0, 0)
        let code = sqlite3_wal_checkpoint_v2(handle, nil, SQLITE_CHECKPOINT_PASSIVE, &frames, &moved)
        guard code == SQLITE_OK || code & 0xFF == SQLITE_BUSY else { throw error("checkpoint", code) }
        logged.pointee = 0
        return code == SQLITE_OK && moved == frames
    }

    /// Replaces everything in this file with the pages of another database, as of the read transaction that is open
    /// there, or else of this moment.
    func copyPages(of source: Database) throws(StoreError) {
        guard let backup = sqlite3_backup_init(handle, "main", source.handle, "main") else {
            throw error("copy", sqlite3_extended_errcode(handle))
        }
        let code = sqlite3_backup_step(backup, -1)
        let end = sqlite3_backup_finish(backup)
        guard code != SQLITE_DONE || end != SQLITE_OK else { return }
        let failure = code == SQLITE_DONE ? end : code
        switch (failure & 0xFF, failure) {
        case (SQLITE_NOTADB, _), (SQLITE_CORRUPT, _), (_, Self.readFailure), (_, Self.shortRead):
            // SQLite has the message at the connection that is written to.
            throw source.error("copy", failure, String(cString: sqlite3_errstr(failure)))
        case _: throw error("copy", failure)
        }
    }

    private func share(_ cores: Cores) {
        sqlite3_progress_handler(
            handle, Self.stepsBetweenYields,
            { cores in
                Unmanaged<Cores>.fromOpaque(cores!).takeUnretainedValue().yieldIfDue()
                return 0
            }, Unmanaged.passUnretained(cores).toOpaque())
    }

    /// The error for `code`, the result of the last call, with SQLite's message unless another one is given.
    func error(_ doing: String, _ code: Int32, _ message: String? = nil) -> StoreError {
        let message = message ?? String(cString: sqlite3_errmsg(handle))
        switch code & 0xFF {
        case SQLITE_NOTADB, SQLITE_CORRUPT: return .damaged(path: path, message: message)
        case SQLITE_IOERR, SQLITE_CANTOPEN, SQLITE_FULL:
            return .failed(
                doing: doing, path: path, code: code, message: message, errno: sqlite3_system_errno(handle))
        default: return .failed(doing: doing, path: path, code: code, message: message, errno: 0)
        }
    }
}
