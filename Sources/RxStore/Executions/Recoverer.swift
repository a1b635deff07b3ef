internal import RxRecords
internal import RxAction
internal import RxJSON
internal import RxPlatform

/// Puts in order what an earlier daemon left: once, before anything else is written.
struct Recoverer {
    private let database: Database
    private let decoder = RowDecoder()
    private let time: Int64
    private let keys: KeyRecoverer
    private let log: LogOpening

    init(_ database: Database, keyLifetime: Duration, platform: Platform) {
        self.database = database
        time = platform.wallClock.milliseconds
        keys = KeyRecoverer(database, lifetime: keyLifetime, platform: platform)
        log = LogOpening(database, platform.entropy)
    }

    /// The condition of rows that are interrupted: all but queued durable inputs.
    private static let lost = "(started_at IS NOT NULL OR whole IS NULL)"
    /// The condition of those that were withdrawn: their records have their ends, and only their events are missing.
    private static let withdrawn = "EXISTS(SELECT 1 FROM executions x WHERE x.id = pending.id)"

    /// - Parameters:
    ///   - notes: what the earlier daemon has left beside the database.
    ///   - onInterrupted: called before executions become interrupted; see `ExecutionStore`.
    func run(
        _ notes: LeftNotes = LeftNotes(), onInterrupted: ([ExecutionID]) -> Void = { _ in }
    ) throws(StoreError) -> Recovery {
        var recovery = Recovery()
        try database.execute("PRAGMA synchronous = FULL")
        try transaction { () throws(StoreError) in
            recovery.inputSalt = try keys.prepare()
            recovery.log = try log.reserve(after: notes)
            try forget(notes.ends)
        }
        let isLost =
            "SELECT EXISTS(SELECT 1 FROM pending WHERE \(Self.lost)) OR EXISTS(SELECT 1 FROM keys WHERE state IS NULL)"
        if try database.integer(isLost) == 1 {
            onInterrupted(try lostIDs())
            try interrupt(&recovery)
        }
        recovery.unreadable += try log.read(into: &recovery.log)
        try keys.read(into: &recovery)
        try readQueued(&recovery)
        try readSwitches(&recovery)
        let streams = try StreamStatements.read(database)
        recovery.streams = streams.values
        recovery.unreadable += streams.unreadable
        return recovery
    }

    /// The executions that become interrupted, those that have started first: only they can have processes.
    private func lostIDs() throws(StoreError) -> [ExecutionID] {
        let rows = try Statement(
            """
            SELECT id FROM pending WHERE \(Self.lost) AND NOT \(Self.withdrawn) ORDER BY started_at IS NULL, seq
            LIMIT \(Recovery.interruptedListed)
            """, database)
        var ids: [ExecutionID] = []
        while try rows.step() {
            if let id = decoder.id(rows, 0) { ids.append(id) }
        }
        return ids
    }

    /// Removes executions that have ended without being in the history, as their readers know. One may be in it all the
    /// same, and keeps what it has: its commit was reported as failed, or an earlier version has made it interrupted.
    private func forget(_ ended: [ExecutionID]) throws(StoreError) {
        guard !ended.isEmpty else { return }
        let ids = RawJSON(.array(ended.map { .string($0.description) }))
        let isUnknown = "AND NOT EXISTS (SELECT 1 FROM executions x WHERE x.id = execution)"
        for (table, condition) in [
            ("pending", "id IN (SELECT value FROM json_each(?1))"),
            ("events", "execution IN (SELECT value FROM json_each(?1)) \(isUnknown)"),
            ("output", "execution IN (SELECT value FROM json_each(?1)) \(isUnknown)"),
        ] {
            let remove = try Statement("DELETE FROM \(table) WHERE \(condition)", database)
            remove.bind(1, ids)
            try remove.run()
        }
    }

