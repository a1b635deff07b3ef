internal import CSQLite
internal import RxAction

/// The connection that writes, transaction by transaction. Used from one queue.
final class Writer {
    /// Pages in the log at which they are moved to the file: 4 MB, so that the log stays small and the moving rare.
    private static let pagesLogged = 1000
    /// A large transaction makes the log as large as itself; it does not stay so.
    private static let logBytesKept = 8 << 20
    /// Unused pages (4 KB each) that stay in the file for the next rows.
    private static let pagesSpared: Int64 = 1024
    /// Pages given back to the file system at a time.
    private static let pagesReturned = 256
    /// Ends that could not be written and are remembered by their ids.
    private static let unsettledKept = 10_000

    let database: Database
    private let changes: ChangeStatements
    private let begin: Statement
    private let commit: Statement
    private let unusedPages: Statement
    private let returnPages: Statement
    private var syncsEachCommit: Bool?
    /// Executions that have ended although it could not be written. They leave `pending` as soon as that can be: the
    /// history has lost them, but no later daemon starts them again or takes them for interrupted.
    private var unsettled: [ExecutionID] = []

    init(_ database: Database, retention: ExecutionStore.Retention) throws(StoreError) {
        self.database = database
        changes = try ChangeStatements(database, retention)
        begin = try Statement("BEGIN IMMEDIATE", database)
        commit = try Statement("COMMIT", database)
        unusedPages = try Statement("PRAGMA freelist_count", database)
        returnPages = try Statement("PRAGMA incremental_vacuum(\(Self.pagesReturned))", database)
        try database.keepLog(to: Self.logBytesKept)
    }

    /// Writes `group` in one transaction.
    ///
    /// - Returns: for each write why it failed, if it did: one alone, or all of them.
    func write(_ group: ArraySlice<Write>, at time: Int64) -> [StoreError?] {
        do throws(StoreError) {
            return try attempt(group, at: time)
        } catch {
            var reason = error
            // A log that can grow no further begins anew once its pages are in the file.
            if error.isFullDisk, (try? database.checkpoint()) != nil {
                do throws(StoreError) { return try attempt(group, at: time) } catch { reason = error }
            }
            for write in group where unsettled.count < Self.unsettledKept {
                if case .ended(let record, isKept: _) = write.change { unsettled.append(record.id) }
            }
            return [StoreError?](repeating: reason, count: group.count)
        }
    }

    private func attempt(_ group: ArraySlice<Write>, at time: Int64) throws(StoreError) -> [StoreError?] {
        var failures = [StoreError?](repeating: nil, count: group.count)
        // What began and ended since the last commit needs no trace of its having been in flight.
        var ends: [ExecutionID: Int] = [:]
        if group.count > 1 {
            for (index, write) in group.enumerated() {
                if case .ended(let record, isKept: _) = write.change { ends[record.id] = index }
            }
        }
        try transaction(syncs: group.contains { $0.isDurable }) { () throws(StoreError) in
            for id in unsettled { try changes.leave(id) }
            for (index, write) in group.enumerated() {
                do throws(StoreError) {
                    try changes.apply(write.change) { (ends[$0] ?? -1) > index }
                } catch {
                    // A fault of this write alone (too large, say) leaves the transaction open.
                    guard database.isInTransaction, error.concernsOneWrite else { throw error }
                    failures[index] = error
                }
            }
            try changes.trim(max(group.count, Trimmer.portion), at: time)
        }
        unsettled = []
        return failures
    }

    /// Removes what is beyond the retention, and gives space that it has left back to the file system: as much of
    /// either as may take a moment.
    ///
    /// - Returns: whether there is more.
    func trim(at time: Int64) throws(StoreError) -> Bool {
        guard changes.hasSurplus(at: time) else { return try returnSpace() }
        try transaction(syncs: false) { () throws(StoreError) in try changes.trim(Trimmer.portion, at: time) }
        return true
    }

    func checkpointIfNeeded() throws(StoreError) {
        if database.loggedPages >= Self.pagesLogged { try database.checkpoint() }
    }

    private func transaction(syncs: Bool, _ body: () throws(StoreError) -> Void) throws(StoreError) {
        do throws(StoreError) {
            try sync(eachCommit: syncs)
            try begin.run()
            try body()
            try commit.run()
        } catch {
            if database.isInTransaction { try? database.execute("ROLLBACK") }
            changes.rolledBack()
            throw error
        }
    }

    /// Between transactions only, since SQLite fixes it at their begin. A commit without it is in the kernel's hands
    /// and so outlives the daemon, not the machine; the next that is synced takes all before it to the disk.
    private func sync(eachCommit: Bool) throws(StoreError) {
        guard syncsEachCommit != eachCommit else { return }
        try database.execute(eachCommit ? "PRAGMA synchronous = FULL" : "PRAGMA synchronous = NORMAL")
        syncsEachCommit = eachCommit
    }

    private func returnSpace() throws(StoreError) -> Bool {
        let unused = try countUnusedPages()
        guard unused > Self.pagesSpared else { return false }
        try sync(eachCommit: false)
        try returnPages.run()
        // Somebody may have made the file one that keeps its space.
        return try countUnusedPages() < unused
    }

    private func countUnusedPages() throws(StoreError) -> Int64 {
        defer { unusedPages.reset() }
        return try unusedPages.step() ? unusedPages.integer(0) : 0
    }
}

extension StoreError {
    fileprivate var isFullDisk: Bool { primaryCode == SQLITE_FULL }

    /// A fault of what was to be written, not of the file or the disk.
    fileprivate var concernsOneWrite: Bool {
        [SQLITE_TOOBIG, SQLITE_CONSTRAINT, SQLITE_MISMATCH].contains(primaryCode)
    }

    /// SQLite's code without its details, 0 for what is not from SQLite.
    private var primaryCode: Int32 {
        switch self {
        case .failed(_, _, let code, _, _): code & 0xFF
        case .file, .inUse, .damaged, .foreign, .newer, .overloaded, .lost, .closed: 0
        }
    }
}
