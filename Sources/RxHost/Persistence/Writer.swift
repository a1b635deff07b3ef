internal import CSQLite
internal import RxAction
internal import RxJSON

/// The connection that writes. Used from one queue.
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
    private let history: Trimmer
    private let keys: Trimmer
    private let accept: Statement
    private let giveKey: Statement
    private let start: Statement
    private let leave: Statement
    private let keep: Statement
    private let turnOff: Statement
    private let turnOn: Statement
    private let begin: Statement
    private let commit: Statement
    private let unusedPages: Statement
    private let returnPages: Statement
    /// Executions that have ended although it could not be written. They leave `pending` as soon as that can be: the
    /// history has lost them, but no later daemon starts them again or takes them for interrupted.
    private var unsettled: [ExecutionID] = []
    private var syncsEachCommit: Bool?

    init(_ database: Database, retention: ExecutionStore.Retention) throws(StoreError) {
        self.database = database
        accept = try Statement(
            """
            INSERT INTO pending(id, action, origin, queued_at, started_at, timeout, input, whole)
            VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8) ON CONFLICT(id) DO NOTHING
            """, database)
        giveKey = try Statement(
            """
            INSERT OR REPLACE INTO keys(action, uid, key, input_hash, id, given_at) VALUES(?1, ?2, ?3, ?4, ?5, ?6)
            """, database)
        start = try Statement("UPDATE pending SET started_at = ?2, whole = NULL WHERE id = ?1", database)
        leave = try Statement("DELETE FROM pending WHERE id = ?1", database)
        keep = try Statement(
            """
            INSERT INTO executions(
                id, action, state, origin, queued_at, started_at, ended_at, elements, input, error)
            VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10) ON CONFLICT(id) DO NOTHING
            """, database)
        turnOff = try Statement(
            "INSERT OR REPLACE INTO switches(action, origin, since, reason) VALUES(?1, ?2, ?3, ?4)", database)
        turnOn = try Statement("DELETE FROM switches WHERE action = ?1", database)
        begin = try Statement("BEGIN IMMEDIATE", database)
        commit = try Statement("COMMIT", database)
        unusedPages = try Statement("PRAGMA freelist_count", database)
        returnPages = try Statement("PRAGMA incremental_vacuum(\(Self.pagesReturned))", database)
        history = try Trimmer(
            database, table: "executions", time: "ended_at", count: retention.count, age: retention.age)
        keys = try Trimmer(
            database, table: "keys", time: "given_at", count: retention.keys, age: retention.keyLifetime)
        try database.keepLog(to: Self.logBytesKept)
    }

    /// Writes `group` in one transaction.
    ///
    /// - Returns: for each write why it failed, if it did: one alone, or all of them.
    func write(_ group: ArraySlice<Write>, at time: Int64) -> [StoreError?] {
        var failures = [StoreError?](repeating: nil, count: group.count)
        // What began and ended since the last commit needs no trace of its having been in flight.
        var ends: [ExecutionID: Int] = [:]
        if group.count > 1 {
            for (index, write) in group.enumerated() {
                if case .ended(let record, isKept: _) = write.change { ends[record.id] = index }
            }
        }
        do throws(StoreError) {
            try sync(eachCommit: group.contains { $0.isDurable })
            try begin.run()
            for id in unsettled { try leave(id) }
            for (index, write) in group.enumerated() {
                do throws(StoreError) {
                    try apply(write.change) { (ends[$0] ?? -1) > index }
                } catch {
                    // A fault of this write alone (too large, say) leaves the transaction open.
                    guard database.isInTransaction, error.concernsOneWrite else { throw error }
                    failures[index] = error
                }
            }
            let portion = max(group.count, Trimmer.portion)
            try history.trim(portion, at: time)
            try keys.trim(portion, at: time)
            try commit.run()
            unsettled = []
        } catch {
            rollBack()
            for index in failures.indices { failures[index] = error }
            for write in group where unsettled.count < Self.unsettledKept {
                if case .ended(let record, isKept: _) = write.change { unsettled.append(record.id) }
            }
        }
        return failures
    }

    /// Removes what is beyond the retention, as much as may take a moment.
    ///
    /// - Returns: whether there is more.
    func trim(at time: Int64) throws(StoreError) -> Bool {
        guard history.hasSurplus(at: time) || keys.hasSurplus(at: time) else { return try returnSpace() }
        do throws(StoreError) {
            try sync(eachCommit: false)
            try begin.run()
            try history.trim(Trimmer.portion, at: time)
            try keys.trim(Trimmer.portion, at: time)
            try commit.run()
        } catch {
            rollBack()
            throw error
        }
        return true
    }

    func checkpointIfNeeded() throws(StoreError) {
        if database.loggedPages >= Self.pagesLogged { try database.checkpoint() }
    }

    /// Gives space that old rows have left back to the file system, a part of it.
    ///
    /// - Returns: whether there is more.
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

    private func rollBack() {
        if database.isInTransaction { try? database.execute("ROLLBACK") }
        // Where even this cannot be read, the next write says so.
        try? history.look()
        try? keys.look()
    }

    /// Between transactions only, since SQLite fixes it at their begin. A commit without it is in the kernel's hands
    /// and so outlives the daemon, not the machine; the next that is synced takes all before it to the disk.
    private func sync(eachCommit: Bool) throws(StoreError) {
        guard syncsEachCommit != eachCommit else { return }
        try database.execute(eachCommit ? "PRAGMA synchronous = FULL" : "PRAGMA synchronous = NORMAL")
        syncsEachCommit = eachCommit
    }

    private func apply(_ change: Write.Change, endsInGroup: (ExecutionID) -> Bool) throws(StoreError) {
        switch change {
        case .accepted(let acceptance):
            if !endsInGroup(acceptance.record.id) { try accept(acceptance) }
            if let key = acceptance.key { try give(key, acceptance.record) }
        case .started(let id, let time, isDurable: _):
            guard !endsInGroup(id) else { return }
            start.bind(1, id)
            start.bind(2, time)
            try start.run()
        case .ended(let record, let isKept):
            try leave(record.id)
            if isKept { try keep(record) }
        case .switched(let action, let manual?):
            turnOff.bind(1, action)
            turnOff.bind(2, manual.by.stored)
            turnOff.bind(3, manual.since)
            turnOff.bind(4, manual.reason)
            try turnOff.run()
        case .switched(let action, nil):
            turnOn.bind(1, action)
            try turnOn.run()
        }
    }

    private func leave(_ id: ExecutionID) throws(StoreError) {
        leave.bind(1, id)
        try leave.run()
    }

    private func accept(_ acceptance: Write.Acceptance) throws(StoreError) {
        let record = acceptance.record
        accept.bind(1, record.id)
        accept.bind(2, record.action)
        accept.bind(3, record.by.stored)
        accept.bind(4, record.queuedAt)
        accept.bind(5, record.startedAt)
        accept.bind(6, acceptance.timeout?.wholeMilliseconds)
        accept.bind(7, record.input?.kept)
        accept.bind(8, acceptance.durableInput)
        try accept.run()
    }

    private func give(_ key: ExecutionKey, _ record: ExecutionRecord) throws(StoreError) {
        giveKey.bind(1, record.action)
        giveKey.bind(2, Int64(key.uid))
        giveKey.bind(3, key.text)
        giveKey.bind(4, key.inputHash)
        giveKey.bind(5, record.id)
        giveKey.bind(6, record.queuedAt)
        try giveKey.run()
        keys.added(database.lastInserted, at: record.queuedAt)
    }

    private func keep(_ record: ExecutionRecord) throws(StoreError) {
        let time = record.endedAt ?? record.startedAt ?? record.queuedAt
        keep.bind(1, record.id)
        keep.bind(2, record.action)
        keep.bind(3, record.state.rawValue)
        keep.bind(4, record.by.stored)
        keep.bind(5, record.queuedAt)
        keep.bind(6, record.startedAt)
        keep.bind(7, time)
        keep.bind(8, Int64(record.elements))
        keep.bind(9, record.input?.kept)
        keep.bind(10, record.error?.shortened(to: EventLog.errorBytesKept).stored)
        try keep.run()
        if database.changedRows > 0 { history.added(database.lastInserted, at: time) }
    }
}

extension RawJSON {
    /// What the history keeps of an input.
    fileprivate var kept: RawJSON? { utf8.count <= EventLog.inputBytesKept ? self : nil }
}

extension StoreError {
    /// A fault of what was to be written, not of the file or the disk.
    fileprivate var concernsOneWrite: Bool {
        switch self {
        case .failed(_, _, let code, _, _):
            [SQLITE_TOOBIG, SQLITE_CONSTRAINT, SQLITE_MISMATCH].contains(code & 0xFF)
        case .file, .inUse, .damaged, .foreign, .newer, .overloaded, .lost, .closed: false
        }
    }
}

extension Duration {
    /// Rounded up, so that a short limit does not become none.
    var wholeMilliseconds: Int64 {
        let (seconds, attoseconds) = components
        guard seconds < Int64.max / 1000 - 1 else { return .max }
        return seconds * 1000 + (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000
    }
}
