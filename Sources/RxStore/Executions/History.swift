internal import RxAction
internal import RxJSON
internal import RxRecords

/// Reads ended executions over a connection of its own. Used from one queue; never waits for the writer.
final class History {
    /// The most bytes of text in a page; a page ends early rather than exceed it.
    static let bytesPerPage = 32 << 20
    /// The most rows that one read goes through to find those of a selection: a few milliseconds, because the reads of
    /// all users wait for each other.
    static let rowsPerRead = 4096
    /// The most rows that one read goes through if it searches texts, of which an execution may have 150 KB with its
    /// output.
    static let rowsPerSearch = 64

    private let newest: HistoryStatements
    private let oldest: HistoryStatements
    private let one: Statement
    private let decoder = RowDecoder()
    private let path: String
    /// Reads the output of executions.
    let output: OutputReader
    /// Reads the log.
    let log: LogReader

    init(_ database: Database) throws(StoreError) {
        path = database.path
        output = try OutputReader(database)
        log = try LogReader(database)
        try database.execute("PRAGMA query_only = ON")
        try database.boundPages()
        newest = try HistoryStatements(.newestFirst, database)
        oldest = try HistoryStatements(.oldestFirst, database)
        one = try Statement("SELECT \(RowDecoder.columns) FROM executions WHERE id = ?1", database)
    }

    /// - Parameter limit: the most records, at least 1.
    func page(
        _ selection: ExecutionSelection, _ order: ExecutionOrder, limit: Int
    ) throws(StoreError) -> (page: ExecutionPage, unreadable: Int) {
        let statements =
            switch order {
            case .newestFirst: newest
            case .oldestFirst: oldest
            }
        var range = HistoryRange(selection)
        let edge = try edge(of: range, selection, statements)
        if let edge { range.end(with: edge, order) }
        let rows = statements.records(selection, range)
        defer { rows.reset() }
        var (records, bytes, unreadable): ([ExecutionRecord], Int, Int) = ([], 0, 0)
        func page(_ next: ExecutionID?) -> (ExecutionPage, Int) {
            if order == .newestFirst { records.reverse() }
            return (ExecutionPage(records: records, next: next), unreadable)
        }
        var passed: ExecutionID?
        while try rows.step() {
            switch try look(at: rows, selection.text) {
            case .unreadable: unreadable += 1
            case .other: break
            case .found(let record):
                // One more record shows that there are more.
                if let passed, records.count >= limit || bytes > Self.bytesPerPage { return page(passed) }
                bytes += rows.size(RowDecoder.largeColumns)
                records.append(record)
            }
            passed = decoder.id(rows, 0) ?? passed
        }
        return page(edge)
    }

    func record(_ id: ExecutionID) throws(StoreError) -> ExecutionRecord? {
        one.bind(1, id)
        defer { one.reset() }
        guard try one.step() else { return nil }
        guard let record = decoder.record(one) else { throw .unreadable(path: path, rows: 1) }
        return record
    }

    /// The last of the rows that a read may go through; nil if there are no more than those, or if a page's limit
    /// bounds them, because the selection has each of them.
    private func edge(
        of range: HistoryRange, _ selection: ExecutionSelection, _ statements: HistoryStatements
    ) throws(StoreError) -> ExecutionID? {
        guard selection.isSparse else { return nil }
        let most = selection.text == nil ? Self.rowsPerRead : Self.rowsPerSearch
        let ids = statements.ids(selection, range, skipping: most - 1)
        defer { ids.reset() }
        var edge: ExecutionID?
        while edge == nil, try ids.step() { edge = decoder.id(ids, 0) }
        guard edge != nil, try ids.step() else { return nil }
        return edge
    }

    private enum Row {
        case found(ExecutionRecord)
        /// Without the text that is searched.
        case other
        case unreadable
    }

    private func look(at row: Statement, _ text: SearchText?) throws(StoreError) -> Row {
        if let text, try !has(row, text) { return .other }
        return decoder.record(row).map { .found($0) } ?? .unreadable
    }

    /// Whether a text is in the record of a row, or in the output of its execution.
    private func has(_ row: Statement, _ text: SearchText) throws(StoreError) -> Bool {
        // Decoding a row takes much longer than to see that it cannot have the text.
        let mayBeInRecord = RowDecoder.largeColumns.contains { row.withBytes($0) { text.mayBeIn(json: $0) } }
        if mayBeInRecord, decoder.record(row).map({ text.isIn($0) }) ?? true { return true }
        guard let id = decoder.id(row, 0) else { return true }
        return try output.read(of: id).map { text.isIn($0) } ?? false
    }
}

extension ExecutionSelection {
    /// Whether a read may go through more rows than it returns.
    fileprivate var isSparse: Bool {
        states != nil || by != nil || text != nil || scope != nil || actions.map { $0.count != 1 } ?? false
    }
}
