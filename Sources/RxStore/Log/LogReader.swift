internal import RxAction
internal import RxJSON
internal import RxRecords

/// Reads the log page by page. Used from one queue; never waits for the writer.
final class LogReader {
    /// The most events of a page, and the bytes after which it ends.
    struct Limits {
        /// What is read in less than a millisecond, and sent in a tenth of that: more at once would keep the loop's
        /// core from other clients. Larger pages are hardly read faster.
        var events = 256
        /// What a reader may hold, of elements as well as of other events.
        var bytes = 256 << 10
        /// The most halves of executions' elements that a reader remembers from page to page: some 200 KiB.
        var started = 2048
    }

    /// The bytes of an event that is held, as it was read or as a line, beside the values of its record.
    static let eventBytes = 448

    /// A row of `executions`.
    private struct Found {
        /// Nil if there is none.
        let record: ExecutionRecord?
        /// Its values that may be long: each event of the execution has them in its line.
        let bytes: Int
    }

    var limits = Limits()

    private let database: Database
    private let readMarks: Statement
    private let bound: Statement
    private let ofAll: Statement
    private let ofNames: Statement
    private let ofExecutions: Statement
    private let record: Statement
    private let timeAt: Statement
    private let firstOf: Statement
    private let elements: LoggedElements
    private let streams: StreamEventReader
    private let newest: NewestEventReader
    private let decoder = RowDecoder()

    init(_ database: Database) throws(StoreError) {
        self.database = database
        readMarks = try LogMarks.statement(database)
        // Beyond this event the page has enough rows, wanted or not. No page ends between an error and the end of its
        // execution: the loss of elements comes before both, and is known with the end.
        bound = try Statement(
            """
            SELECT number + (kind = 'failed' AND execution IS NOT NULL) FROM events WHERE number > ?1 ORDER BY number
            LIMIT 1 OFFSET ?2
            """, database)
        let columns = "number, time, name, kind, execution, ordinal, value"
        let range = "number > ?1 AND number <= ?2 AND kind IN (SELECT value FROM json_each(?3))"
        ofAll = try Statement("SELECT \(columns) FROM events WHERE \(range) ORDER BY number", database)
        ofNames = try Statement(
            """
            SELECT \(columns) FROM events WHERE \(range) AND +name IN (SELECT value FROM json_each(?4))
            ORDER BY number
            """, database)
        ofExecutions = try Statement(
            """
            SELECT \(columns) FROM events WHERE execution IN (SELECT value FROM json_each(?4)) AND \(range)
            ORDER BY number LIMIT ?5 + 2
            """, database)
        record = try Statement(
            """
            SELECT \(RowDecoder.columns) FROM executions WHERE id = ?1
            UNION ALL SELECT id, action, 'queued', origin, queued_at, started_at, NULL, 0, input, NULL, due_at,
                attempt, attempts
            FROM pending WHERE id = ?1 LIMIT 1
            """, database)
        timeAt = try Statement("SELECT time, number FROM events WHERE number >= ?1 ORDER BY number LIMIT 1", database)
        firstOf = try Statement(
            "SELECT number, name FROM events WHERE execution = ?1 ORDER BY number LIMIT 1", database)
        elements = try LoggedElements(database)
        streams = try StreamEventReader(database)
        newest = try NewestEventReader(database)
    }

    func page(_ query: LogQuery) throws(StoreError) -> LogPage {
        try database.execute("BEGIN")
        defer { try? database.execute("COMMIT") }
        return try read(query)
    }

    /// Nil if the log has nothing of it.
    func place(_ lookup: LogLookup) throws(StoreError) -> LogPlace? {
        switch lookup {
        case .time(let time, let isOfStreams):
            return LogPlace(number: try isOfStreams ? streams.last(before: time) : last(before: time), name: "")
        case .execution(let id):
            firstOf.bind(1, id)
            defer { firstOf.reset() }
            return try firstOf.step() ? LogPlace(number: firstOf.unsigned(0), name: firstOf.text(1)) : nil
        }
    }

    /// Goes on with a search.
    func search(_ search: inout NewestEvents) throws(StoreError) {
        try database.execute("BEGIN")
        defer { try? database.execute("COMMIT") }
        try newest.search(&search) { query throws(StoreError) in try read(query) }
    }

    private func read(_ query: LogQuery) throws(StoreError) -> LogPage {
        let trimmed = try LogMarks(readMarks).last(of: query.parts)
        if case .streams(let names, let kinds) = query.source {
            return try streams.page(of: names, kinds, query, limits, trimmed: trimmed)
        }
        var query = query
        var page = try LogPage(&query, trimmed: trimmed) { time throws(StoreError) in try last(before: time) }
        guard query.after < query.through else { return page }
        if case .names = query.source {
            bound.bind(1, query.after)
            bound.bind(2, Int64(limits.events))
            if let last = try first(bound) { page.through = min(page.through, last) }
        }
        try readEvents(query, into: &page)
        if query.elements { try elements.read(query, limits, into: &page) }
        return page
    }

