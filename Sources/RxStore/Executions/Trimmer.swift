/// Limits one table to a number of rows and an age, a portion at a time, so that no commit waits for long.
///
/// The table's `seq` counts rows in the order of their insertion. Rows are counted by the range of `seq`, so a row that
/// was removed out of turn counts until its neighbors are removed. Only the oldest row is checked for its age. Rows
/// from a clock that was ahead are passed over until they are old enough themselves, or there are too many: otherwise
/// they would keep those after them.
final class Trimmer {
    /// Rows removed at a time: a few milliseconds.
    static let portion = 256

    private let count: Int64
    /// The age limit, in milliseconds.
    private let age: Int64
    private let database: Database
    private let findEnds: Statement
    private let findOldest: Statement
    private let removeSurplus: Statement
    private let removeOld: Statement
    /// The first and the last row; nil if there is none.
    private var ends: ClosedRange<Int64>?
    /// The oldest row that was not passed over.
    private var oldest: (seq: Int64, time: Int64)?
    /// The last row that was passed over, and the least time of these.
    private var ahead: (last: Int64, time: Int64) = (0, .max)

    /// - Parameter time: the column with the time of the row.
    init(_ database: Database, table: String, time: String, count: Int, age: Duration) throws(StoreError) {
        self.count = Int64(max(count, 0))
        self.age = age.wholeMilliseconds
        self.database = database
        findEnds = try Statement(
            "SELECT (SELECT min(seq) FROM \(table)), (SELECT max(seq) FROM \(table))", database)
        findOldest = try Statement("SELECT seq, \(time) FROM \(table) WHERE seq > ?1 ORDER BY seq LIMIT 1", database)
        removeSurplus = try Statement(
            """
            DELETE FROM \(table) WHERE seq IN (SELECT seq FROM \(table) ORDER BY seq LIMIT ?1) AND seq <= ?2
            """, database)
        removeOld = try Statement(
            """
            DELETE FROM \(table) WHERE seq IN (SELECT seq FROM \(table) WHERE seq > ?3 ORDER BY seq LIMIT ?1)
            AND \(time) < ?2
            """, database)
        try look()
    }

    /// The time of the oldest row, or of a later one if the clock of that one was ahead; nil if there is none.
    var oldestTime: Int64? { oldest?.time ?? (ends == nil ? nil : ahead.time) }
    /// The number of rows, and of those that were removed out of turn; without those that were passed over, if there
    /// are others.
    var rows: Int64 { ends.map { $0.upperBound - (oldest?.seq ?? $0.lowerBound) + 1 } ?? 0 }

    /// Removes so many of the oldest rows, whatever the limits.
    func removeOldest(_ count: Int) throws(StoreError) {
        _ = try remove(count, through: .max)
        try read()
    }

    /// A row of this time was inserted.
    func added(_ seq: Int64, at time: Int64) {
        ends = (ends?.lowerBound ?? seq)...max(ends?.upperBound ?? seq, seq)
        if oldest == nil { oldest = (seq, time) }
    }

    func hasSurplus(at now: Int64) -> Bool {
        guard let ends else { return false }
        if ends.lowerBound <= ends.upperBound - count || ahead.time < earliest(now) { return true }
        // One of a later time is to be passed over.
        return oldest.map { $0.time < earliest(now) || $0.time > now } ?? false
    }

    /// Removes those of the oldest `portion` rows that are beyond the limits.
    func trim(_ portion: Int, at now: Int64) throws(StoreError) {
        guard hasSurplus(at: now), let ends else { return }
        var left = portion
        if ends.lowerBound <= ends.upperBound - count {
            left -= try remove(portion, through: ends.upperBound - count)
            try read()
        }
        try passOver(left, at: now)
        if let oldest, oldest.time < earliest(now), left > 0 {
            removeOld.bind(1, Int64(left))
            removeOld.bind(2, earliest(now))
            removeOld.bind(3, ahead.last)
            try removeOld.run()
            try read()
        }
    }

    /// Passes over at most `portion` rows from a clock that was ahead; goes back to those that are old enough now.
    private func passOver(_ portion: Int, at now: Int64) throws(StoreError) {
        if ahead.time < earliest(now) { try look() }
        var left = portion
        while left > 0, let (seq, time) = oldest, time > now {
            ahead = (seq, min(ahead.time, time))
            try readOldest()
            left -= 1
        }
    }

    /// - Returns: how many of the oldest `portion` rows were removed, which are those up to `last`.
    private func remove(_ portion: Int, through last: Int64) throws(StoreError) -> Int {
        removeSurplus.bind(1, Int64(portion))
        removeSurplus.bind(2, last)
        try removeSurplus.run()
        return database.changedRows
    }

    /// Reads the extent of the table, at the start and after a rollback.
    func look() throws(StoreError) {
        ahead = (0, .max)
        try read()
    }

    private func read() throws(StoreError) {
        defer { findEnds.reset() }
        let isEmpty = try !findEnds.step() || findEnds.isNull(0)
        ends = isEmpty ? nil : findEnds.integer(0)...findEnds.integer(1)
        if isEmpty { ahead = (0, .max) }
        try readOldest()
    }

    private func readOldest() throws(StoreError) {
        findOldest.bind(1, ahead.last)
        defer { findOldest.reset() }
        oldest = try findOldest.step() ? (findOldest.integer(0), findOldest.integer(1)) : nil
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
