internal import RxAction
internal import RxJSON
internal import RxRecords

/// Collects the elements of a page from halves in any order. If they have more bytes than a page takes, the page ends
/// earlier: it has the elements with the smallest numbers, and none of the others is held.
struct ElementCollection {
    private struct Element {
        let value: KeptElements.Element
        /// Its text without secrets.
        let text: RawJSON
        /// The index of its row.
        let row: Int
    }

    /// A half that was read.
    private struct Row {
        let name: String
        let isInFlight: Bool
        let begin: UInt64
        /// Where its elements after the page's beginning start; nil if that may change.
        let place: ElementReader.Place?
        let started: StartedOutput.Key
        let gap: LogPage.Gap?
        let gapEnd: UInt64
        /// The number of its first element in the page's range or after it; 0 if more may come.
        let next: UInt64
        /// The number of the last element that was looked at.
        let seen: UInt64
    }

    private let query: LogQuery
    private let after: UInt64
    private let limits: LogReader.Limits
    private let known: [StartedOutput.Key: StartedOutput]
    private(set) var through: UInt64
    private var elements: [Element] = []
    private var rows: [Row] = []
    private var bytes = 0
    private var started: [StartedOutput] = []

    init(_ query: LogQuery, _ page: LogPage, _ limits: LogReader.Limits) {
        self.query = query
        self.limits = limits
        (after, through) = (page.after, page.through)
        known = Dictionary((query.started ?? []).lazy.map { ($0.key, $0) }) { $1 }
    }

    /// Whether the page has enough elements, so that what begins after them need not be looked at.
    var isFull: Bool { bytes > limits.bytes }

    /// Adds the elements of a half that the page has room for.
    mutating func add(
        _ half: ElementHalf, of id: ExecutionID, _ name: String, isInFlight: Bool = false,
        redact: ((RawJSON) -> RawJSON)? = nil
    ) {
        guard half.numbers.lowerBound <= through else { return }
        let key = StartedOutput.Key(execution: id, isTail: half.isTail)
        let gap = gap(before: half, of: id, name, given: known[key]?.gapEnd ?? 0)
        var reader = half.elements
        reader.skip(through: after)
        let (place, next) = (reader.place, reader.next?.number)
        while let element = reader.read(through: through) {
            var text = element.text
            if let redact { text = redact(text) }
            elements.append(Element(value: element, text: text, row: rows.count))
            bytes += Self.bytes(of: text)
            if bytes > limits.bytes + limits.bytes / 4 { shrink() }
        }
        rows.append(
            Row(
                name: name, isInFlight: isInFlight, begin: half.numbers.lowerBound, place: isInFlight ? nil : place,
                started: key, gap: gap, gapEnd: gap?.numbers.upperBound ?? known[key]?.gapEnd ?? 0,
                next: isInFlight ? 0 : next ?? .max, seen: reader.next?.number ?? reader.place.last.number))
    }

    /// Adds what is in memory of an execution.
    mutating func add(_ output: LogOutput) {
        guard output.first <= through else { return }
        if let read = output.read {
            let elements = read(after)
            for half in elements.halves {
                add(half, of: output.execution, output.name, isInFlight: true, redact: elements.redact)
            }
            return
        }
        // More may come before it is in the store.
        for begin in [output.first, output.tail].compactMap({ $0 }) where begin <= through {
            let key = StartedOutput.Key(execution: output.execution, isTail: begin == output.tail)
            carry(StartedOutput(key: key, place: nil, next: after + 1, gapEnd: known[key]?.gapEnd ?? 0))
        }
    }

    /// Leaves a half that has no elements in the page to the next one.
    mutating func carry(_ output: StartedOutput) { started.append(output) }

    private func gap(
        before half: ElementHalf, of id: ExecutionID, _ name: String, given: UInt64
    ) -> LogPage.Gap? {
        guard half.missing > 0 else { return nil }
        if let time = query.elementsSince, let next = half.first, next.time < time { return nil }
        let (begin, last) = (half.numbers.lowerBound, half.first.map { $0.number - 1 } ?? half.numbers.upperBound)
        guard begin <= last, last > max(after, given) else { return nil }
        // A reader that has some of the missing elements does not learn how many it lacks.
        let count = given == 0 && begin > after ? half.missing : nil
        let first = given == 0 ? begin : max(begin, after + 1, given + 1)
        return LogPage.Gap(name: name, execution: id, count: count, numbers: first...last)
    }

    private static func bytes(of text: RawJSON) -> Int { LogReader.eventBytes + text.utf8.count }

    /// Drops the elements for which a page has no room.
    mutating func shrink() {
        guard isFull else { return }
        elements.sort { $0.value.number < $1.value.number }
        var (count, kept) = (0, 0)
        for element in elements {
            let size = Self.bytes(of: element.text)
            guard count == 0 || kept + size <= limits.bytes else { break }
            (count, kept) = (count + 1, kept + size)
        }
        bytes = kept
        guard count < elements.count else { return }
        through = elements[count - 1].value.number
        elements.removeLast(elements.count - count)
    }

    /// Adds everything to the page, which may end earlier now.
    mutating func finish(_ page: inout LogPage) {
        shrink()
        page.through = through
        page.bytes += bytes
        page.events.removeAll { $0.number > through }
        page.events += elements.map { element in
            let (row, value) = (rows[element.row], element.value)
            return LoggedEvent(
                number: value.number, time: value.time, name: row.name, execution: row.started.execution,
                ordinal: value.ordinal, content: .element(element.text))
        }
        page.events.sort { $0.number < $1.number }
        // Others begin after the page.
        for row in rows where row.begin <= through {
            if let gap = row.gap { page.gaps.append(gap) }
            guard row.isInFlight || row.seen > through else { continue }
            carry(
                StartedOutput(
                    key: row.started, place: row.place, next: max(row.next, through + 1), gapEnd: row.gapEnd))
        }
        page.started = started.count > limits.started ? nil : started
    }
}
