/// The parts of the log whose events leave it apart from the others, so that it goes back to a number in each.
public struct LogParts: OptionSet, Sendable {
    /// One bit for each part.
    public let rawValue: UInt8

    /// The parts whose bits are set.
    public init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// The events of executions, which leave with their records.
    public static let executions = LogParts(rawValue: 1)
    /// The events of actions and reactors that belong to no execution.
    public static let others = LogParts(rawValue: 2)
    /// The events of streams.
    public static let streams = LogParts(rawValue: 4)
}

/// The last numbers that are beyond the retention, in each part of the log.
public struct LogMarks: Sendable, Equatable {
    /// The last such number of the events of executions.
    public package(set) var executions: UInt64 = 0
    /// The last such number of the events of actions and reactors that belong to no execution.
    public package(set) var others: UInt64 = 0
    /// The last such number of the events of streams.
    public package(set) var streams: UInt64 = 0

    package init() {}

    /// The last number in some of the parts; 0 in none.
    public func last(of parts: LogParts) -> UInt64 {
        max(
            parts.contains(.executions) ? executions : 0, parts.contains(.others) ? others : 0,
            parts.contains(.streams) ? streams : 0)
    }
}

extension LogMarks {
    /// Reads the marks of a database.
    static func statement(_ database: Database) throws(StoreError) -> Statement {
        try Statement("SELECT log.trimmed, log.others_trimmed, stream_log.trimmed FROM log, stream_log", database)
    }

    /// The marks as a statement reads them.
    init(_ statement: Statement) throws(StoreError) {
        defer { statement.reset() }
        guard try statement.step() else { return }
        (executions, others, streams) = (statement.unsigned(0), statement.unsigned(1), statement.unsigned(2))
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
}
