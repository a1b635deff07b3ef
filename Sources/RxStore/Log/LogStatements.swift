internal import RxAction
internal import RxJSON
internal import RxRecords

/// Writes events, and removes those of no execution that are beyond the retention. Used from one queue, within
/// transactions; those of executions are removed with their records.
final class LogStatements {
    private let append: Statement
    private let reserve: Statement
    private let forget: Statement
    private let trimmer: EventTrimmer

    init(_ database: Database, _ retention: ExecutionStore.Retention) throws(StoreError) {
        append = try Statement(
            """
            INSERT INTO events(number, time, name, kind, execution, ordinal, value) VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7)
            """, database)
        reserve = try Statement("UPDATE log SET reserved = max(reserved, ?1)", database)
        forget = try Statement("UPDATE log SET trimmed = max(trimmed, ?1)", database)
        trimmer = try EventTrimmer(database, count: retention.count, age: retention.age)
    }

    func append(_ event: LoggedEvent) throws(StoreError) {
        append.bind(1, Int64(clamping: event.number))
        append.bind(2, event.time)
        append.bind(3, event.name)
        append.bind(4, event.kind)
        append.bind(5, event.execution?.description)
        append.bind(6, Int64(event.ordinal))
        var value: RawJSON?
        if case .other(_, let content) = event.content { value = content }
        append.bind(7, value)
        try append.run()
        if event.execution == nil { trimmer.added(at: event.time) }
    }

    /// Numbers up to this one are used by this daemon alone.
    func reserve(through number: UInt64) throws(StoreError) {
        reserve.bind(1, Int64(clamping: number))
        try reserve.run()
    }

    /// Events up to this number are missing: they could not be written.
    func forget(through number: UInt64) throws(StoreError) {
        forget.bind(1, Int64(clamping: number))
        try forget.run()
    }

    func hasSurplus(at time: Int64) -> Bool { trimmer.hasSurplus(at: time) }

    func trim(_ portion: Int, at time: Int64) throws(StoreError) { try trimmer.trim(portion, at: time) }

    /// The time of the oldest event of no execution; nil if there is none.
    var oldestTime: Int64? { trimmer.oldestTime }
    /// The number of events of no execution.
    var rows: Int { trimmer.rows }

    /// Removes so many of the oldest events of no execution.
    func removeOldest(_ count: Int) throws(StoreError) { try trimmer.removeOldest(count) }

    /// The changes since the last commit were rolled back.
    func look() throws(StoreError) { try trimmer.look() }
}
