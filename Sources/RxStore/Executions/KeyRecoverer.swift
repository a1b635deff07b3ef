internal import RxAction
internal import RxJSON
internal import RxPlatform
internal import RxRecords

/// Reads the keys that an earlier daemon left, once, before anything else is written.
struct KeyRecoverer {
    private let database: Database
    private let lifetime: Int64
    private let platform: Platform
    private let decoder = RowDecoder()

    init(_ database: Database, lifetime: Duration, platform: Platform) {
        self.database = database
        self.lifetime = lifetime.wholeMilliseconds
        self.platform = platform
    }

    /// Makes the salt of the input hashes if there is none, and converts the ages of the keys to the monotonic clock of
    /// this boot. Within one boot, that clock has gone on while no daemon executed; across boots, the age of
    /// a key follows from the time of day; it is at least 0. Within a transaction.
    func prepare() throws(StoreError) -> InputSalt {
        let (salt, boot) = try settings()
        let present = platform.disk.bootID() ?? .unknown
        let text = "\(String(present.high, radix: 16))-\(String(present.low, radix: 16))"
        let isSameBoot = present != .unknown && boot == text
        let rebase = try Statement(
            """
            UPDATE keys SET given_up = ?1 - min(max(?2 - given_at, 0), ?3) WHERE ?4 OR given_up > ?1
            """, database)
        rebase.bind(1, platform.monotonicClock.wholeMilliseconds)
        rebase.bind(2, platform.wallClock.milliseconds)
        // A little more than the lifetime: over.
        rebase.bind(3, min(lifetime, Int64.max / 4) + 1)
        rebase.bind(4, isSameBoot ? 0 : Int64(1))
        try rebase.run()
        if let salt, isSameBoot { return salt }
        let new = salt ?? InputSalt(low: platform.entropy.next(), high: platform.entropy.next())
        try database.execute("DELETE FROM key_settings")
        let insert = try Statement("INSERT INTO key_settings(salt, boot) VALUES(?1, ?2)", database)
        insert.bind(1, new.text)
        insert.bind(2, text)
        try insert.run()
        return new
    }

    private func settings() throws(StoreError) -> (salt: InputSalt?, boot: String?) {
        let row = try Statement("SELECT salt, boot FROM key_settings", database)
        defer { row.reset() }
        return try row.step() ? (InputSalt(text: row.text(0)), row.text(1)) : (nil, nil)
    }

    /// Executions without an end that a crash took along are `interrupted` for their keys too. Within the transaction
    /// that removes them from `pending`, before that.
    ///
    /// - Parameters:
    ///   - lost: the condition of the rows of `pending` that are going to be removed.
    ///   - time: now, in milliseconds since 1970.
    func interrupt(lost: String, at time: Int64) throws(StoreError) {
        try database.execute(
            """
            UPDATE keys SET
                started_at = coalesce(started_at, (SELECT p.started_at FROM pending p WHERE p.id = keys.id)),
                state = '\(ExecutionState.interrupted.rawValue)', ended_at = \(time), elements = 0,
                error = '\(ExecutionError.interrupted.stored.text)'
            WHERE state IS NULL AND id NOT IN (SELECT id FROM pending WHERE NOT \(lost))
            """)
    }

    /// Reads the keys that are still in force.
    func read(into recovery: inout Recovery) throws(StoreError) {
        let now = platform.monotonicClock.wholeMilliseconds
        let rows = try Statement(
            """
            SELECT key, uid, input_hash, action, given_up, id, origin, queued_at, started_at, state, ended_at, elements,
                error
            FROM keys WHERE given_up >= ?1 OR id IN (SELECT id FROM pending) ORDER BY given_up, seq
            """, database)
        rows.bind(1, now.subtractingReportingOverflow(lifetime).partialValue)
        while try rows.step() {
            guard let keyed = keyed(rows, at: now) else {
                recovery.unreadable += 1
                continue
            }
            recovery.keyed.append(keyed)
        }
    }

    /// Nil for a row that no version of this program has written.
    private func keyed(_ row: Statement, at now: Int64) -> KeyedExecution? {
        guard let uid = UInt32(exactly: row.integer(1)), let id = decoder.id(row, 5) else { return nil }
        let action = row.text(3)
        var record: ExecutionRecord?
        if !row.isNull(9) {
            guard let state = ExecutionState(rawValue: row.text(9)), state.isFinal,
                let causes = row.isNull(6) ? Causes(.host) : decoder.causes(row, 6),
                let elements = Int(exactly: row.integer(11)), elements >= 0
            else { return nil }
            var found = ExecutionRecord(
                id: id, action: action, causes: causes, state: state, queuedAt: row.integer(7),
                startedAt: row.integerOrNil(8), endedAt: row.integerOrNil(10), elements: elements)
            if !row.isNull(12) {
                guard let error = decoder.error(row, 12) else { return nil }
                found.error = error.shortened(to: KeyedExecution.errorBytesKept)
            }
            record = found
        }
        return KeyedExecution(
            key: ExecutionKey(row.text(0), uid: uid, inputHash: row.text(2)), action: action,
            age: .milliseconds(now - row.integer(4)), id: id, record: record)
    }
}
