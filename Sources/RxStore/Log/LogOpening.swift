internal import RxAction
internal import RxJSON
internal import RxPlatform
internal import RxRecords

/// Reads the log that an earlier daemon left, and reserves numbers for the next events. Within transactions.
struct LogOpening {
    private let database: Database
    private let entropy: Entropy
    private let decoder = RowDecoder()

    init(_ database: Database, _ entropy: Entropy) {
        self.database = database
        self.entropy = entropy
    }

    /// If commits may have been lost, or it is not known which numbers were used, readers that have seen lost events
    /// must not take later ones for them: the log gets another epoch.
    ///
    /// - Parameter notes: what the earlier daemon has left beside the database.
    func reserve(after notes: LeftNotes) throws(StoreError) -> RecoveredLog {
        var log = RecoveredLog()
        if let row = try row() {
            log = row
        } else {
            try database.execute("DELETE FROM log; INSERT INTO log(epoch, reserved, trimmed) VALUES('', 0, 0)")
        }
        // Whatever the row has, no number is used twice.
        for table in ["events", "stream_events"] {
            let greatest = try database.integer("SELECT coalesce(max(number), 0) FROM \(table)")
            log.last = max(log.last, UInt64(clamping: greatest))
        }
        log.last = max(log.last, notes.reserved ?? 0)
        if notes.hasLost || notes.reserved == nil || log.epoch.isEmpty {
            if !log.epoch.isEmpty { try endEpoch(log) }
            let digits = String(UInt32(truncatingIfNeeded: entropy.next()), radix: 16)
            log.epoch = String(repeating: "0", count: 8 - digits.count) + digits
        }
        log.names = try NameStatements.read(database, upTo: log.last)
        log.earlier = try earlierEpochs()
        log.marks = try LogMarks(LogMarks.statement(database))
        log.holes = try holes(notes.missing, in: log)
        log.complete = max(log.marks.last(of: [.executions, .others]), log.holes.last)
        log.streams.complete = max(log.marks.streams, log.holes.last)
        log.reserved = log.last + LogLimits.numbersReserved
        let update = try Statement("UPDATE log SET epoch = ?1, reserved = ?2", database)
        update.bind(1, log.epoch)
        update.bind(2, Int64(clamping: log.reserved))
        try update.run()
        return log
    }

    private func holes(_ missing: ClosedRange<UInt64>?, in log: RecoveredLog) throws(StoreError) -> EventHoles {
        let before = try EventHoles(database)
        var holes = before
        if let missing, missing.lowerBound <= log.last { holes.insert(missing.clamped(to: 0...log.last)) }
        // A part without a row may have lost all that it had.
        holes.forget(through: min(log.marks.executions, log.marks.others, log.marks.streams))
        if holes != before { try holes.write(to: database) }
        return holes
    }

    /// Keeps the epoch of the log, and where it ends.
    private func endEpoch(_ log: RecoveredLog) throws(StoreError) {
        let insert = try Statement("INSERT OR REPLACE INTO epochs VALUES(?1, ?2)", database)
        insert.bind(1, log.epoch)
        insert.bind(2, Int64(clamping: log.last))
        try insert.run()
        try database.execute(
            "DELETE FROM epochs WHERE epoch NOT IN (SELECT epoch FROM epochs ORDER BY last DESC LIMIT "
                + "\(LogLimits.epochsKept))")
    }

    private func earlierEpochs() throws(StoreError) -> [String: UInt64] {
        let rows = try Statement("SELECT epoch, last FROM epochs", database)
        var earlier: [String: UInt64] = [:]
        while try rows.step() { earlier[rows.text(0)] = rows.unsigned(1) }
        return earlier
    }

    private func row() throws(StoreError) -> RecoveredLog? {
        let row = try Statement("SELECT epoch, reserved, unnamed FROM log", database)
        defer { row.reset() }
        guard try row.step() else { return nil }
        var log = RecoveredLog()
        log.epoch = row.text(0)
        log.last = UInt64(clamping: row.integer(1))
        log.unnamed = min(row.unsigned(2), log.last)
        return log
    }

    /// Appends the ends of executions that become `interrupted`. Before they leave `pending`. The number before each
    /// error stays unused: it is that of the loss of the elements. Damaged rows have numbers, but no events.
    ///
    /// - Parameters:
    ///   - lost: the condition of their rows in `pending`.
    ///   - time: now, in milliseconds since 1970.
    func interrupt(lost: String, at time: Int64, in log: inout RecoveredLog) throws(StoreError) {
        let place = "\(log.last) + 3 * row_number() OVER (ORDER BY seq)"
        let of = "FROM pending WHERE \(lost)"
        let count = try database.integer("SELECT count(*) \(of)")
        try database.execute(
            """
            INSERT OR IGNORE INTO events(number, time, name, kind, execution, ordinal)
                SELECT \(place) - 1, \(time), action, 'failed', id, 1 \(of);
            INSERT OR IGNORE INTO events(number, time, name, kind, execution, ordinal)
                SELECT \(place), \(time), action, 'ended', id,
                    1 + (SELECT count(*) FROM events e WHERE e.execution = pending.id AND e.kind != 'failed') \(of)
            """)
        log.last += 3 * UInt64(clamping: count)
    }

