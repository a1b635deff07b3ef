internal import RxAction
internal import RxJSON
internal import RxRecords

/// Reads the elements of pages of the log from the output of executions. Used from one queue.
final class LoggedElements {
    private let beginning: Statement
    private let reaching: Statement
    private let ofExecutions: Statement
    private let exists: Statement
    private let decoder = RowDecoder()

    init(_ database: Database) throws(StoreError) {
        let halves = """
            SELECT o.execution, x.action, o.half, o.first, o.last, o.count, o.data
            FROM output o JOIN executions x ON x.id = o.execution
            """
        beginning = try Statement("\(halves) WHERE o.first > ?1 AND o.first <= ?2 ORDER BY o.first", database)
        reaching = try Statement("\(halves) WHERE o.last > ?1 AND o.first <= ?1 ORDER BY o.first", database)
        ofExecutions = try Statement(
            """
            \(halves) WHERE o.execution IN (SELECT value FROM json_each(?3)) AND o.last > ?1 AND o.first <= ?2
            ORDER BY o.first
            """, database)
        exists = try Statement(
            "SELECT 1 FROM output WHERE execution = ?1 AND stream = 'elements' AND half = 0", database)
    }

    /// Adds the elements of a page to its events, and the gaps between them. If they are too many, the page ends
    /// earlier.
    ///
    /// - Parameter bytes: the bytes after which the page ends.
    func read(_ query: LogQuery, atMost bytes: Int, into page: inout LogPage) throws(StoreError) {
        try addUnkept(query, to: &page)
        if query.looksBack, case .names = query.source {
            reaching.bind(1, page.after)
            try add(reaching, query, to: &page, atMost: .max)
        }
        let rows: Statement
        switch query.source {
        case .names, .streams: rows = beginning
        case .executions(let executions):
            rows = ofExecutions
            rows.bind(3, RawJSON(.array(executions.map { .string($0.description) })))
        }
        rows.bind(1, page.after)
        rows.bind(2, page.through)
        try add(rows, query, to: &page, atMost: bytes)
        let through = page.through
        // If the page ends earlier now: the next page has its events, but not the elements of what was read here.
        page.rest += page.events.filter { $0.number > through && $0.isElement }
        page.events.removeAll { $0.number > through }
        page.gaps.removeAll { $0.numbers.lowerBound > through }
        page.events.sort { $0.number < $1.number }
        page.gaps.sort { $0.numbers.upperBound < $1.numbers.upperBound }
    }

    /// Executions whose elements are not kept, or may not be.
    private func addUnkept(_ query: LogQuery, to page: inout LogPage) throws(StoreError) {
        for event in page.events {
            guard case .ended(let record, _, _) = event.content else { continue }
            let isUnkept: Bool
            if record.state == .interrupted {
                isUnkept = true
            } else if record.elements > 0 {
                exists.bind(1, record.id)
                defer { exists.reset() }
                isUnkept = try !exists.step()
            } else {
                isUnkept = false
            }
            guard isUnkept else { continue }
            // They came before the error, which the end follows.
            let hasFailed = record.state == .interrupted || record.error != nil
            let before: UInt64 = hasFailed ? 2 : 1
            guard event.number > before else { continue }
            // A reader that begins in between is not concerned; one that comes from a page has not heard of it.
            guard !query.looksBack || event.number - before > page.after else { continue }
            let last = max(event.number - before, page.after + 1)
            page.gaps.append(LogPage.Gap(name: event.name, execution: record.id, count: nil, numbers: last...last))
        }
    }

    private func add(
        _ rows: Statement, _ query: LogQuery, to page: inout LogPage, atMost bytes: Int
    ) throws(StoreError) {
        defer { rows.reset() }
        while try rows.step() {
            let name = rows.text(1)
            if case .names(let names?) = query.source, !names.contains(name) { continue }
            let half = OutputReader.half(rows, data: 6, first: 3, last: 4)
            guard let id = decoder.id(rows, 0), let numbers = half.numbers else {
                page.unreadable += 1
                continue
            }
            if page.bytes >= bytes, numbers.lowerBound - 1 > page.after {
                page.through = min(page.through, numbers.lowerBound - 1)
                return
            }
            let isTail = rows.integer(2) == 1
            let elements =
                isTail
                ? KeptElements(count: .max, tail: half).keptInTail : KeptElements(count: .max, head: half).keptInHead
            page.bytes += half.data.count + elements.count * LogReader.eventBytes
            for element in elements where element.number > page.after {
                let event = LoggedEvent(
                    number: element.number, time: element.time, name: name, execution: id, ordinal: element.ordinal,
                    content: .element(element.text))
                if element.number <= page.through { page.events.append(event) } else { page.rest.append(event) }
            }
            let missing = Int(clamping: rows.unsigned(5))
            guard isTail, missing > 0 else { continue }
            if let time = query.elementsSince, let next = elements.first, next.time < time { continue }
            let last = elements.first.map { $0.number - 1 } ?? numbers.upperBound
            let first = numbers.lowerBound
            // A reader that has some of the missing elements does not learn how many it lacks.
            guard first <= last, last > page.after else { continue }
            page.gaps.append(
                LogPage.Gap(
                    name: name, execution: id, count: first > page.after ? missing : nil, numbers: first...last))
        }
    }
}

extension LoggedEvent {
    fileprivate var isElement: Bool {
        if case .element = content { true } else { false }
    }
}
