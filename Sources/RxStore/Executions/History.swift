internal import RxRecords
internal import RxAction
internal import RxJSON

/// Reads ended executions over a connection of its own. Used from one queue; never waits for the writer.
final class History {
    /// The most bytes of text in a page; a page ends early rather than exceed it.
    static let bytesPerPage = 32 << 20

    private let all: Statement
    private let ofOne: Statement
    private let ofSome: Statement
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
        let scope = """
            ?5 IS NULL OR action IN (SELECT value FROM json_each(?5))
            OR CASE WHEN json_valid(origin) THEN origin ->> '$.uid' END = ?6
            """
        let conditions = "id < ?1 AND state IN (SELECT value FROM json_each(?2)) AND (\(scope))"
        let order = "ORDER BY id DESC LIMIT ?3"
        let columns = "SELECT \(RowDecoder.columns) FROM executions"
        all = try Statement("\(columns) WHERE \(conditions) \(order)", database)
        ofOne = try Statement(
            "\(columns) INDEXED BY executions_by_action WHERE action = ?4 AND \(conditions) \(order)", database)
        // Not by the index of actions: it is in order within an action, not across actions.
        ofSome = try Statement(
            "\(columns) WHERE +action IN (SELECT value FROM json_each(?4)) AND \(conditions) \(order)", database)
        one = try Statement("\(columns) WHERE id = ?1", database)
    }

    func page(
        actions: Set<String>?, states: Set<ExecutionState>?, before: ExecutionID?, scope: ExecutionScope?,
        limit: Int
    ) throws(StoreError) -> (page: ExecutionPage, unreadable: Int) {
        let statement: Statement
        switch actions {
        case nil: statement = all
        case let actions? where actions.count == 1:
            statement = ofOne
            statement.bind(4, actions.first)
        case let actions?:
            statement = ofSome
            statement.bind(4, RawJSON(.array(actions.map { .string($0) })))
        }
        // All ids are hexadecimal digits and dashes, and so before this.
        statement.bind(1, before?.description ?? "g")
        let states = states ?? Set(ExecutionState.allCases)
        statement.bind(2, RawJSON(.array(states.filter(\.isFinal).map { .string($0.rawValue) })))
        // One more row shows whether there are more.
        statement.bind(3, Int64(min(max(limit, 0), Int(Int32.max))) + 1)
        statement.bind(5, scope.map { RawJSON(.array($0.actions.map { .string($0) })) })
        statement.bind(6, scope.map { Int64($0.uid) })
        defer { statement.reset() }
        var records: [ExecutionRecord] = []
        var bytes = 0
        var rows = 0
        var unreadable = 0
        while try statement.step() {
            rows += 1
            guard rows <= limit, bytes <= Self.bytesPerPage else {
                records.reverse()
                return (ExecutionPage(records: records, hasOlder: true), unreadable)
            }
            bytes += statement.size(RowDecoder.largeColumns)
            if let record = decoder.record(statement) { records.append(record) } else { unreadable += 1 }
        }
        records.reverse()
        return (ExecutionPage(records: records, hasOlder: false), unreadable)
    }

    func record(_ id: ExecutionID) throws(StoreError) -> ExecutionRecord? {
        one.bind(1, id)
        defer { one.reset() }
        guard try one.step() else { return nil }
        guard let record = decoder.record(one) else { throw .unreadable(path: path, rows: 1) }
        return record
    }
}