    private func interrupt(_ recovery: inout Recovery) throws(StoreError) {
        let from = "FROM pending WHERE \(Self.lost) AND NOT \(Self.withdrawn) ORDER BY seq"
        let values = """
            id, action, '\(ExecutionState.interrupted.rawValue)', origin, queued_at, started_at, \(time),
            coalesce((SELECT count FROM output WHERE execution = id AND stream = 'elements' AND half = 0), 0), input,
            '\(ExecutionError.interrupted.stored.text)', due_at, attempt, attempts
            """
        let rows = try Statement("SELECT \(values) \(from) LIMIT \(Recovery.interruptedListed)", database)
        while try rows.step() {
            if let record = decoder.record(rows) {
                recovery.interrupted.append(record)
            } else {
                recovery.unreadable += 1
            }
        }
        try transaction { () throws(StoreError) in
            try keys.interrupt(lost: Self.lost, at: time)
            try log.interrupt(lost: Self.lost, at: time, in: &recovery.log)
            try database.execute("DELETE FROM pending WHERE \(Self.lost) AND \(Self.withdrawn)")
            try database.execute(
                "INSERT OR IGNORE INTO executions(\(RowDecoder.columns)) SELECT \(values) \(from)")
            try database.execute("DELETE FROM pending WHERE \(Self.lost)")
            recovery.interruptedCount = database.changedRows
        }
    }

    /// Runs `body` as a whole or not at all.
    ///
    /// It writes only what follows from rows that are there, so a constraint that fails means that these are damaged.
    private func transaction(_ body: () throws(StoreError) -> Void) throws(StoreError) {
        try database.execute("BEGIN IMMEDIATE")
        do throws(StoreError) {
            try body()
            try database.execute("COMMIT")
        } catch {
            if database.isInTransaction { try? database.execute("ROLLBACK") }
            throw error.asDamage
        }
    }

    private func readQueued(_ recovery: inout Recovery) throws(StoreError) {
        let keys = Dictionary(recovery.keyed.map { ($0.id, $0.key) }, uniquingKeysWith: { $1 })
        let rows = try Statement(
            """
            SELECT id, action, origin, queued_at, timeout, whole, input, due_at, overlap_group, after FROM pending
            ORDER BY seq
            """, database)
        while try rows.step() {
            guard let id = decoder.id(rows, 0), let causes = decoder.causes(rows, 2),
                let input = decoder.json(rows, 5)
            else {
                recovery.unreadable += 1
                continue
            }
            let after = decoder.json(rows, 9).flatMap { AwaitedEnds(stored: $0) }
            recovery.queued.append(
                StoredInput(
                    id: id, action: rows.text(1), causes: causes, input: input, shown: decoder.json(rows, 6),
                    queuedAt: rows.integer(3), dueAt: rows.integerOrNil(7),
                    timeout: rows.integerOrNil(4).map { .milliseconds($0) },
                    key: keys[id], group: rows.textOrNil(8), after: after, ends: try ends(of: after)))
        }
    }

    /// The states in which executions have ended of which the history knows.
    private func ends(of after: AwaitedEnds?) throws(StoreError) -> [ExecutionID: ExecutionState] {
        guard let after else { return [:] }
        let find = try Statement("SELECT state FROM executions WHERE id = ?1", database)
        var ends: [ExecutionID: ExecutionState] = [:]
        for id in after.executions {
            find.bind(1, id)
            if try find.step() { ends[id] = ExecutionState(rawValue: find.text(0)) }
            find.reset()
        }
        return ends
    }

    private func readSwitches(_ recovery: inout Recovery) throws(StoreError) {
        let rows = try Statement("SELECT action, origin, since, reason FROM switches", database)
        while try rows.step() {
            guard let by = decoder.origin(rows, 1) else {
                recovery.unreadable += 1
                continue
            }
            recovery.switches[rows.text(0)] = ManualSwitch(
                by: by, since: rows.integer(2), reason: rows.textOrNil(3))
        }
    }
}
