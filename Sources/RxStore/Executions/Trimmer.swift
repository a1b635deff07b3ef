/// Limits one table to a number of rows and an age, a portion at a time, so that no commit waits for long.
///
/// The table's `seq` counts rows in the order of their insertion. Rows are counted by the range of `seq`, so a row that
/// was removed out of turn counts until its neighbors are removed. Only the oldest row is checked for its age, so a row
/// from a clock that was ahead keeps the rows after it until there are too many.
final class Trimmer {
    /// Rows removed at a time: a few milliseconds.
    static let portion = 256

    private let count: Int64
    /// The age limit, in milliseconds.
    private let age: Int64
    private let findEnds: Statement
    private let remove: Statement
    private let removeFirst: Statement
    private var newest: Int64 = 0
    private var oldest: (seq: Int64, time: Int64)?

    /// - Parameter time: the column with the time of the row.
    init(_ database: Database, table: String, time: String, count: Int, age: Duration) throws(StoreError) {
        self.count = Int64(max(count, 0))
        self.age = age.wholeMilliseconds
        findEnds = try Statement(
            "SELECT seq, \(time), (SELECT max(seq) FROM \(table)) FROM \(table) ORDER BY seq LIMIT 1", database)
        remove = try Statement(
            """
            DELETE FROM \(table) WHERE seq IN (SELECT seq FROM \(table) ORDER BY seq LIMIT ?1)
            AND (seq <= ?2 OR \(time) < ?3)
            """, database)
        removeFirst = try Statement(
            "DELETE FROM \(table) WHERE seq IN (SELECT seq FROM \(table) ORDER BY seq LIMIT ?1)", database)
        try look()
    }

    /// The time of the oldest row; nil if there is none.
    var oldestTime: Int64? { oldest?.time }
    /// The number of rows, and of those that were removed out of turn.
    var rows: Int64 { oldest.map { newest - $0.seq + 1 } ?? 0 }

    /// Removes so many of the oldest rows, whatever the limits.
    func removeOldest(_ count: Int) throws(StoreError) {
        removeFirst.bind(1, Int64(count))
        try removeFirst.run()
        try look()
    }

    /// A row of this time was inserted.
    func added(_ seq: Int64, at time: Int64) {
        newest = max(newest, seq)
        if oldest == nil { oldest = (seq, time) }
    }

    func hasSurplus(at now: Int64) -> Bool {
        guard let oldest else { return false }
        return oldest.seq <= newest - count || oldest.time < earliest(now)
    }

    /// Removes those of the oldest `portion` rows that are beyond the limits.
    func trim(_ portion: Int, at now: Int64) throws(StoreError) {
        guard hasSurplus(at: now) else { return }
        remove.bind(1, Int64(portion))
        remove.bind(2, newest - count)
        remove.bind(3, earliest(now))
        try remove.run()
        try look()
    }

    /// Reads the extent of the table, at the start and after a rollback.
    func look() throws(StoreError) {
        guard try findEnds.step() else {
            (oldest, newest) = (nil, 0)
            return
        }
        oldest = (findEnds.integer(0), findEnds.integer(1))
        newest = findEnds.integer(2)
        findEnds.reset()
    }

    private func earliest(_ now: Int64) -> Int64 { now.subtractingReportingOverflow(age).partialValue }
}

extension Duration {
    /// Rounded up, so that a short time does not become 0; 0 for a negative time.
    var wholeMilliseconds: Int64 {
        let (seconds, attoseconds) = components
        guard seconds >= 0 else { return 0 }
        guard seconds < Int64.max / 1000 - 1 else { return .max }
        return seconds * 1000 + (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000
    }
}
