/// Limits the events of no execution, or those of streams, to a number and an age, a portion at a time, so that no
/// commit waits for long.
///
/// Only the oldest is checked for its age. Events from a clock that was ahead are passed over until they are old enough
/// themselves: otherwise they would keep those after them.
final class EventTrimmer {
    /// The events that a trimmer limits.
    struct Events {
        fileprivate let table: String
        fileprivate let condition: String
        /// The table that has the numbers of the last events that were removed, and how its columns get them.
        fileprivate let log: String
        fileprivate let marks: [String]

        /// The events of actions and reactors that belong to no execution; others are removed with its record.
        static let withoutExecution = Events(
            table: "events", condition: "execution IS NULL", log: "log",
            // No reader of errors lacks a manual switch.
            marks: [mark("others_trimmed", "kind != '\(LoggedEvent.switchedKind)'")])
        static let ofStreams = Events(
            table: "stream_events", condition: "true", log: "stream_log",
            marks: [mark("trimmed", "true")]
                + LoggedEvent.StreamKind.allCases.map { mark($0.mark, "kind = '\($0.rawValue)'") })

        private static func mark(_ column: String, _ condition: String) -> String {
            "\(column) = max(\(column), coalesce((SELECT max(number) FROM surplus WHERE \(condition)), 0))"
        }
    }

    private let limit: Int
    /// The age limit, in milliseconds.
    private let age: Int64
    private let database: Database
    private let countAll: Statement
    private let findOldest: Statement
    private let mark: Statement
    private let remove: Statement
    private var count = 0
    /// The time of the oldest event that was not passed over.
    private var oldest: Int64?
    /// The number of the last event that was passed over, and the least time of these.
    private var ahead: (last: Int64, time: Int64) = (0, .max)

    init(
        _ database: Database, of some: Events = .withoutExecution, count limit: Int = .max, age: Duration
    ) throws(StoreError) {
        self.database = database
        self.limit = max(limit, 0)
        self.age = age.wholeMilliseconds
        let events = "FROM \(some.table) WHERE \(some.condition)"
        countAll = try Statement("SELECT count(*) \(events)", database)
        findOldest = try Statement(
            "SELECT time, number \(events) AND number > ?1 ORDER BY number LIMIT 1", database)
        let surplus = """
            WITH surplus AS (
                SELECT number, kind FROM (
                    SELECT number, time, kind \(events) AND number > ?3 ORDER BY number LIMIT ?1)
                WHERE time < ?2)
            """
        mark = try Statement("\(surplus) UPDATE \(some.log) SET \(some.marks.joined(separator: ", "))", database)
        remove = try Statement(
            "\(surplus) DELETE FROM \(some.table) WHERE number IN (SELECT number FROM surplus)", database)
        try look()
    }

    /// An event of this time was appended.
    func added(at time: Int64) {
        count += 1
        if oldest == nil { oldest = time }
    }

    func hasSurplus(at now: Int64) -> Bool {
        guard let oldest else { return count > limit || ahead.time < earliest(now) }
        // One of a later time is to be passed over.
        return count > limit || oldest < earliest(now) || oldest > now || ahead.time < earliest(now)
    }

    /// Removes at most `portion` of the oldest events that are beyond the limits.
    func trim(_ portion: Int, at now: Int64) throws(StoreError) {
        guard hasSurplus(at: now) else { return }
        let isTooMany = count > limit
        if isTooMany { return try removeOldest(min(portion, count - limit)) }
        try passOver(portion, at: now)
        try remove(portion, before: earliest(now), after: ahead.last)
    }

    /// Passes over at most `portion` events from a clock that was ahead; goes back to those that are old enough now.
    private func passOver(_ portion: Int, at now: Int64) throws(StoreError) {
        if ahead.time < earliest(now) {
            ahead = (0, .max)
            try readOldest()
        }
        var left = portion
        while left > 0, let time = oldest, time > now {
            if let number = try readOldest() { ahead = (number, min(ahead.time, time)) }
            try readOldest()
            left -= 1
        }
    }

    /// Removes so many of the oldest events, whatever the limits.
    func removeOldest(_ count: Int) throws(StoreError) { try remove(count, before: .max, after: 0) }

    /// The time of the oldest event, or of a later one if the clock of that one was ahead; nil if there is none.
    var oldestTime: Int64? { oldest ?? (count > 0 ? ahead.time : nil) }
    /// The number of events.
    var rows: Int { count }

    /// Removes those of the `portion` oldest events after a number that are from before `time`.
    private func remove(_ portion: Int, before time: Int64, after number: Int64) throws(StoreError) {
        for statement in [mark, remove] {
            statement.bind(1, Int64(portion))
            statement.bind(2, time)
            statement.bind(3, number)
            try statement.run()
        }
        count -= database.changedRows
        try readOldest()
    }

    /// Reads the extent, at the start and after a rollback.
    func look() throws(StoreError) {
        defer { countAll.reset() }
        count = try countAll.step() ? Int(clamping: countAll.integer(0)) : 0
        ahead = (0, .max)
        try readOldest()
    }

    /// - Returns: the number of the oldest event that was not passed over.
    @discardableResult
    private func readOldest() throws(StoreError) -> Int64? {
        findOldest.bind(1, ahead.last)
        defer { findOldest.reset() }
        guard try findOldest.step() else {
            oldest = nil
            return nil
        }
        oldest = findOldest.integer(0)
        return findOldest.integer(1)
    }

    private func earliest(_ now: Int64) -> Int64 { now.subtractingReportingOverflow(age).partialValue }
}
