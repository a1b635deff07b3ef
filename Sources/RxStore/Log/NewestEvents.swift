internal import RxAction
internal import RxJSON
internal import RxRecords

/// A search for the newest events of names, as far as it has come: from the newest rows to the oldest, a portion at a
/// time, so that other readers are served in between.
package struct NewestEvents: Sendable {
    /// The kinds of which each name has a newest event.
    package enum Kind: Sendable, Hashable {
        /// The elements of executions.
        case elements
        /// The errors of actions and reactors.
        case errors
        /// The course of executions.
        case executions
        /// A kind of events of streams.
        case ofStream(LoggedEvent.StreamKind)

        /// Nil for an event that no reader wants.
        fileprivate init?(word: String, isOfStream: Bool) {
            if isOfStream {
                guard let kind = LoggedEvent.StreamKind(rawValue: word) else { return nil }
                self = .ofStream(kind)
            } else if LogQuery.errorKinds.contains(word) {
                self = .errors
            } else if LogQuery.executionKinds.contains(word) {
                self = .executions
            } else {
                return nil
            }
        }
    }

    /// The most memory that what is found takes, approximately: then the search ends.
    static let bytes = 1 << 20

    /// The events that were found, in no order.
    package private(set) var found: [LoggedEvent] = []
    /// Rows up to these numbers have not been looked at; 0 if all have.
    fileprivate var (events, elements): (UInt64, UInt64)
    /// For each name, the elements in flight that the store may not have; empty once `inFlight` has the newest.
    private var outputs: [String: LogOutput]
    /// The newest of those elements.
    fileprivate private(set) var inFlight: [String: LoggedEvent] = [:]
    fileprivate let isOfStreams: Bool
    private var wanted: [String: Set<Kind>]
    private var bytes = 0

    /// - Parameters:
    ///   - wanted: the kinds of events that are looked for, for each name.
    ///   - events: the last number that an event may have that is not an element of an execution.
    ///   - elements: the last number that an element of an execution may have.
    ///   - outputs: for each name, the newest elements in flight.
    ///   - isOfStreams: whether the names are those of streams.
    package init(
        _ wanted: [String: Set<Kind>], events: UInt64, elements: UInt64, outputs: [String: LogOutput], isOfStreams: Bool
    ) {
        self.wanted = wanted
        (self.events, self.elements) = (events, elements)
        self.outputs = outputs
        self.isOfStreams = isOfStreams
    }

    /// Whether nothing is left to be looked at.
    package var isComplete: Bool { wanted.isEmpty || events == 0 && elements == 0 }

    fileprivate func wants(_ kind: Kind, of name: String) -> Bool { wanted[name]?.contains(kind) == true }

    /// Looks at the elements in flight.
    fileprivate mutating func takeOutputs() {
        inFlight = outputs.compactMapValues { $0.newest(through: elements) }
        outputs = [:]
    }

    fileprivate mutating func add(_ event: LoggedEvent, _ kind: Kind, bytes added: Int) {
        bytes += added
        guard bytes <= Self.bytes || found.isEmpty else {
            // The newest ones count.
            return wanted = [:]
        }
        found.append(event)
        wanted[event.name]?.remove(kind)
        if wanted[event.name]?.isEmpty == true { wanted[event.name] = nil }
    }
}

/// Finds the newest events of names. Used from one queue, within transactions.
final class NewestEventReader {
    /// The most rows that are looked at in a portion: a few milliseconds.
    private static let rows = 4096
    /// The most events that are read in a portion: a few milliseconds.
    private static let reads = 64

    private let events: Statement
    private let streamEvents: Statement
    private let outputs: Statement
    private let decoder = RowDecoder()

    init(_ database: Database) throws(StoreError) {
        func newest(_ table: String) throws(StoreError) -> Statement {
            try Statement(
                "SELECT number, name, kind FROM \(table) WHERE number <= ?1 ORDER BY number DESC LIMIT ?2", database)
        }
        events = try newest("events")
        streamEvents = try newest("stream_events")
        outputs = try Statement(
            """
            SELECT o.last, x.action, o.execution FROM output o CROSS JOIN executions x ON x.id = o.execution
            WHERE o.last <= ?1 AND o.stream = 'elements' ORDER BY o.last DESC LIMIT ?2
            """, database)
    }

