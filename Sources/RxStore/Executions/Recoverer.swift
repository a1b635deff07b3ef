internal import RxRecords
internal import RxAction
internal import RxJSON

/// Puts in order what an earlier daemon left: once, before anything else is written.
struct Recoverer {
    private let database: Database
    private let decoder = RowDecoder()
    private let time: Int64
    private let keysSince: Int64

    /// - Parameter keysSince: keys given before this time have expired.
    init(_ database: Database, at time: Int64, keysSince: Int64) {
        self.database = database
        self.time = time
        self.keysSince = keysSince
    }

    /// The condition of rows that are interrupted: all but queued durable inputs.
    private static let lost = "(started_at IS NOT NULL OR whole IS NULL)"

    func run() throws(StoreError) -> Recovery {
        var recovery = Recovery()
        try database.execute("PRAGMA synchronous = FULL")
        if try database.integer("SELECT EXISTS(SELECT 1 FROM pending WHERE \(Self.lost))") == 1 {
            try interrupt(&recovery)
        }
        try readKeys(&recovery)
        try readQueued(&recovery)
        try readSwitches(&recovery)
        return recovery
    }

    private func interrupt(_ recovery: inout Recovery) throws(StoreError) {
        let from = "FROM pending WHERE \(Self.lost) ORDER BY seq"
        let values = """
            id, action, '\(ExecutionState.interrupted.rawValue)', origin, queued_at, started_at, \(time), 0, input,
            '\(ExecutionError.interrupted.stored.text)'
            """
        let rows = try Statement("SELECT \(values) \(from) LIMIT \(Recovery.interruptedListed)", database)
        while try rows.step() {
            if let record = decoder.record(rows) {
                recovery.interrupted.append(record)
            } else {
                recovery.unreadable += 1
            }
        }
        try database.execute("BEGIN IMMEDIATE")
        do throws(StoreError) {
            try database.execute(
                "INSERT OR IGNORE INTO executions(\(RowDecoder.columns)) SELECT \(values) \(from)")
            try database.execute("DELETE FROM pending WHERE \(Self.lost)")
            recovery.interruptedCount = database.changedRows
            try database.execute("COMMIT")
        } catch {
            if database.isInTransaction { try? database.execute("ROLLBACK") }
            throw error
        }
    }

    private func readKeys(_ recovery: inout Recovery) throws(StoreError) {
        let rows = try Statement(
            """
            SELECT k.key, k.uid, k.input_hash, k.action, k.given_at, k.id, e.id, e.action, e.state, e.origin,
                e.queued_at, e.started_at, e.ended_at, e.elements, NULL, e.error
            FROM keys k LEFT JOIN executions e ON e.id = k.id WHERE k.given_at >= ?1 ORDER BY k.seq
            """, database)
        rows.bind(1, keysSince)
        while try rows.step() {
            guard let uid = UInt32(exactly: rows.integer(1)), let id = decoder.id(rows, 5) else {
                recovery.unreadable += 1
                continue
            }
            var record = decoder.record(rows, from: 6)
            if let error = record?.error { record?.error = error.shortened(to: KeyedExecution.errorBytesKept) }
            recovery.keyed.append(
                KeyedExecution(
                    key: ExecutionKey(rows.text(0), uid: uid, inputHash: rows.text(2)), action: rows.text(3),
                    givenAt: rows.integer(4), id: id, record: record))
        }
    }

    private func readQueued(_ recovery: inout Recovery) throws(StoreError) {
        let keys = Dictionary(recovery.keyed.map { ($0.id, $0.key) }, uniquingKeysWith: { $1 })
        let rows = try Statement(
            "SELECT id, action, origin, queued_at, timeout, whole, input FROM pending ORDER BY seq", database)
        while try rows.step() {
            guard let id = decoder.id(rows, 0), let causes = decoder.causes(rows, 2),
                let input = decoder.json(rows, 5)
            else {
                recovery.unreadable += 1
                continue
            }
            recovery.queued.append(
                StoredInput(
                    id: id, action: rows.text(1), causes: causes, input: input, shown: decoder.json(rows, 6),
                    queuedAt: rows.integer(3), timeout: rows.integerOrNil(4).map { .milliseconds($0) },
                    key: keys[id]))
        }
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