    /// Reads the newest events.
    ///
    /// - Returns: how many rows could not be read. They are left out.
    func read(into log: inout RecoveredLog) throws(StoreError) -> Int {
        // The last number stays unused: it is that of no event, and all earlier ones are behind it.
        log.last += 1
        let rows = try Statement(
            """
            SELECT e.number, e.time, e.name, e.kind, e.execution, e.ordinal, e.value,
                x.id, x.action, x.state, x.origin, x.queued_at, x.started_at, x.ended_at, x.elements, x.input, x.error,
                x.due_at, x.attempt, x.attempts,
                p.id, p.action, 'queued', p.origin, p.queued_at, p.started_at, NULL, 0, p.input, NULL, p.due_at,
                p.attempt, p.attempts
            FROM events e LEFT JOIN executions x ON x.id = e.execution LEFT JOIN pending p ON p.id = e.execution
            WHERE e.kind != '\(LoggedEvent.switchedKind)'
            ORDER BY e.number DESC LIMIT \(LogLimits.eventsRead + 1)
            """, database)
        var unreadable = 0
        var bytes = 0
        while try rows.step() {
            let number = UInt64(clamping: rows.integer(0))
            bytes += rows.size(6...6) + rows.size(15...16) + rows.size(28...28)
            guard log.events.count < LogLimits.eventsRead, bytes <= LogLimits.bytesRead else {
                log.complete = max(log.complete, number)
                break
            }
            guard let event = event(rows, number) else {
                // An event of an execution whose acceptance was not stored.
                let isOfNone = !rows.isNull(4) && rows.isNull(7) && rows.isNull(20)
                unreadable += isOfNone ? 0 : 1
                continue
            }
            log.events.append(event)
        }
        log.events.reverse()
        log.actions = try actions()
        return try unreadable + readSwitches(into: &log) + readStreams(into: &log.streams)
    }

    /// Reads the last manual switches of each name, however many other events came since.
    ///
    /// - Returns: the number of rows that cannot be read.
    private func readSwitches(into log: inout RecoveredLog) throws(StoreError) -> Int {
        let kind = LoggedEvent.switchedKind
        let rows = try Statement(
            """
            WITH RECURSIVE names(name) AS (
                SELECT min(name) FROM events WHERE kind = '\(kind)'
                UNION ALL
                SELECT (SELECT min(name) FROM events WHERE kind = '\(kind)' AND name > names.name)
                FROM names WHERE name IS NOT NULL)
            SELECT e.number, e.time, e.name, e.value FROM names JOIN events e ON e.number IN (
                SELECT number FROM events WHERE kind = '\(kind)' AND name = names.name
                ORDER BY number DESC LIMIT \(LogLimits.switchesKept))
            ORDER BY e.number
            """, database)
        var unreadable = 0
        while try rows.step() {
            guard let value = decoder.json(rows, 3) else {
                unreadable += 1
                continue
            }
            log.switches.append(
                LoggedEvent(
                    number: rows.unsigned(0), time: rows.integer(1), name: rows.text(2),
                    content: .other(kind: kind, value)))
        }
        return unreadable
    }

    /// The names of actions with executions. Each is looked up in the index: most rows are of few names.
    private func actions() throws(StoreError) -> Set<String> {
        let rows = try Statement(
            """
            WITH RECURSIVE names(name) AS (
                SELECT min(action) FROM executions
                UNION ALL
                SELECT (SELECT min(action) FROM executions WHERE action > name) FROM names WHERE name IS NOT NULL)
            SELECT name FROM names WHERE name IS NOT NULL UNION SELECT action FROM pending
            """, database)
        var names: Set<String> = []
        while try rows.step() { names.insert(rows.text(0)) }
        return names
    }

    /// Reads the newest events of streams.
    ///
    /// - Returns: the number of rows that cannot be read.
    private func readStreams(into found: inout RecoveredStreamEvents) throws(StoreError) -> Int {
        let rows = try Statement(
            """
            SELECT number, time, name, kind, value FROM stream_events ORDER BY number DESC
            LIMIT \(LogLimits.eventsRead + 1)
            """, database)
        var (unreadable, bytes) = (0, 0)
        while try rows.step() {
            bytes += rows.size(4...4)
            guard found.events.count < LogLimits.eventsRead, bytes <= LogLimits.bytesRead else {
                found.complete = max(found.complete, rows.unsigned(0))
                break
            }
            if let event = LoggedEvent(streamRow: rows, decoder) {
                found.events.append(event)
            } else {
                unreadable += 1
            }
        }
        found.events.reverse()
        return unreadable
    }

    private func event(_ row: Statement, _ number: UInt64) -> LoggedEvent? {
        guard let ordinal = Int(exactly: row.integer(5)), ordinal >= 0 else { return nil }
        func make(_ id: ExecutionID?, _ content: LoggedEvent.Content) -> LoggedEvent {
            LoggedEvent(
                number: number, time: row.integer(1), name: row.text(2), execution: id, ordinal: ordinal,
                content: content)
        }
        let kind = row.text(3)
        guard !row.isNull(4) else { return decoder.json(row, 6).map { make(nil, .other(kind: kind, $0)) } }
        guard let id = decoder.id(row, 4) else { return nil }
        let first: Int32 = row.isNull(7) ? 20 : 7
        guard !row.isNull(first), let record = decoder.record(row, from: first) else { return nil }
        let attempts = decoder.attempts(row, 6)
        return LoggedEvent.Content(kind: kind, record, at: row.integer(1), attempts: attempts).map { make(id, $0) }
    }
}
