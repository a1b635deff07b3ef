internal import RxRecords
internal import RxAction
internal import RxJSON

/// Decodes values from rows. Nil is a row that no version of this program has written. Used from one thread at a time.
struct RowDecoder {
    /// The columns of `executions` that `record` reads, in its order.
    static let columns = """
        id, action, state, origin, queued_at, started_at, ended_at, elements, input, error, due_at, attempt, attempts
        """
    /// The columns that may be long.
    static let largeColumns: ClosedRange<Int32> = 8...9

    /// For deeper and longer values than were ever accepted.
    private static let limits = JSONLimits(bytes: .max, depth: JSONLimits.greatestDepth)
    /// A longer text has a reader of its own, which frees its tables at once: the next text may come much later.
    private static let shortText = 64 << 10

    // For short texts. Kept, since making one costs more than decoding most rows.
    private let reader = JSONReader(limits: limits)

    /// What was decoded last: a client, a rule, or a stream mostly starts many executions in a row, an action mostly
    /// fails in one way, and an execution mostly has several events in a row.
    private final class Last {
        var causes: (text: [UInt8], value: Causes)?
        var error: (text: [UInt8], value: ExecutionError)?
        var id: (text: [UInt8], value: ExecutionID)?
    }

    private let last = Last()

    func record(_ row: Statement, from first: Int32 = 0) -> ExecutionRecord? {
        guard let id = id(row, first), let state = ExecutionState(rawValue: row.text(first + 2)),
            let causes = causes(row, first + 3), let elements = Int(exactly: row.integer(first + 7)), elements >= 0,
            !row.isNull(first + 1)
        else { return nil }
        var record = ExecutionRecord(
            id: id, action: row.text(first + 1), causes: causes, state: state, queuedAt: row.integer(first + 4),
            dueAt: row.integerOrNil(first + 10), startedAt: row.integerOrNil(first + 5),
            endedAt: row.integerOrNil(first + 6), elements: elements)
        if !row.isNull(first + 8) {
            guard let input = json(row, first + 8) else { return nil }
            record.input = input
        }
        if !row.isNull(first + 9) {
            guard let error = error(row, first + 9) else { return nil }
            record.error = error
        }
        if let number = row.integerOrNil(first + 11), let most = row.integerOrNil(first + 12) {
            record.attempts = Attempts(Int(number), of: Int(most))
        }
        return record
    }

    func id(_ row: Statement, _ column: Int32) -> ExecutionID? {
        if let last = last.id, row.equals(column, last.text) { return last.value }
        let text = row.bytes(column)
        guard let id = text.withUnsafeBufferPointer({ ExecutionID(utf8: $0) }) else { return nil }
        last.id = (text, id)
        return id
    }

    func error(_ row: Statement, _ column: Int32) -> ExecutionError? {
        if let last = last.error, row.equals(column, last.text) { return last.value }
        let text = row.bytes(column)
        guard let error = ExecutionError(stored: RawJSON(unchecked: text).value()) else { return nil }
        last.error = (text, error)
        return error
    }

    /// The attempts in the value of an event; nil without a value.
    func attempts(_ row: Statement, _ column: Int32) -> Attempts? {
        guard !row.isNull(column), let value = value(row, column) else { return nil }
        return Attempts(stored: value)
    }

    func origin(_ row: Statement, _ column: Int32) -> Origin? {
        Origin(stored: RawJSON(unchecked: row.bytes(column)).value())
    }

    func causes(_ row: Statement, _ column: Int32) -> Causes? {
        if let last = last.causes, row.equals(column, last.text) { return last.value }
        let text = row.bytes(column)
        guard let causes = Causes(stored: RawJSON(unchecked: text).value()) else { return nil }
        last.causes = (text, causes)
        return causes
    }

    /// The text if it is valid JSON. A number beyond the range is accepted, as it was when it was stored.
    func json(_ row: Statement, _ column: Int32) -> RawJSON? {
        let bytes = row.bytes(column, padding: JSONReader.padding)
        return look(bytes) { _ in } == nil ? nil : RawJSON(unchecked: bytes)
    }

    /// Like `json`, as a tree.
    func value(_ row: Statement, _ column: Int32) -> JSONValue? {
        look(row.bytes(column, padding: JSONReader.padding)) { $0.value() }
    }

    /// - Parameter bytes: followed by the reader's padding.
    private func look<Result>(_ bytes: [UInt8], _ body: (JSONView) -> Result) -> Result? {
        let reader = bytes.count > Self.shortText ? JSONReader(limits: Self.limits) : reader
        return bytes.withUnsafeBytes { text in
            var outOfRange: JSONError?
            // The view refers to what the reader has.
            return withExtendedLifetime(reader) { (try? reader.read(text, outOfRange: &outOfRange)).map(body) }
        }
    }
}