    private func first(_ statement: Statement) throws(StoreError) -> UInt64? {
        defer { statement.reset() }
        return try statement.step() ? statement.unsigned(0) : nil
    }

    /// The number of the last event before the first one since a time. Times grow with numbers, unless the clock was
    /// set: then it is one of several such places.
    private func last(before time: Int64) throws(StoreError) -> UInt64 {
        var (low, high): (UInt64, UInt64) = (0, UInt64(Int64.max))
        while low < high {
            let middle = low + (high - low) / 2
            timeAt.bind(1, middle)
            defer { timeAt.reset() }
            if try timeAt.step(), timeAt.integer(0) < time { low = timeAt.unsigned(1) + 1 } else { high = middle }
        }
        return low == 0 ? 0 : low - 1
    }

    // MARK: Events

    private func readEvents(_ query: LogQuery, into page: inout LogPage) throws(StoreError) {
        var records: [ExecutionID: Found] = [:]
        let rows = self.rows(query, through: page.through)
        defer { rows.reset() }
        while try rows.step() {
            let number = rows.unsigned(0)
            let isFull = page.events.count >= limits.events || page.bytes >= limits.bytes
            guard !isFull || page.events.last?.isFailure(rightBefore: number) == true else {
                // The number before an error may be that of a loss.
                page.through = page.events.last?.number ?? number - 1
                break
            }
            let execution = rows.isNull(4) ? nil : decoder.id(rows, 4)
            if !rows.isNull(4), execution == nil {
                page.unreadable += 1
                continue
            }
            if let event = try event(rows, number, execution, &records, &page.bytes) {
                page.events.append(event)
                page.bytes += Self.eventBytes
            } else if execution.flatMap({ records[$0]?.record }) != nil || execution == nil {
                // Otherwise it is an event of an execution whose acceptance was not stored.
                page.unreadable += 1
            }
        }
    }

    private func rows(_ query: LogQuery, through last: UInt64) -> Statement {
        let rows: Statement
        switch query.source {
        case .names(nil): rows = ofAll
        case .names(let names?):
            rows = ofNames
            rows.bind(4, RawJSON(.array(names.map { .string($0) })))
        case .streams: preconditionFailure("StreamEventReader reads them")
        case .executions(let executions):
            rows = ofExecutions
            rows.bind(4, RawJSON(.array(executions.map { .string($0.description) })))
            rows.bind(5, Int64(limits.events))
        }
        rows.bind(1, query.after)
        rows.bind(2, last)
        var kinds: [String] = []
        if query.errors { kinds += LogQuery.errorKinds }
        if query.executions {
            kinds += LogQuery.executionKinds
        } else if query.elements {
            // The ends have the numbers of the elements that are missing.
            kinds.append("ended")
        }
        rows.bind(3, RawJSON(.array(kinds.map { .string($0) })))
        return rows
    }

    /// Nil for a row that no version has written, or without the row of its execution.
    private func event(
        _ row: Statement, _ number: UInt64, _ execution: ExecutionID?,
        _ records: inout [ExecutionID: Found], _ bytes: inout Int
    ) throws(StoreError) -> LoggedEvent? {
        guard let ordinal = Int(exactly: row.integer(5)), ordinal >= 0 else { return nil }
        let kind = row.text(3)
        let content: LoggedEvent.Content?
        if let execution {
            let found = try find(execution, in: &records)
            bytes += found.bytes
            content = found.record.flatMap {
                .init(kind: kind, $0, at: row.integer(1), attempts: decoder.attempts(row, 6))
            }
        } else {
            bytes += row.size(6...6)
            content = decoder.json(row, 6).map { .other(kind: kind, $0) }
        }
        return content.map {
            LoggedEvent(
                number: number, time: row.integer(1), name: row.text(2), execution: execution, ordinal: ordinal,
                content: $0)
        }
    }

    private func find(
        _ id: ExecutionID, in records: inout [ExecutionID: Found]
    ) throws(StoreError) -> Found {
        if let known = records[id] { return known }
        record.bind(1, id)
        defer { record.reset() }
        let found =
            try record.step()
            ? Found(record: decoder.record(record), bytes: record.size(RowDecoder.largeColumns))
            : Found(record: nil, bytes: 0)
        records[id] = found
        return found
    }
}

extension LoggedEvent {
    /// Whether this is the error of an execution whose end has the number.
    fileprivate func isFailure(rightBefore number: UInt64) -> Bool {
        guard case .failed = content, execution != nil else { return false }
        return self.number + 1 == number
    }
}
