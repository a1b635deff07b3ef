internal import RxAction
internal import RxPlatform
internal import RxRecords

/// The rows of execution keys. Used from one queue, within transactions.
///
/// No row is removed before its lifetime is over, however many there are, nor while its execution is in flight.
/// Lifetimes are measured by the monotonic clock: a change of the time of day does not shorten them.
final class KeyStatements {
    private let lifetime: Int64
    private let platform: Platform
    private let give: Statement
    private let settle: Statement
    private let forget: Statement
    private let findOldest: Statement
    private let remove: Statement
    private let renew: Statement
    private let database: Database
    /// The reading of the monotonic clock, in milliseconds, at which the oldest key was given; nil without keys.
    private var oldest: Int64?

    init(_ database: Database, lifetime: Duration, platform: Platform) throws(StoreError) {
        self.database = database
        self.lifetime = lifetime.wholeMilliseconds
        self.platform = platform
        give = try Statement(
            """
            INSERT OR REPLACE INTO keys(action, uid, key, input_hash, id, given_at, given_up, origin, queued_at,
                started_at, state, ended_at, elements, error)
            VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)
            """, database)
        settle = try Statement(
            "UPDATE keys SET started_at = ?2, state = ?3, ended_at = ?4, elements = ?5, error = ?6 WHERE id = ?1",
            database)
        forget = try Statement("DELETE FROM keys WHERE action = ?1 AND uid = ?2 AND key = ?3", database)
        findOldest = try Statement("SELECT given_up FROM keys ORDER BY given_up LIMIT 1", database)
        remove = try Statement(
            """
            DELETE FROM keys WHERE seq IN (
                SELECT seq FROM keys WHERE given_up < ?1
                    AND NOT EXISTS (SELECT 1 FROM pending WHERE pending.id = keys.id)
                ORDER BY given_up LIMIT ?2)
            """, database)
        renew = try Statement("UPDATE keys SET given_up = ?2 WHERE given_up < ?1", database)
        try look()
    }

    /// A key refers to the execution of `record` from now on.
    func give(_ key: ExecutionKey, to record: ExecutionRecord) throws(StoreError) {
        let now = platform.monotonicClock.wholeMilliseconds
        give.bind(1, record.action)
        give.bind(2, Int64(key.uid))
        give.bind(3, key.text)
        give.bind(4, key.inputHash)
        give.bind(5, record.id)
        give.bind(6, platform.wallClock.milliseconds)
        give.bind(7, now)
        give.bind(8, record.causes.stored)
        give.bind(9, record.queuedAt)
        give.bind(10, record.startedAt)
        give.bind(11, record.state.isFinal ? record.state.rawValue : nil)
        give.bind(12, record.endedAt)
        give.bind(13, Int64(record.elements))
        give.bind(14, record.error?.shortened(to: KeyedExecution.errorBytesKept).stored)
        try give.run()
        oldest = min(oldest ?? now, now)
    }

    /// An execution has ended: all keys that refer to it keep its end.
    func settle(_ record: ExecutionRecord) throws(StoreError) {
        settle.bind(1, record.id)
        settle.bind(2, record.startedAt)
        settle.bind(3, record.state.rawValue)
        settle.bind(4, record.endedAt)
        settle.bind(5, Int64(record.elements))
        settle.bind(6, record.error?.shortened(to: KeyedExecution.errorBytesKept).stored)
        try settle.run()
    }

    /// A key is forgotten before its lifetime is over.
    func forget(_ key: ExecutionKey.Identity, of action: String) throws(StoreError) {
        forget.bind(1, action)
        forget.bind(2, Int64(key.uid))
        forget.bind(3, key.text)
        try forget.run()
    }

    var hasSurplus: Bool {
        guard let oldest else { return false }
        return oldest < earliest(platform.monotonicClock.wholeMilliseconds)
    }

    /// Removes at most `portion` keys whose lifetime is over. The key of an execution that is still in flight gets
    /// another lifetime.
    func trim(_ portion: Int) throws(StoreError) {
        let now = platform.monotonicClock.wholeMilliseconds
        guard hasSurplus else { return }
        remove.bind(1, earliest(now))
        remove.bind(2, Int64(portion))
        try remove.run()
        if database.changedRows == 0 {
            renew.bind(1, earliest(now))
            renew.bind(2, now)
            try renew.run()
        }
        try look()
    }

    /// Reads the age of the oldest key, at the start and after a rollback.
    func look() throws(StoreError) {
        defer { findOldest.reset() }
        oldest = try findOldest.step() ? findOldest.integer(0) : nil
    }

    private func earliest(_ now: Int64) -> Int64 { now.subtractingReportingOverflow(lifetime).partialValue }
}

extension MonotonicClock {
    /// Whole milliseconds since a moment that is the same for all readings of one boot.
    var wholeMilliseconds: Int64 { Int64(now / .milliseconds(1)) }
}
