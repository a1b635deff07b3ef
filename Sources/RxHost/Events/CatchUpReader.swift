internal import RxRecords
internal import RxAction

/// Collects the next portion for a reader that catches up: the events of several names in one order, with each loss in
/// its place. Used with the log's lock held.
struct CatchUpReader {
    private struct Candidate {
        let item: CatchUpPortion.Item
        /// The place in the source, and the counts seen there after this item; nil if they stay as they are.
        let slot: Int
        let seen: KindCounts?
    }

    private let source: EventSource
    private let kinds: EventKinds
    private var position: CatchUpPosition
    private var candidates: [Candidate] = []
    /// The last event that may be read: later ones are going to be drained.
    private var visible: UInt64 = 0
    /// The number at which this host continued the log of earlier ones; 0 if it did not.
    private var start: UInt64 = 0

    init(source: EventSource, kinds: EventKinds, after position: CatchUpPosition) {
        self.source = source
        self.kinds = kinds
        self.position = position
    }

    /// The next portion, and the position after it. To be called once.
    mutating func next(in state: HostState) -> (CatchUpPortion, CatchUpPosition) {
        var records: [ExecutionRecord] = []
        if case .executions(let executions) = source { records = executions.map(\.record) }
        if !position.first.isEmpty {
            let taken = position.first.prefix(CatchUpPortion.eventsTaken)
            position.first.removeFirst(taken.count)
            let portion = CatchUpPortion(
                items: taken.map { .event($0) }, isComplete: false, cursor: position.cursor, records: records)
            return (portion, position)
        }
        (visible, start) = (state.visible, state.numbers.isContinued ? state.numbers.start : 0)
        var isCut = gatherAll()
        if source.sources.count > 1 || !kinds.isDisjoint(with: .levels) || position.cursor < start {
            candidates.sort { $0.item.cursor < $1.item.cursor }
        }
        let items = takeItems(&isCut)
        if !isCut { position.cursor = max(position.cursor, visible) }
        // While events are left out, the next ones are not drained either.
        let portion = CatchUpPortion(
            items: items, isComplete: !isCut && !state.isSkipping, cursor: position.cursor, records: records)
        return (portion, position)
    }

    /// - Returns: whether there is more.
    private mutating func gatherAll() -> Bool {
        var isCut = false
        switch source {
        case .named(let sources):
            // All events of names that were added since are new.
            while position.seen.count < sources.count { position.seen.append(KindCounts()) }
            for (slot, source) in sources.enumerated() { isCut = gather(source, slot) || isCut }
        case .executions(let executions):
            for (slot, execution) in executions.enumerated() { isCut = gather(execution, slot) || isCut }
        }
        return isCut
    }

    /// Takes as many candidates as fit into a portion, and moves the position behind them.
    private mutating func takeItems(_ isCut: inout Bool) -> [CatchUpPortion.Item] {
        var items: [CatchUpPortion.Item] = []
        var bytes = 0
        for candidate in candidates {
            guard items.count < CatchUpPortion.eventsTaken, bytes < CatchUpPortion.bytesTaken else {
                isCut = true
                if case .lost(_, let first, _) = candidate.item { position.unreported[candidate.slot] = first }
                continue
            }
            items.append(candidate.item)
            if case .lost = candidate.item { position.unreported[candidate.slot] = nil }
            position.cursor = max(position.cursor, candidate.item.cursor)
            if let seen = candidate.seen { position.seen[candidate.slot] = seen }
            if case .event(let event) = candidate.item {
                bytes += event.cost
            } else if candidate.item.cursor == start {
                position.unkept[candidate.slot] = nil
            }
        }
        return items
    }

    /// Reports events of an earlier host that are missing because the store does not keep such events.
    private mutating func gatherUnkept(_ feed: Hosted.Feed, _ slot: Int) {
        guard position.cursor < start else { return }
        let isMissing = feed.mayLack(kinds, after: position.cursor, before: start)
        guard let first = position.unkept[slot] ?? (isMissing ? position.cursor + 1 : nil) else { return }
        // This portion may end earlier, and the next one may not see it any more.
        position.unkept[slot] = first
        candidates.append(Candidate(item: .lost(count: nil, first: first, last: start), slot: slot, seen: nil))
    }

    /// - Returns: whether there is more.
    private mutating func gather(_ source: Hosted, _ slot: Int) -> Bool {
        let feed = source.feed
        var seen = position.seen[slot]
        var missing = 0
        var last: UInt64 = 0
        for kind in [EventKinds.elements, .errors, .executions] where kinds.contains(kind) {
            let (gone, had) = (feed.ring.evicted.sum(of: kind), seen.sum(of: kind))
            guard gone > had else { continue }
            missing += Int(gone - had)
            last = max(last, feed.ring.evictedThrough.newest(of: kind))
            seen.update(kind) { $0 = gone }
        }
        if missing > 0 {
            let first = position.unreported[slot] ?? position.cursor + 1
            candidates.append(
                Candidate(item: .lost(count: missing, first: first, last: last), slot: slot, seen: seen))
        }
        gatherUnkept(feed, slot)
        for event in source.levels(kinds, after: position.cursor) where event.cursor <= visible {
            candidates.append(Candidate(item: .event(event), slot: slot, seen: nil))
        }
        var taken = 0
        var isCut = false
        feed.ring.forEach(after: position.cursor) { event in
            guard event.cursor <= visible else { return false }
            guard kinds.contains(event.kind) else { return true }
            guard taken < CatchUpPortion.eventsTaken else {
                isCut = true
                return false
            }
            taken += 1
            seen.update(event.kind) { $0 += 1 }
            candidates.append(Candidate(item: .event(event), slot: slot, seen: seen))
            return true
        }
        return isCut
    }

    /// - Returns: whether there is more.
    private mutating func gather(_ execution: HostedExecution, _ slot: Int) -> Bool {
        let ring = execution.action.feed.ring
        var seen = position.seen[slot]
        var taken = 0
        var isCut = false
        func lose(_ missing: Int, through last: UInt64) {
            guard missing > 0 else { return }
            candidates.append(
                Candidate(
                    item: .lost(count: missing, first: position.cursor + 1, last: last), slot: slot, seen: seen))
        }
        ring.forEach(after: position.cursor, of: execution.id) { event in
            guard event.cursor <= visible else { return false }
            guard event.execution == execution.id, kinds.contains(event.kind) else { return true }
            guard taken < CatchUpPortion.eventsTaken else {
                isCut = true
                return false
            }
            taken += 1
            let missing = event.ordinal - Int(seen.sum(of: event.kind)) - 1
            seen.update(event.kind) { $0 = UInt64(event.ordinal - 1) }
            lose(missing, through: event.cursor - 1)
            seen.update(event.kind) { $0 = UInt64(event.ordinal) }
            candidates.append(Candidate(item: .event(event), slot: slot, seen: seen))
            return true
        }
        guard !isCut else { return true }
        let published = execution.published(upTo: visible)
        let missing = Int(published.sum(of: kinds)) - Int(seen.sum(of: kinds))
        seen = published
        lose(missing, through: max(ring.evictedThrough.newest(of: kinds), position.cursor + 1))
        return false
    }
}
