internal import RxJSON

/// The changes of stored reactors, as statements on the tables. Each is to be run within a transaction.
final class ReactorStatements {
    /// The texts of a step, which `RowSpace` measures, and the columns that have them.
    static let stepTexts = "reactor, cause, origin, action, mutation, patch"
    static let stepTextColumns: ClosedRange<Int32> = 0...5
    /// The texts of a snapshot, which `RowSpace` measures, and the columns that have them.
    static let snapshotTexts = "reactor, fingerprint, state"
    static let snapshotTextColumns: ClosedRange<Int32> = 0...2

    private let database: Database
    private let addStep: Statement
    private let addSnapshot: Statement
    private let oldestSteps: Statement
    private let dropSteps: Statement
    private let oneSnapshot: Statement
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
        oldestSteps = try Statement(
            """
            SELECT \(Self.stepTexts), revision FROM steps WHERE reactor = ?1 AND revision <= ?2
            ORDER BY revision LIMIT ?3
            """, database)
        dropSteps = try Statement("DELETE FROM steps WHERE reactor = ?1 AND revision <= ?2", database)
        oneSnapshot = try Statement(
            "SELECT \(Self.snapshotTexts) FROM snapshots WHERE reactor = ?1 AND revision = ?2", database)
        dropSnapshot = try Statement("DELETE FROM snapshots WHERE reactor = ?1 AND revision = ?2", database)
        findOldest = try Statement("SELECT min(revision) FROM steps WHERE reactor = ?1", database)
    }

    /// - Returns: the bytes of the row.
    func insert(_ step: KeptStep, of reactor: String) throws(StoreError) -> Int {
        addStep.bind(1, reactor)
        addStep.bind(2, step.revision)
        addStep.bind(3, step.time)
        var texts = reactor.utf8.count + step.textBytes
        switch step.change {
        case .reduced(let reduction):
            let origin = reduction.by?.stored
            texts += origin?.utf8.count ?? 0
            addStep.bind(4, String?.none)
            addStep.bind(5, origin)
            addStep.bind(6, reduction.action)
            addStep.bind(7, reduction.mutation)
            addStep.bind(8, reduction.patch)
            if let start = reduction.start { addStep.bind(9, start) } else { addStep.bind(9, Int64?.none) }
        case .replaced(let cause):
            texts += cause.rawValue.utf8.count
            addStep.bind(4, cause.rawValue)
            for column: Int32 in 5...9 { addStep.bind(column, Int64?.none) }
        }
        try addStep.run()
        return RowSpace.step(texts: texts)
    }

    /// - Returns: the bytes of the row.
    func insert(_ snapshot: ReactorWrite.Snapshot, _ state: RawJSON, of reactor: String) throws(StoreError) -> Int {
        try insert(snapshot.revision, time: snapshot.time, fingerprint: snapshot.fingerprint, state, of: reactor)
    }

    /// Adds a snapshot, in the place of one of the same revision.
    ///
    /// - Returns: the bytes of the row.
    func insert(
        _ revision: UInt64, time: Int64, fingerprint: String, _ state: RawJSON, of reactor: String
    ) throws(StoreError) -> Int {
        addSnapshot.bind(1, reactor)
        addSnapshot.bind(2, revision)
        addSnapshot.bind(3, time)
        addSnapshot.bind(4, fingerprint)
        addSnapshot.bind(5, state)
        // A state is large: it must not stay bound until the next one.
        defer { addSnapshot.bind(5, Int64?.none) }
        try addSnapshot.run()
        return RowSpace.snapshot(texts: reactor.utf8.count + fingerprint.utf8.count + state.utf8.count)
    }

    /// The bytes of a snapshot; 0 if there is none.
    func space(ofSnapshot revision: UInt64, of reactor: String) throws(StoreError) -> Int {
        oneSnapshot.bind(1, reactor)
        oneSnapshot.bind(2, revision)
        defer { oneSnapshot.reset() }
        guard try oneSnapshot.step() else { return 0 }
        return RowSpace.snapshot(texts: oneSnapshot.size(Self.snapshotTextColumns))
    }

    /// - Returns: the bytes of the row.
    func removeSnapshot(_ revision: UInt64, of reactor: String) throws(StoreError) -> Int {
        let bytes = try space(ofSnapshot: revision, of: reactor)
        dropSnapshot.bind(1, reactor)
        dropSnapshot.bind(2, revision)
        try dropSnapshot.run()
        return bytes
    }

    /// Removes the oldest steps, at least one and none beyond `revision`.
    ///
    /// - Returns: how many, and their bytes.
    func removeSteps(
        through revision: UInt64, of reactor: String, _ portion: LogTrimmer.Portion
    ) throws(StoreError) -> (rows: Int, bytes: Int) {
        oldestSteps.bind(1, reactor)
        oldestSteps.bind(2, revision)
        oldestSteps.bind(3, Int64(max(portion.rows, 1)))
        var (last, bytes): (UInt64?, Int) = (nil, 0)
        while bytes < portion.bytes, try oldestSteps.step() {
            bytes += RowSpace.step(texts: oldestSteps.size(Self.stepTextColumns))
            last = oldestSteps.unsigned(Self.stepTextColumns.upperBound + 1)
        }
        oldestSteps.reset()
        guard let last else { return (0, 0) }
        dropSteps.bind(1, reactor)
        dropSteps.bind(2, last)
        try dropSteps.run()
        return (database.changedRows, bytes)
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
