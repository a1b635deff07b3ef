internal import RxRecords
internal import RxAction

/// Gathers the candidates of a portion for a reader of executions, each of which has one order: a loss is reported
/// between the events around it. Used with the log's lock held.
struct ExecutionGathering {
    private(set) var candidates: [CatchUpCandidate] = []
    /// Whether there is more in the portion's range than the portion takes.
    private(set) var isCut = false
    private let position: CatchUpPosition
    private let page: CatchUpPage?
    private let kinds: EventKinds
    private let end: UInt64
    private let mostEvents: Int

    /// - Parameters:
    ///   - position: how far the reader has come.
    ///   - page: the page that is read; nil if memory has what follows.
    ///   - kinds: what the reader wants.
    ///   - end: the last event of the portion's range.
    ///   - mostEvents: the most events that the portion takes.
    init(
        after position: CatchUpPosition, page: CatchUpPage?, kinds: EventKinds, through end: UInt64, mostEvents: Int
    ) {
        self.position = position
        self.page = page
        self.kinds = kinds
        self.end = end
        self.mostEvents = mostEvents
    }

    /// - Parameter slot: the execution's place among those that are read.
    mutating func gather(_ execution: HostedExecution, _ slot: Int) {
        var seen = position.seen[slot]
        var previous = position.taken[slot] ?? position.start
        var taken = 0
        func lose(_ missing: Int?, through last: UInt64) {
            guard missing.map({ $0 > 0 }) ?? true else { return }
            candidates.append(
                CatchUpCandidate(
                    item: .lost(count: missing, first: min(previous + 1, last), last: last), slot: slot, seen: seen))
            previous = last
        }
        for item in items(of: execution, slot) {
            switch item {
            case .event(let event, _):
                guard taken < mostEvents else {
                    isCut = true
                    return
                }
                taken += 1
                var missing = seen.missing(before: event, of: kinds)
                // Events of other kinds may be among them. Memory has everything that came later.
                if missing > 0, page == nil {
                    missing += seen.missing(of: execution.published(upTo: event.cursor - 1), kinds)
                }
                lose(missing, through: event.cursor - 1)
                seen.update(event.kind) { $0 = UInt64(clamping: event.ordinal) }
                candidates.append(CatchUpCandidate(item: .event(event), slot: slot, seen: seen))
                previous = event.cursor
            case .gap(let count, _, let last, _):
                // Where elements are counted, the next event shows how many are missing; after a crash nobody knows.
                guard seen.elements == .max || count == nil && execution.record.state == .interrupted else { continue }
                lose(count, through: last)
            case .trimmed(_, let last):
                // Nobody knows how many of each kind are among them.
                seen = .unknown
                lose(nil, through: last)
            // Nothing is encoded for a reader of executions, and an execution counts its own events.
            case .encoded, .hole: continue
            }
        }
        // What follows the page may be in memory.
        guard page == nil else { return }
        gatherRest(of: execution, slot, seen, after: previous)
    }

    /// Reports the events after the last one that is kept.
    private mutating func gatherRest(
        of execution: HostedExecution, _ slot: Int, _ seen: KindCounts, after previous: UInt64
    ) {
        var all = seen
        let missing = all.missing(of: execution.published(upTo: end), kinds)
        guard missing > 0 else { return }
        let newest = execution.action.ring.evictedThrough.newest(of: kinds)
        guard newest <= end else {
            // Of these, the reader may not see all yet.
            isCut = true
            return
        }
        // Other executions may have had events since. Events of other kinds may have come after these: then nobody
        // knows where they were.
        let last = min(max(newest, position.cursor, previous + 1), end)
        let first = previous < end ? previous + 1 : position.start + 1
        candidates.append(
            CatchUpCandidate(item: .lost(count: missing, first: first, last: last), slot: slot, seen: all))
    }

    /// The next events of an execution, from the page and from memory, and the gaps; one more than a portion takes.
    private func items(of execution: HostedExecution, _ slot: Int) -> [CatchUpPage.Item] {
        var items: [CatchUpPage.Item] = []
        var events = 0
        page?.forEach(after: position.cursor) { item in
            switch item {
            case .event(let event, slot) where kinds.contains(event.kind):
                items.append(item)
                events += 1
            case .gap(_, _, _, slot) where kinds.contains(.elements), .trimmed: items.append(item)
            case .event, .encoded, .gap, .hole: break
            }
            return events <= mostEvents
        }
        events = 0
        execution.action.ring.forEach(after: position.cursor, of: execution.id) { event in
            guard event.cursor <= end else { return false }
            guard event.execution == execution.id, kinds.contains(event.kind) else { return true }
            if page?.contains(event.cursor) == true { return true }
            guard events <= mostEvents else { return false }
            items.append(.event(event, slot: slot))
            events += 1
            return true
        }
        return page == nil ? items : items.sorted { $0.number < $1.number }
    }
}

extension KindCounts {
    /// Counts the events of an execution, of `kinds`, that came before one of its events.
    ///
    /// - Returns: how many of them were not counted yet: they are missing.
    fileprivate mutating func missing(before event: HostEvent, of kinds: EventKinds) -> Int {
        var missing = 0
        func count(_ kind: EventKinds, _ number: Int) { missing += self.missing(kind, until: UInt64(clamping: number)) }
        count(event.kind, event.ordinal - 1)
        switch event.change {
        case .execution(let record), .failure(_, of: let record):
            // After a crash nobody knows how many elements there were.
            if kinds.contains(.elements), record.state != .interrupted { count(.elements, record.elements) }
        default: break
        }
        return missing
    }

    /// Counts the events of `kinds` up to `published`.
    ///
    /// - Returns: how many of them were not counted yet: they are missing.
    fileprivate mutating func missing(of published: KindCounts, _ kinds: EventKinds) -> Int {
        var missing = 0
        for kind in EventKinds.kept where kinds.contains(kind) {
            missing += self.missing(kind, until: published.sum(of: kind))
        }
        return missing
    }

    private mutating func missing(_ kind: EventKinds, until number: UInt64) -> Int {
        let had = sum(of: kind)
        // The number of the first event of a kind states how many came before it; some were lost if that is known.
        guard had != .max, number > had else { return 0 }
        update(kind) { $0 = number }
        return Int(number - had)
    }
}
