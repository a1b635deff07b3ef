internal import RxAction
internal import RxJSON
internal import RxRecords

/// The statements that select from the history in one order. A statement is valid until the next one is bound.
final class HistoryStatements {
    private let all: Statement
    private let ofOne: Statement
    private let ofSome: Statement
    private let ids: Statement
    private let idsOfOne: Statement

    init(_ order: ExecutionOrder, _ database: Database) throws(StoreError) {
        let scope = """
            ?5 IS NULL OR action IN (SELECT value FROM json_each(?5))
            OR CASE WHEN json_valid(origin) THEN origin ->> '$.uid' END = ?6
            """
        let requester = """
            (?7 IS NULL OR CASE WHEN json_valid(origin) THEN origin ->> '$.uid' END = ?7)
            AND (?8 IS NULL OR CASE WHEN json_valid(origin) THEN origin ->> '$.reactor' END = ?8)
            AND (?9 IS NULL OR CASE WHEN json_valid(origin) THEN origin ->> '$.stream' END = ?9)
            """
        let range = "id >= ?1 AND id < ?2"
        let conditions = "\(range) AND state IN (SELECT value FROM json_each(?3)) AND (\(scope)) AND \(requester)"
        let sorted =
            switch order {
            case .newestFirst: "ORDER BY id DESC"
            case .oldestFirst: "ORDER BY id"
            }
        let columns = "SELECT \(RowDecoder.columns) FROM executions"
        all = try Statement("\(columns) WHERE \(conditions) \(sorted)", database)
        let byAction = "INDEXED BY executions_by_action WHERE action = ?4"
        ofOne = try Statement("\(columns) \(byAction) AND \(conditions) \(sorted)", database)
        // Not by the index of actions: it is in order within an action, not across actions.
        ofSome = try Statement(
            "\(columns) WHERE +action IN (SELECT value FROM json_each(?4)) AND \(conditions) \(sorted)", database)
        let skipping = "\(sorted) LIMIT -1 OFFSET ?3"
        ids = try Statement("SELECT id FROM executions WHERE \(range) \(skipping)", database)
        idsOfOne = try Statement("SELECT id FROM executions \(byAction) AND \(range) \(skipping)", database)
    }

    /// The records of a selection within a range, except for the text that they are to have.
    func records(_ selection: ExecutionSelection, _ range: HistoryRange) -> Statement {
        let statement: Statement
        switch selection.actions {
        case nil: statement = all
        case let actions? where actions.count == 1:
            statement = ofOne
            statement.bind(4, actions.first)
        case let actions?:
            statement = ofSome
            statement.bind(4, RawJSON(.array(actions.map { .string($0) })))
        }
        bind(range, to: statement)
        let states = selection.states ?? Set(ExecutionState.allCases)
        statement.bind(3, RawJSON(.array(states.filter(\.isFinal).map { .string($0.rawValue) })))
        statement.bind(5, selection.scope.map { RawJSON(.array($0.actions.map { .string($0) })) })
        statement.bind(6, selection.scope.map { Int64($0.uid) })
        statement.bind(7, selection.by?.uid)
        statement.bind(8, selection.by?.reactor)
        statement.bind(9, selection.by?.stream)
        return statement
    }

    /// The ids that `records` looks at, without the first `skipped` of them. Only an index is read.
    func ids(_ selection: ExecutionSelection, _ range: HistoryRange, skipping skipped: Int) -> Statement {
        let statement: Statement
        if let actions = selection.actions, actions.count == 1 {
            statement = idsOfOne
            statement.bind(4, actions.first)
        } else {
            statement = ids
        }
        bind(range, to: statement)
        statement.bind(3, Int64(skipped))
        return statement
    }

    private func bind(_ range: HistoryRange, to statement: Statement) {
        statement.bind(1, range.lower)
        statement.bind(2, range.upper)
    }
}

extension ExecutionSelection.Requester {
    fileprivate var uid: Int64? {
        switch self {
        case .user(let uid): Int64(uid)
        case .reactor, .stream: nil
        }
    }

    fileprivate var reactor: String? {
        switch self {
        case .reactor(let name): name
        case .user, .stream: nil
        }
    }

    fileprivate var stream: String? {
        switch self {
        case .stream(let name): name
        case .user, .reactor: nil
        }
    }
}