    /// Looks at the next portion.
    ///
    /// - Parameter read: reads a page of the log.
    func search(
        _ search: inout NewestEvents, _ read: (LogQuery) throws(StoreError) -> LogPage
    ) throws(StoreError) {
        if search.events > 0 {
            try searchEvents(&search, read)
        } else {
            search.takeOutputs()
            try searchElements(&search, read)
        }
    }

    private func searchEvents(
        _ search: inout NewestEvents, _ read: (LogQuery) throws(StoreError) -> LogPage
    ) throws(StoreError) {
        let rows = search.isOfStreams ? streamEvents : events
        var left = Self.reads
        search.events = try forEach(rows, upTo: search.events) { number throws(StoreError) in
            let name = rows.text(1)
            if let kind = NewestEvents.Kind(word: rows.text(2), isOfStream: search.isOfStreams),
                search.wants(kind, of: name)
            {
                let page = try read(LogQuery(number, of: name, kind))
                if let event = page.events.first { search.add(event, kind, bytes: page.bytes) }
                left -= 1
            }
            return left > 0 && !search.isComplete
        }
    }

    private func searchElements(
        _ search: inout NewestEvents, _ read: (LogQuery) throws(StoreError) -> LogPage
    ) throws(StoreError) {
        var left = Self.reads
        search.elements = try forEach(outputs, upTo: search.elements) { number throws(StoreError) in
            let name = outputs.text(1)
            guard search.wants(.elements, of: name), let id = decoder.id(outputs, 2) else { return true }
            if let event = search.inFlight[name], event.number > number {
                search.add(event, .elements, bytes: event.bytes)
            } else {
                let page = try read(
                    LogQuery(
                        after: number - 1, through: number, source: .executions([id]), parts: [], errors: false,
                        executions: false, elements: true))
                if let event = page.events.last { search.add(event, .elements, bytes: page.bytes) }
                left -= 1
            }
            return left > 0 && !search.isComplete
        }
        guard search.elements == 0 else { return }
        for (name, event) in search.inFlight where search.wants(.elements, of: name) {
            search.add(event, .elements, bytes: event.bytes)
        }
    }

    /// Calls `body` with the numbers of at most `rows` rows up to `last`, the newest first, until it returns false.
    ///
    /// - Returns: the last number of the rows that are left; 0 for none.
    private func forEach(
        _ statement: Statement, upTo last: UInt64, _ body: (UInt64) throws(StoreError) -> Bool
    ) throws(StoreError) -> UInt64 {
        statement.bind(1, last)
        statement.bind(2, Int64(Self.rows))
        defer { statement.reset() }
        for _ in 0..<Self.rows {
            // No event has the number 0.
            guard try statement.step(), statement.integer(0) > 0 else { return 0 }
            let number = statement.unsigned(0)
            guard try body(number) else { return number - 1 }
            if number == 1 { return 0 }
        }
        return statement.unsigned(0) - 1
    }
}

extension LogQuery {
    /// The event with a number, if it is of this name and kind.
    fileprivate init(_ number: UInt64, of name: String, _ kind: NewestEvents.Kind) {
        let source: Source
        if case .ofStream(let kind) = kind { source = .streams([name], [kind]) } else { source = .names([name]) }
        self.init(
            after: number - 1, through: number, source: source, parts: [], errors: kind == .errors,
            executions: kind == .executions, elements: false)
    }
}

extension LogOutput {
    /// The last of the elements up to an event that are kept.
    fileprivate func newest(through number: UInt64) -> LoggedEvent? {
        guard let kept = read?(0) else { return nil }
        var newest: KeptElements.Element?
        for half in kept.halves {
            var reader = half.elements
            var last = reader
            while let next = reader.next, next.number <= number {
                last = reader
                reader.skip(through: next.number)
            }
            newest = last.read(through: number) ?? newest
        }
        return newest.map { element in
            LoggedEvent(
                number: element.number, time: element.time, name: name, execution: execution, ordinal: element.ordinal,
                content: .element(kept.redact?(element.text) ?? element.text))
        }
    }
}
