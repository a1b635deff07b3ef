/// The parts of the log whose events leave it apart from the others, or that readers want apart from them: it goes back
/// to a number in each.
public struct LogParts: OptionSet, Sendable {
    /// One bit for each part.
    public let rawValue: UInt16

    /// The parts whose bits are set.
    public init(rawValue: UInt16) {
        self.rawValue = rawValue
    }

    /// The events of executions, which leave with their records.
    public static let executions = LogParts(rawValue: 1)
    /// The events of actions and reactors that belong to no execution.
    public static let others = LogParts(rawValue: 2)
    /// The events of streams.
    public static let streams = LogParts(rawValue: 4)
    /// The errors among the events of executions.
    public static let failures = LogParts(rawValue: 8)
    /// The elements of executions.
    public static let elements = LogParts(rawValue: 16)

    /// A kind of events of streams.
    public static func streams(_ kind: LoggedEvent.StreamKind) -> LogParts {
        switch kind {
        case .element: LogParts(rawValue: 32)
        case .error: LogParts(rawValue: 64)
        case .firing: LogParts(rawValue: 128)
        case .lag: LogParts(rawValue: 256)
        }
    }
}

/// The last numbers that are beyond the retention, in each part of the log.
public struct LogMarks: Sendable, Equatable {
    /// The last such number of the events of executions.
    public package(set) var executions: UInt64 = 0
    /// The last such number of the events of actions and reactors that belong to no execution.
    public package(set) var others: UInt64 = 0
    /// The last such number of the events of streams.
    public package(set) var streams: UInt64 = 0
    /// The last such number of the errors of executions.
    public package(set) var failures: UInt64 = 0
    /// The last such number of the elements of executions, or of a later event of such an execution.
    public package(set) var elements: UInt64 = 0
    /// The last such number of each kind of events of streams.
    public package(set) var kindsOfStreams: [LoggedEvent.StreamKind: UInt64] = [:]

    package init() {}

    /// The last number in some of the parts; 0 in none.
    public func last(of parts: LogParts) -> UInt64 {
        let marks: [(LogParts, UInt64)] =
            [
                (.executions, executions), (.others, others), (.streams, streams), (.failures, failures),
                (.elements, elements),
            ] + kindsOfStreams.map { (.streams($0), $1) }
        return marks.lazy.filter { parts.contains($0.0) }.map(\.1).max() ?? 0
    }
}

extension LogMarks {
    /// Reads the marks of a database.
    static func statement(_ database: Database) throws(StoreError) -> Statement {
        let ofStreams = LoggedEvent.StreamKind.allCases.map { ", stream_log.\($0.mark)" }.joined()
        return try Statement(
            """
            SELECT log.trimmed, log.others_trimmed, stream_log.trimmed, log.failures_trimmed, log.elements_trimmed
            \(ofStreams) FROM log, stream_log
            """, database)
    }

    /// The marks as a statement reads them.
    init(_ statement: Statement) throws(StoreError) {
        defer { statement.reset() }
        guard try statement.step() else { return }
        (executions, others, streams) = (statement.unsigned(0), statement.unsigned(1), statement.unsigned(2))
        (failures, elements) = (statement.unsigned(3), statement.unsigned(4))
        for (column, kind) in zip((5 as Int32)..., LoggedEvent.StreamKind.allCases) {
            let last = statement.unsigned(column)
            if last > 0 { kindsOfStreams[kind] = last }
        }
    }
}

extension LoggedEvent.StreamKind {
    /// The column of `stream_log` with the last number that is beyond the retention.
    var mark: String {
        switch self {
        case .element: "elements_trimmed"
        case .error: "errors_trimmed"
        case .firing: "firings_trimmed"
        case .lag: "lags_trimmed"
        }
    }
}

extension Schema.Step {
    /// - `log.others_trimmed`: the greatest number of an event of no execution that is beyond the retention; from here
    ///   on, `log.trimmed` is that of an event of an execution.
    static let marks = Schema.Step(
        """
        ALTER TABLE log ADD COLUMN others_trimmed INTEGER NOT NULL DEFAULT 0;
        UPDATE log SET others_trimmed = trimmed;
        """)

    /// The greatest numbers beyond the retention of single kinds. A reader of one kind lacks none of the others.
    ///
    /// - `log.failures_trimmed`: of an error of an execution. `log.elements_trimmed`: of an event of an execution that
    ///   may have had elements.
    /// - `stream_log`: of each kind.
    static let marksOfKinds = Schema.Step(
        """
        ALTER TABLE log ADD COLUMN failures_trimmed INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE log ADD COLUMN elements_trimmed INTEGER NOT NULL DEFAULT 0;
        UPDATE log SET failures_trimmed = trimmed, elements_trimmed = trimmed;
        ALTER TABLE stream_log ADD COLUMN elements_trimmed INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE stream_log ADD COLUMN errors_trimmed INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE stream_log ADD COLUMN firings_trimmed INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE stream_log ADD COLUMN lags_trimmed INTEGER NOT NULL DEFAULT 0;
        UPDATE stream_log SET elements_trimmed = trimmed, errors_trimmed = trimmed, firings_trimmed = trimmed,
            lags_trimmed = trimmed;
        DROP TRIGGER execution_removed;
        CREATE TRIGGER execution_removed AFTER DELETE ON executions BEGIN
            UPDATE log SET
                trimmed = max(trimmed, coalesce((SELECT max(number) FROM events WHERE execution = OLD.id), 0)),
                failures_trimmed = max(failures_trimmed, coalesce(
                    (SELECT max(number) FROM events WHERE execution = OLD.id AND kind = 'failed'), 0)),
                elements_trimmed = max(elements_trimmed, coalesce(
                    (SELECT max(number) FROM events WHERE execution = OLD.id
                        AND (OLD.elements > 0 OR OLD.state = 'interrupted')), 0));
            DELETE FROM events WHERE execution = OLD.id;
        END;
        """)
}
