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

    mutating func gatherAll(_ executions: [HostedExecution]) {
        var counts = RemainingCounts(executions)
        var items = [[CatchUpPage.Item]](repeating: [], count: executions.count)
        takePage(into: &items)
        let cut = takeMemory(counts.groups, into: &items)
        for (slot, execution) in executions.enumerated() {
            gather(execution, slot, items[slot], isCut: cut.contains(counts.groups.numbers[slot]), &counts)
        }
    }

    /// - Parameters:
    ///   - slot: the execution's place among those that are read.
    ///   - items: its next events, from the page and from memory, and the gaps.
    ///   - isCut: whether it may have more of them in memory.
    ///   - counts: what memory has of the executions.
    private mutating func gather(
        _ execution: HostedExecution, _ slot: Int, _ items: [CatchUpPage.Item], isCut: Bool,
        _ counts: inout RemainingCounts
    ) {
        var seen = position.seen[slot]
        var previous = position.taken[slot] ?? position.start
        var taken = 0
        /// The events of the wanted kinds before this one, after the position.
        var before = KindCounts()
        func lose(_ missing: Int?, through last: UInt64) {
            guard missing.map({ $0 > 0 }) ?? true else { return }
            candidates.append(
                CatchUpCandidate(
                    item: .lost(count: missing, first: min(previous + 1, last), last: last), slot: slot, seen: seen))
            previous = last
        }
        for item in items {
            switch item {
            case .event(let event, _):
                guard taken < mostEvents else {
                    self.isCut = true
                    return
                }
                taken += 1
                var missing = seen.missing(before: event, of: kinds)
                // Events of other kinds may be among them. Memory has everything that came later.
                if missing > 0, page == nil {
                    let remaining = counts.after(position.cursor)[slot].without(before)
                    missing += seen.missing(of: execution.published(without: remaining), kinds)
                }
                before.update(event.kind) { $0 += 1 }
                lose(missing, through: event.cursor - 1)
                seen.update(event.kind) { $0 = UInt64(clamping: event.ordinal) }
                candidates.append(CatchUpCandidate(item: .event(event), slot: slot, seen: seen))
                previous = event.cursor
            case .gap(let count, _, let last, _):
                // Where elements are counted, the next event shows how many are missing; after a crash nobody knows.
                guard seen.elements == .max || count == nil && execution.record.state == .interrupted else { continue }
                lose(count, through: last)
            case .unread(_, let last):
                // Nobody knows how many of each kind are among them.
                seen = .unknown
                lose(nil, through: last)
            // Nothing is encoded for a reader of executions, and an execution counts its own events.
            case .encoded, .hole: continue
            }
        }
        // What follows the page may be in memory.
        guard page == nil, !isCut else { return }
        gatherRest(of: execution, slot, seen, after: previous, &counts)
    }

    /// Reports the events after the last one that is kept.
    private mutating func gatherRest(
        of execution: HostedExecution, _ slot: Int, _ seen: KindCounts, after previous: UInt64,
        _ counts: inout RemainingCounts
    ) {
        var all = seen
        let missing = all.missing(of: execution.published(without: counts.after(end)[slot]), kinds)
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

    /// Takes the next events of all executions from the page, and the gaps; one more than a portion takes.
    private mutating func takePage(into items: inout [[CatchUpPage.Item]]) {
        guard let page else { return }
        var events = 0
        page.forEach(after: position.cursor) { item in
            switch item {
            case .event(let event, let slot):
                guard kinds.contains(event.kind) else { break }
                items[slot].append(item)
                events += 1
            case .gap(_, _, _, let slot):
                if kinds.contains(.elements) { items[slot].append(item) }
            case .unread:
                for slot in items.indices { items[slot].append(item) }
            case .encoded, .hole: break
            }
            return events <= mostEvents
        }
        if events > mostEvents { isCut = true }
    }

    /// Takes the next events of all executions from memory, of each action one more than a portion takes.
    ///
    /// - Returns: the numbers of the groups that have more.
    private mutating func takeMemory(
        _ groups: ExecutionGroups, into items: inout [[CatchUpPage.Item]]
    ) -> Set<Int> {
        var cut: Set<Int> = []
        for (number, group) in groups.groups.enumerated() {
            var events = 0
            group.ring.forEach(after: position.cursor, at: { group.places[$0] }) { event, slot in
                guard event.cursor <= end else { return false }
                guard kinds.contains(event.kind), page?.contains(event.cursor) != true else { return true }
                items[slot].append(.event(event, slot: slot))
                events += 1
                return events <= mostEvents
            }
            if events > mostEvents {
                cut.insert(number)
                isCut = true
            }
        }
        if page != nil {
            for slot in items.indices where items[slot].count > 1 { items[slot].sort { $0.number < $1.number } }
        }
        return cut
    }
}

/// Counts what memory has of executions after a cursor, of all of them when it is needed of one.
private struct RemainingCounts {
    let groups: ExecutionGroups
    private var byCursor: [UInt64: [KindCounts]] = [:]

    init(_ executions: [HostedExecution]) { groups = ExecutionGroups(executions) }

    mutating func after(_ cursor: UInt64) -> [KindCounts] {
        if let known = byCursor[cursor] { return known }
        let counts = groups.remaining(after: cursor)
        byCursor[cursor] = counts
        return counts
    }
}

extension KindCounts {
    /// These counts without those of some of the events.
    fileprivate func without(_ some: KindCounts) -> KindCounts {
        var rest = self
        for kind in EventKinds.kept { rest.update(kind) { $0 -= min($0, some.sum(of: kind)) } }
        return rest
    }

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
