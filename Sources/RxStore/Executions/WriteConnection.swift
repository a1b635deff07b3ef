internal import CSQLite

/// The connection that writes, transaction by transaction. Used from one queue.
final class WriteConnection {
    /// Pages in the log at which they are moved to the file: 4 MB, so that the log stays small and the moving rare.
    private static let pagesLogged = 1000
    /// A large transaction makes the log as large as itself; it does not stay so.
    private static let logBytesKept = 8 << 20
    /// Unused pages (4 KB each) that stay in the file for the next rows.
    private static let pagesSpared: Int64 = 1024
    /// Pages given back to the file system at a time.
    private static let pagesReturned = 256

    let database: Database
    private let begin: Statement
    private let commit: Statement
    private let unusedPages: Statement
    private let returnPages: Statement
    private var syncsEachCommit: Bool?

    init(_ database: Database) throws(StoreError) {
        self.database = database
        begin = try Statement("BEGIN IMMEDIATE", database)
        commit = try Statement("COMMIT", database)
        unusedPages = try Statement("PRAGMA freelist_count", database)
        returnPages = try Statement("PRAGMA incremental_vacuum(\(Self.pagesReturned))", database)
        try database.keepLog(to: Self.logBytesKept)
    }

    /// Runs `body` as a whole or not at all.
    func transaction(syncs: Bool, _ body: () throws(StoreError) -> Void) throws(StoreError) {
        do throws(StoreError) {
            try sync(eachCommit: syncs)
            try begin.run()
            try body()
            try commit.run()
        } catch {
            if database.isInTransaction { try? database.execute("ROLLBACK") }
            throw error
        }
    }

    /// Runs `attempt` once more where the disk was full, if the log could begin anew: it can grow no further, but its
    /// pages are in the file now.
    func makingRoom<Value>(_ attempt: () throws(StoreError) -> Value) throws(StoreError) -> Value {
        do throws(StoreError) {
            return try attempt()
        } catch {
            guard error.isFullDisk, (try? database.checkpoint()) != nil else { throw error }
            return try attempt()
        }
    }

    func checkpointIfNeeded() throws(StoreError) {
        if database.loggedPages >= Self.pagesLogged { try database.checkpoint() }
    }

    /// Gives space that rows have left back to the file system, as much as may take a moment.
    ///
    /// - Returns: whether there is more.
    func returnSpace() throws(StoreError) -> Bool {
        let unused = try countUnusedPages()
        guard unused > Self.pagesSpared else { return false }
        try sync(eachCommit: false)
        try returnPages.run()
        // Somebody may have made the file one that keeps its space.
        return try countUnusedPages() < unused
    }

    /// Between transactions only, since SQLite fixes it at their begin. A commit without it is in the kernel's hands
    /// and so outlives the daemon, not the machine; the next that is synced takes all before it to the disk.
    private func sync(eachCommit: Bool) throws(StoreError) {
        guard syncsEachCommit != eachCommit else { return }
        try database.execute(eachCommit ? "PRAGMA synchronous = FULL" : "PRAGMA synchronous = NORMAL")
        syncsEachCommit = eachCommit
    }

    private func countUnusedPages() throws(StoreError) -> Int64 {
        defer { unusedPages.reset() }
        return try unusedPages.step() ? unusedPages.integer(0) : 0
    }
}

extension StoreError {
    fileprivate var isFullDisk: Bool { primaryCode == SQLITE_FULL }

    /// A fault of what was to be written, not of the file or the disk.
    var concernsOneWrite: Bool {
        [SQLITE_TOOBIG, SQLITE_CONSTRAINT, SQLITE_MISMATCH].contains(primaryCode)
    }

    /// SQLite's code without its details, 0 for what is not from SQLite.
    private var primaryCode: Int32 {
        switch self {
        case .failed(_, _, let code, _, _): code & 0xFF
        case .file, .inUse, .damaged, .foreign, .newer, .overloaded, .lost, .outOfOrder, .passed, .closed: 0
        }
    }
}
