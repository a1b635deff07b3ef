/// Limits the events of no execution, or those of streams, to a number and an age, a portion at a time, so that no
/// commit waits for long.
///
/// Only the oldest is checked for its age, so an event from a clock that was ahead keeps those after it until there are
/// too many.
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
    private var oldest: Int64?

    init(
        _ database: Database, of some: Events = .withoutExecution, count limit: Int = .max, age: Duration
    ) throws(StoreError) {
        self.database = database
        self.limit = max(limit, 0)
        self.age = age.wholeMilliseconds
        let events = "FROM \(some.table) WHERE \(some.condition)"
        countAll = try Statement("SELECT count(*) \(events)", database)
        findOldest = try Statement("SELECT time \(events) ORDER BY number LIMIT 1", database)
        let surplus = """
            WITH surplus AS (
                SELECT number, kind FROM (SELECT number, time, kind \(events) ORDER BY number LIMIT ?1) WHERE time < ?2)
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
        guard let oldest else { return false }
        return count > limit || oldest < earliest(now)
    }

    /// Removes at most `portion` of the oldest events that are beyond the limits.
    func trim(_ portion: Int, at now: Int64) throws(StoreError) {
        guard hasSurplus(at: now) else { return }
        let isTooMany = count > limit
        try remove(
            isTooMany ? min(portion, count - limit) : portion, before: isTooMany ? .max : earliest(now))
    }

    /// Removes so many of the oldest events, whatever the limits.
    func removeOldest(_ count: Int) throws(StoreError) { try remove(count, before: .max) }

    /// The time of the oldest event; nil if there is none.
    var oldestTime: Int64? { oldest }
    /// The number of events.
    var rows: Int { count }

    /// Removes those of the `portion` oldest events that are from before `time`.
    private func remove(_ portion: Int, before time: Int64) throws(StoreError) {
        for statement in [mark, remove] {
            statement.bind(1, Int64(portion))
            statement.bind(2, time)
            try statement.run()
        }
        count -= database.changedRows
        try readOldest()
    }

    /// Reads the extent, at the start and after a rollback.
    func look() throws(StoreError) {
        defer { countAll.reset() }
        count = try countAll.step() ? Int(clamping: countAll.integer(0)) : 0
        try readOldest()
    }

    private func readOldest() throws(StoreError) {
        defer { findOldest.reset() }
        oldest = try findOldest.step() ? findOldest.integer(0) : nil
    }

    private func earliest(_ now: Int64) -> Int64 { now.subtractingReportingOverflow(age).partialValue }
}
