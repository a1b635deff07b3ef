public import RxAction

/// Which events of the log a reader wants.
public struct LogQuery: Sendable {
    /// The names or executions whose events are wanted.
    public enum Source: Sendable {
        /// Nil for all names.
        case names(Set<String>?)
        case executions([ExecutionID])
        /// Nil for all streams. Of the events of streams, only these kinds are wanted, whatever else the query has.
        case streams(Set<String>?, [LoggedEvent.StreamKind])
    }

    /// Only later events.
    public var after: UInt64
    /// Only events up to this one.
    public var through: UInt64
    /// The names or executions.
    public var source: Source
    /// The parts of the log that have what is wanted.
    public var parts: LogParts
    /// Whether errors, the course of executions, and elements are wanted.
    public var (errors, executions, elements): (Bool, Bool, Bool)
    /// If given, the page begins with the first event since this time, in milliseconds since 1970; `after` is moved.
    public var since: Int64?
    /// If given, no gap in elements is wanted that ends before this time.
    public var elementsSince: Int64?
    /// Whether executions that began before `after` may have elements after it: for the first page of a reader.
    public var looksBack: Bool
    /// The elements that the store does not have; nothing else of these executions is taken from the store.
    package var outputs: [LogOutput] = []
    /// What the page before has in `started`; nil has them looked for.
    package var started: [StartedOutput]?

    /// Sets the property of each name.
    public init(
        after: UInt64, through: UInt64, source: Source, parts: LogParts, errors: Bool, executions: Bool, elements: Bool,
        since: Int64? = nil, elementsSince: Int64? = nil, looksBack: Bool = false
    ) {
        self.after = after
        self.through = through
        self.source = source
        self.parts = parts
        (self.errors, self.executions, self.elements) = (errors, executions, elements)
        self.since = since
        self.elementsSince = elementsSince
        self.looksBack = looksBack
    }
}

extension LogQuery {
    /// The values of the column `kind` for errors.
    static let errorKinds = ["failed", "refused", "queueFull", "condition", "fault"]
    /// The values of the column `kind` for the course of executions.
    static let executionKinds = ["queued", "started", "attempt", "ended"]
}

/// A part of the log, as it was at one moment.
public struct LogPage: Sendable {
    /// Elements that are not kept.
    public struct Gap: Sendable {
        /// The name of the action.
        public let name: String
        /// The execution.
        public let execution: ExecutionID
        /// Their number; nil if it is not known.
        public let count: Int?
        /// The numbers of the first and the last event, or bounds of them.
        public let numbers: ClosedRange<UInt64>

        /// Sets the property of each name.
        public init(name: String, execution: ExecutionID, count: Int?, numbers: ClosedRange<UInt64>) {
            self.name = name
            self.execution = execution
            self.count = count
            self.numbers = numbers
        }
    }

    /// The page begins after this event.
    public package(set) var after: UInt64
    /// The page has all events up to this one that the log has.
    public package(set) var through: UInt64
    /// Events up to this one may be missing: they are beyond the retention of the parts that the query names.
    public package(set) var trimmed: UInt64
    /// The events, in the order of their numbers.
    public package(set) var events: [LoggedEvent] = []
    /// The gaps, in the order of their ends.
    public package(set) var gaps: [Gap] = []
    /// The halves of executions' elements that go on after the page; nil if they are too many to be held.
    package var started: [StartedOutput]?
    /// The number of rows that could not be read. They are left out.
    public package(set) var unreadable = 0
    /// The approximate memory that its events use.
    public package(set) var bytes = 0

    package init(after: UInt64, through: UInt64, trimmed: UInt64) {
        self.after = after
        self.through = through
        self.trimmed = trimmed
    }

    /// A page for a query, which may begin later with a time.
    ///
    /// - Parameters:
    ///   - trimmed: events up to this one may be beyond the retention.
    ///   - last: the number of the last event before a time; 0 for none.
    init(
        _ query: inout LogQuery, trimmed: UInt64, lastBefore last: (_ time: Int64) throws(StoreError) -> UInt64
    ) throws(StoreError) {
        self.init(after: query.after, through: query.through, trimmed: trimmed)
        guard let time = query.since else { return }
        query.after = max(query.after, try last(time))
        after = query.after
    }
}
