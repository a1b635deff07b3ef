internal import RxJSON

/// The changes of stored reactors, as statements on the tables. Each is to be run within a transaction.
final class ReactorStatements {
    private let database: Database
    private let addStep: Statement
    private let addSnapshot: Statement
    private let dropSteps: Statement
    private let dropSnapshot: Statement
    private let findOldest: Statement

    init(_ database: Database) throws(StoreError) {
        self.database = database
        addStep = try Statement(
            """
            INSERT INTO steps(reactor, revision, time, cause, origin, action, mutation, patch, start)
            VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)
            """, database)
        addSnapshot = try Statement(
            """
            INSERT OR REPLACE INTO snapshots(reactor, revision, time, fingerprint, state) VALUES(?1, ?2, ?3, ?4, ?5)
            """, database)
        dropSteps = try Statement(
            """
            DELETE FROM steps WHERE reactor = ?1 AND revision IN
            (SELECT revision FROM steps WHERE reactor = ?1 AND revision <= ?2 ORDER BY revision LIMIT ?3)
            """, database)
        dropSnapshot = try Statement("DELETE FROM snapshots WHERE reactor = ?1 AND revision = ?2", database)
        findOldest = try Statement("SELECT min(revision) FROM steps WHERE reactor = ?1", database)
    }

    /// All that there is.
    func logs() throws(StoreError) -> [String: KeptLog] {
        var logs: [String: KeptLog] = [:]
        let snapshots = try Statement("SELECT reactor, revision FROM snapshots ORDER BY reactor, revision", database)
        while try snapshots.step() {
            let revision = snapshots.unsigned(1)
            logs[snapshots.text(0), default: KeptLog(newest: revision, snapshots: [])].snapshots.append(revision)
        }
        let newestStep = try Statement("SELECT max(revision) FROM steps WHERE reactor = ?1", database)
        for (reactor, var log) in logs {
            newestStep.bind(1, reactor)
            let step = try newestStep.step() ? newestStep.unsignedOrNil(0) : nil
            newestStep.reset()
            log.newest = max(step ?? 0, log.snapshots.last ?? 0)
            log.oldestStep = try oldestStep(of: reactor)
            logs[reactor] = log
        }
        return logs
    }

    func insert(_ step: KeptStep, of reactor: String) throws(StoreError) {
        addStep.bind(1, reactor)
        addStep.bind(2, step.revision)
        addStep.bind(3, step.time)
        switch step.change {
        case .reduced(let reduction):
            addStep.bind(4, String?.none)
            addStep.bind(5, reduction.by?.stored)
            addStep.bind(6, reduction.action)
            addStep.bind(7, reduction.mutation)
            addStep.bind(8, reduction.patch)
            if let start = reduction.start { addStep.bind(9, start) } else { addStep.bind(9, Int64?.none) }
        case .replaced(let cause):
            addStep.bind(4, cause.rawValue)
            for column: Int32 in 5...9 { addStep.bind(column, Int64?.none) }
        }
        try addStep.run()
    }

    func insert(_ snapshot: ReactorWrite.Snapshot, _ state: RawJSON, of reactor: String) throws(StoreError) {
        try insert(snapshot.revision, time: snapshot.time, fingerprint: snapshot.fingerprint, state, of: reactor)
    }

    /// A snapshot.
    func insert(
        _ revision: UInt64, time: Int64, fingerprint: String, _ state: RawJSON, of reactor: String
    ) throws(StoreError) {
        addSnapshot.bind(1, reactor)
        addSnapshot.bind(2, revision)
        addSnapshot.bind(3, time)
        addSnapshot.bind(4, fingerprint)
        addSnapshot.bind(5, state)
        // A state is large: it must not stay bound until the next one.
        defer { addSnapshot.bind(5, Int64?.none) }
        try addSnapshot.run()
    }

    func removeSnapshot(_ revision: UInt64, of reactor: String) throws(StoreError) {
        dropSnapshot.bind(1, reactor)
        dropSnapshot.bind(2, revision)
        try dropSnapshot.run()
    }

    /// Removes the oldest steps, none beyond `revision`.
    ///
    /// - Returns: how many, at least 1.
    func removeSteps(through revision: UInt64, of reactor: String, atMost count: Int) throws(StoreError) -> Int {
        dropSteps.bind(1, reactor)
        dropSteps.bind(2, revision)
        dropSteps.bind(3, Int64(count))
        try dropSteps.run()
        return max(database.changedRows, 1)
    }

    /// Reactors that no state can be built of.
    func reactorsWithoutSnapshot() throws(StoreError) -> [String] {
        let rows = try Statement(
            "SELECT DISTINCT reactor FROM steps WHERE reactor NOT IN (SELECT reactor FROM snapshots) ORDER BY reactor",
            database)
        var reactors: [String] = []
        while try rows.step() { reactors.append(rows.text(0)) }
        return reactors
    }

    func removeAll(of reactor: String) throws(StoreError) {
        for table in ["steps", "snapshots"] {
            let statement = try Statement("DELETE FROM \(table) WHERE reactor = ?1", database)
            statement.bind(1, reactor)
            try statement.run()
        }
    }

    func oldestStep(of reactor: String) throws(StoreError) -> UInt64? {
        findOldest.bind(1, reactor)
        defer { findOldest.reset() }
        return try findOldest.step() ? findOldest.unsignedOrNil(0) : nil
    }
}
