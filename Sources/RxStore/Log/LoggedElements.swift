internal import RxAction
internal import RxJSON
internal import RxRecords

/// Reads the elements of pages of the log from the output of executions. Used from one queue.
final class LoggedElements {
    private let beginning: Statement
    private let reaching: Statement
    private let ofExecutions: Statement
    private let started: Statement
    private let exists: Statement
    private let decoder = RowDecoder()

    init(_ database: Database) throws(StoreError) {
        let halves = """
            SELECT o.execution, x.action, o.half, o.first, o.last, o.count, o.data
            FROM output o JOIN executions x ON x.id = o.execution
            """
        beginning = try Statement("\(halves) WHERE o.first > ?1 AND o.first <= ?2 ORDER BY o.first", database)
        // Without an order, no more than one row is held.
        reaching = try Statement("\(halves) WHERE o.last > ?1 AND o.first <= ?1", database)
        ofExecutions = try Statement(
            """
            \(halves) WHERE o.execution IN (SELECT value FROM json_each(?3)) AND o.last > ?1 AND o.first <= ?2
            """, database)
        started = try Statement(
            "\(halves) WHERE o.execution = ?1 AND o.stream = 'elements' AND o.half = ?2", database)
        exists = try Statement(
            "SELECT 1 FROM output WHERE execution = ?1 AND stream = 'elements' AND half = 0", database)
    }

    /// Adds the elements of a page to its events, and the gaps between them. If they are too many, the page ends
    /// earlier.
    func read(_ query: LogQuery, _ limits: LogReader.Limits, into page: inout LogPage) throws(StoreError) {
        var collection = ElementCollection(query, page, limits)
        for output in query.outputs { collection.add(output) }
        let inMemory = Set(query.outputs.map(\.execution))
        switch query.source {
        case .names, .streams:
            if let started = query.started {
                try add(started, query, without: inMemory, to: &collection, &page)
            } else {
                reaching.bind(1, page.after)
                try add(reaching, query, without: inMemory, to: &collection, &page)
            }
            beginning.bind(1, page.after)
            beginning.bind(2, page.through)
            try add(beginning, query, without: inMemory, isInOrder: true, to: &collection, &page)
        case .executions(let executions):
            ofExecutions.bind(1, page.after)
            ofExecutions.bind(2, page.through)
            ofExecutions.bind(3, RawJSON(.array(executions.map { .string($0.description) })))
            try add(ofExecutions, query, without: inMemory, to: &collection, &page)
        }
        collection.finish(&page)
        try addUnkept(query, to: &page)
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

    /// Adds the halves that earlier pages began with.
    private func add(
        _ outputs: [StartedOutput], _ query: LogQuery, without inMemory: Set<ExecutionID>,
        to collection: inout ElementCollection, _ page: inout LogPage
    ) throws(StoreError) {
        for output in outputs.sorted(by: { $0.next < $1.next }) where !inMemory.contains(output.key.execution) {
            guard output.next <= collection.through else {
                collection.carry(output)
                continue
            }
            started.bind(1, output.key.execution)
            started.bind(2, output.key.isTail ? 1 : 0)
            try add(started, query, without: inMemory, at: output.place, to: &collection, &page)
        }
    }

    /// - Parameters:
    ///   - inMemory: executions that are left out.
    ///   - place: where the elements begin that are wanted; nil for the first one.
    ///   - isInOrder: whether the rows come in the order of their first numbers.
    private func add(
        _ rows: Statement, _ query: LogQuery, without inMemory: Set<ExecutionID>,
        at place: ElementReader.Place? = nil, isInOrder: Bool = false, to collection: inout ElementCollection,
        _ page: inout LogPage
    ) throws(StoreError) {
        defer { rows.reset() }
        while try rows.step() {
            let name = rows.text(1)
            if case .names(let names?) = query.source, !names.contains(name) { continue }
            guard let id = decoder.id(rows, 0), let half = half(rows, at: place) else {
                page.unreadable += 1
                continue
            }
            if isInOrder {
                if collection.isFull { collection.shrink() }
                guard half.numbers.lowerBound <= collection.through else { return }
            }
            if !inMemory.contains(id) { collection.add(half, of: id, name) }
        }
    }

    private func half(_ row: Statement, at place: ElementReader.Place?) -> ElementHalf? {
        guard let first = row.unsignedOrNil(3), let last = row.unsignedOrNil(4), first <= last else { return nil }
        let isTail = row.integer(2) == 1
        let data = row.blob(6)
        if let place {
            // Its gap was in an earlier page.
            return ElementHalf(
                isTail: isTail, numbers: first...last, missing: 0, first: nil, elements: ElementReader(data, at: place))
        }
        let elements = isTail ? ElementReader(tail: data) : ElementReader(data, at: .startOfHead)
        return ElementHalf(
            isTail: isTail, numbers: first...last, missing: isTail ? Int(clamping: row.unsigned(5)) : 0,
            first: elements.next, elements: elements)
    }
}
