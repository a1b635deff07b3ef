internal import CSQLite

/// Writes over one connection, transaction by transaction. Used from one queue.
final class WriteConnection {
    /// The pages in the log at which they are moved to the file: 4 MB, so that the log stays small and moves are rare.
    private static let pagesLogged = 1000
    /// The size to which the log is cut back after a large transaction.
    private static let logBytesKept = 8 << 20
    /// Unused pages (4 KB each) that stay in the file for the next rows.
    private static let pagesSpared: Int64 = 1024
    /// Pages returned to the file system at a time.
    private static let pagesReturned = 256

    let database: Database
    private let counter: CommitCounter
    private let files: OpenFiles
    private let begin: Statement
    private let commit: Statement
    private let unusedPages: Statement
    private let returnPages: Statement
    private var syncsEachCommit: Bool?
    /// Whether pages were returned that the file has until the log is moved to it.
    private var hasReturnedPages = false

    init(_ file: DatabaseFile) throws(StoreError) {
        database = file.database
        counter = file.counter
        files = file.files
        begin = try Statement("BEGIN IMMEDIATE", database)
        commit = try Statement("COMMIT", database)
        unusedPages = try Statement("PRAGMA freelist_count", database)
        returnPages = try Statement("PRAGMA incremental_vacuum(\(Self.pagesReturned))", database)
        try database.keepLog(to: Self.logBytesKept)
        try database.boundPages()
    }

    /// Runs `body` as a whole or not at all.
    ///
    /// Fails if a file that the next daemon needs was moved or removed: each transaction, synced or not, promises that
    /// the next daemon has it.
    func transaction(syncs: Bool, _ body: () throws(StoreError) -> Void) throws(StoreError) {
        do throws(StoreError) {
            if let path = files.moved { throw .moved(path: path) }
            // Otherwise, the transactions before this one may not be on the disk.
            if syncs, counter.needsCheckpoint { try checkpoint() }
            try sync(eachCommit: syncs)
            try begin.run()
            try body()
            try counter.count()
        } catch {
            rollBack()
            throw error
        }
        do throws(StoreError) {
            try commit.run()
        } catch {
            rollBack()
            // A transaction that did not fit on the disk is not whole there.
            if error.isFullDisk { counter.failed() } else { void() }
            throw error
        }
        counter.committed(isSynced: syncs)
    }

    /// Sees to it that no later daemon takes the transaction whose commit has failed for committed. If only the sync
    /// has failed, the log has all of it: another one, which changes nothing, replaces it there. If that fails, too,
    /// the next daemon is informed.
    private func void() {
        counter.doubt()
        do throws(StoreError) {
            try sync(eachCommit: false)
            try begin.run()
            try counter.count()
            try commit.run()
            counter.committed(isSynced: false)
        } catch {
            rollBack()
            counter.void()
        }
    }

    private func rollBack() {
        if database.isInTransaction { try? database.execute("ROLLBACK") }
    }

    /// Runs `attempt` again after the disk was full, if the log could be restarted: it cannot grow any further, but its
    /// pages are in the file now.
    func makingRoom<Value>(_ attempt: () throws(StoreError) -> Value) throws(StoreError) -> Value {
        do throws(StoreError) {
            return try attempt()
        } catch {
            guard error.isFullDisk, (try? checkpoint()) != nil else { throw error }
            return try attempt()
        }
    }

    func checkpointIfNeeded() throws(StoreError) {
        if database.loggedPages >= Self.pagesLogged { try checkpoint() }
    }

    private func checkpoint() throws(StoreError) {
        // SQLite syncs the log before it moves it, and the file after that.
        if try database.checkpoint() { counter.synced() }
    }

    /// Returns free pages to the file system, a portion that takes a moment.
    ///
    /// - Returns: whether there is more.
    func returnSpace() throws(StoreError) -> Bool {
        let unused = try countUnusedPages()
        guard unused > Self.pagesSpared else {
            if hasReturnedPages {
                hasReturnedPages = false
                try checkpoint()
            }
            return false
        }
        try sync(eachCommit: false)
        try returnPages.run()
        hasReturnedPages = true
        // Another program may have changed the file's `auto_vacuum` mode.
        return try countUnusedPages() < unused
    }

    /// To be set between transactions only, since SQLite reads it at their start. A commit without it is in the kernel
    /// and survives the daemon, not the machine; the next synced commit takes all earlier ones to the disk.
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

    /// Whether the values of the write, or its place, caused the error, not the file or the disk.
    var concernsOneWrite: Bool {
        if case .outOfOrder = self { return true }
        return [SQLITE_TOOBIG, SQLITE_CONSTRAINT, SQLITE_MISMATCH].contains(primaryCode)
    }

    /// The error of a write whose values come from the file itself: if they are refused, the file is damaged.
    var asDamage: StoreError {
        guard case .failed(_, let path, _, let message, _) = self, concernsOneWrite else { return self }
        return .damaged(path: path, message: message)
    }

    /// Whether the file is damaged or cannot be read.
    var isDamage: Bool {
        if case .damaged = self { return true }
        return primaryCode == SQLITE_IOERR
    }

    /// SQLite's primary result code; 0 if the error is not from SQLite.
    private var primaryCode: Int32 {
        switch self {
        case .failed(_, _, let code, _, _): code & 0xFF
        case .file, .inUse, .damaged, .unreadable, .unchecked, .damagedMark, .missing, .rolledBack, .moved, .foreign,
            .newer, .overloaded, .lost, .outOfOrder, .passed, .closed:
            0
        }
    }
}
