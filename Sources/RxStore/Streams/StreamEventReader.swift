internal import RxJSON

/// Reads the events of streams page by page. Used from one queue, within transactions.
final class StreamEventReader {
    private let bound: Statement
    private let ofAll: Statement
    private let ofNames: Statement
    private let since: Statement
    private let decoder = RowDecoder()

    init(_ database: Database) throws(StoreError) {
        // Beyond this event the page has enough rows, wanted or not.
        bound = try Statement(
            "SELECT number FROM stream_events WHERE number > ?1 ORDER BY number LIMIT 1 OFFSET ?2", database)
        let some = """
            SELECT number, time, name, kind, value FROM stream_events
            WHERE number > ?1 AND number <= ?2 AND kind IN (SELECT value FROM json_each(?3))
            """
        ofAll = try Statement("\(some) ORDER BY number", database)
        ofNames = try Statement(
            "\(some) AND +name IN (SELECT value FROM json_each(?4)) ORDER BY number", database)
        since = try Statement(
            """
            SELECT coalesce(
                (SELECT min(number) FROM stream_events WHERE time >= ?1), (SELECT max(number) + 1 FROM stream_events))
            """, database)
    }

    func page(
        of names: Set<String>?, _ kinds: [LoggedEvent.StreamKind], _ query: LogQuery, _ limits: LogReader.Limits,
        trimmed: UInt64
    ) throws(StoreError) -> LogPage {
        var query = query
        var page = try LogPage(&query, trimmed: trimmed) { time throws(StoreError) in try last(before: time) }
        guard query.after < query.through else { return page }
        bound.bind(1, query.after)
        bound.bind(2, Int64(limits.events))
        if let last = try first(bound) { page.through = min(page.through, last) }
        let rows = names == nil ? ofAll : ofNames
        rows.bind(1, query.after)
        rows.bind(2, page.through)
        rows.bind(3, RawJSON(.array(kinds.map { .string($0.rawValue) })))
        if let names { rows.bind(4, RawJSON(.array(names.map { .string($0) }))) }
        try read(rows, into: &page, limits)
        return page
    }

    private func read(_ rows: Statement, into page: inout LogPage, _ limits: LogReader.Limits) throws(StoreError) {
        defer { rows.reset() }
        while try rows.step() {
            let number = rows.unsigned(0)
            guard page.events.count < limits.events, page.bytes < limits.bytes else {
                page.through = number - 1
                break
            }
            page.bytes += 192 + rows.size(4...4)
            if let event = LoggedEvent(streamRow: rows, decoder) {
                page.events.append(event)
            } else {
                page.unreadable += 1
            }
        }
    }

    private func first(_ statement: Statement) throws(StoreError) -> UInt64? {
        defer { statement.reset() }
        return try statement.step() && !statement.isNull(0) ? statement.unsigned(0) : nil
    }

    /// The number before that of the first event since a time, which is the last one if there is none.
    func last(before time: Int64) throws(StoreError) -> UInt64 {
        since.bind(1, time)
        return try first(since).map { $0 - 1 } ?? 0
    }
}

extension LoggedEvent {
    /// The event of a row with the columns `number, time, name, kind, value`; nil for one that no version has written.
    init?(streamRow row: Statement, _ decoder: RowDecoder) {
        guard let kind = StreamKind(rawValue: row.text(3)), let value = decoder.json(row, 4) else { return nil }
        self.init(
            number: row.unsigned(0), time: row.integer(1), name: row.text(2), content: .ofStream(kind, value))
    }
}
