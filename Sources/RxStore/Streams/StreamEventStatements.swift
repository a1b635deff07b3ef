internal import RxJSON

/// Writes the events of streams. Used from one queue, within transactions.
final class StreamEventStatements {
    private let append: Statement
    /// Removes those that are beyond the retention.
    let trimmer: EventTrimmer

    init(_ database: Database, _ retention: ExecutionStore.Retention) throws(StoreError) {
        append = try Statement(
            "INSERT INTO stream_events(number, time, name, kind, value) VALUES(?1, ?2, ?3, ?4, ?5)", database)
        trimmer = try EventTrimmer(database, of: .ofStreams, count: retention.count, age: retention.age)
    }

    func append(_ event: LoggedEvent, _ kind: LoggedEvent.StreamKind, _ value: RawJSON) throws(StoreError) {
        append.bind(1, Int64(clamping: event.number))
        append.bind(2, event.time)
        append.bind(3, event.name)
        append.bind(4, kind.rawValue)
        append.bind(5, value)
        try append.run()
        trimmer.added(at: event.time)
    }
}
