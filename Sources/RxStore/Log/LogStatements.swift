internal import RxAction
internal import RxJSON
internal import RxRecords

/// Writes events, and removes those of no execution, and of streams, that are beyond the retention. Used from one
/// queue, within transactions; those of executions are removed with their records, or if an end could not be written.
final class LogStatements {
    private let append: Statement
    private let reserve: Statement
    private let forget: Statement
    /// Limits the events of no execution.
    let ofNone: EventTrimmer
    private let streams: StreamEventStatements
    private let database: Database
    private var holes: EventHoles

    init(_ database: Database, _ retention: ExecutionStore.Retention) throws(StoreError) {
        append = try Statement(
            """
            INSERT INTO events(number, time, name, kind, execution, ordinal, value) VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7)
            """, database)
        reserve = try Statement("UPDATE log SET reserved = max(reserved, ?1)", database)
        forget = try Statement("DELETE FROM events WHERE execution = ?1", database)
        // `count` is one of executions: refusals in between must not push their events out.
        ofNone = try EventTrimmer(database, age: retention.age)
        streams = try StreamEventStatements(database, retention)
        self.database = database
        holes = try EventHoles(database)
    }

    /// Limits the events of streams.
    var ofStreams: EventTrimmer { streams.trimmer }

    func append(_ event: LoggedEvent) throws(StoreError) {
        if case .ofStream(let kind, let value) = event.content { return try streams.append(event, kind, value) }
        append.bind(1, Int64(clamping: event.number))
        append.bind(2, event.time)
        append.bind(3, event.name)
        append.bind(4, event.kind)
        append.bind(5, event.execution?.description)
        append.bind(6, Int64(event.ordinal))
        var value: RawJSON?
        if case .other(_, let content) = event.content { value = content }
        if case .attempt(let record) = event.content { value = record.attempts?.stored }
        append.bind(7, value)
        try append.run()
        if event.execution == nil { ofNone.added(at: event.time) }
    }

    /// Numbers up to this one are used by this daemon alone.
    func reserve(through number: UInt64) throws(StoreError) {
        reserve.bind(1, Int64(clamping: number))
        try reserve.run()
    }

    /// Removes the events of an execution.
    func forget(_ id: ExecutionID) throws(StoreError) {
        forget.bind(1, id.description)
        try forget.run()
    }

    /// Events with these numbers are missing: they could not be written.
    func lose(_ numbers: ClosedRange<UInt64>) throws(StoreError) {
        holes.insert(numbers)
        try holes.write(to: database)
    }

    func hasSurplus(at time: Int64) -> Bool { ofNone.hasSurplus(at: time) || ofStreams.hasSurplus(at: time) }

    func trim(_ portion: Int, at time: Int64) throws(StoreError) {
        try ofNone.trim(portion, at: time)
        try ofStreams.trim(portion, at: time)
    }

    /// The changes since the last commit were rolled back.
    func look() throws(StoreError) {
        try ofNone.look()
        try ofStreams.look()
        holes = try EventHoles(database)
    }
}
