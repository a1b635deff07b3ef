internal import RxRecords
internal import RxAction

/// Collects the next portion for a reader that catches up: the events of several names in one order, with each loss in
/// its place, from pages of the store as far as they are not in memory. Used with the log's lock held.
struct CatchUpReader {
    private let source: EventSource
    private let kinds: EventKinds
    private let stored: StoredEvents
    private var position: CatchUpPosition
    private var candidates: [CatchUpCandidate] = []
    /// Whether there is more in this portion's range than the portion takes.
    private var isCut = false
    /// The most events of the portion.
    private var mostEvents: Int { page == nil ? CatchUpPortion.eventsTaken : CatchUpPortion.eventsTakenOfPage }
    /// The last event of the portion's range: of those that readers may see, or of the page.
    private var end: UInt64 = 0
    /// The number at which this host continued the log of earlier ones; 0 if it did not.
    private var start: UInt64 = 0
    /// The page that has the events of names with a history; nil if memory has them.
    private var page: CatchUpPage?

    init(source: EventSource, kinds: EventKinds, after position: CatchUpPosition) {
        self.source = source
        self.kinds = kinds
        self.position = position
        stored = StoredEvents(source: source, kinds: kinds)
    }

    /// The next portion, and the position after it. To be called once.
    mutating func next(in state: HostState) -> (CatchUpPortion, CatchUpPosition) {
        if !position.first.isEmpty {
            let taken = position.first.take(CatchUpPortion.eventsTaken, bytes: CatchUpPortion.bytesTaken)
            return (CatchUpPortion(items: taken.map { .event($0) }, cursor: position.cursor), position)
        }
        // All events of names that were added since are new.
        while position.seen.count < source.sources.count { position.seen.append(KindCounts()) }
        (end, start) = (state.visible, state.numbers.isContinued ? state.numbers.start : 0)
        // The reader waits for the disk.
        if position.stored.page == nil, position.cursor >= end, !state.willDrainAll(after: position.cursor) {
            return (CatchUpPortion(cursor: position.cursor), position)
        }
        let need = findPage(in: state)
        switch need {
        case .nothing, .following: break
        case .page, .requested:
            return (CatchUpPortion(cursor: position.cursor, need: need), position)
        }
        if page != nil { loseUnkept() }
        let items = takeBlock() ?? takeMerged()
        if !isCut { position.cursor = max(position.cursor, end) }
        let isOver = page == nil
        if !isOver { dropPage() }
        let isComplete = isOver && !isCut && state.willDrainAll(after: position.cursor)
        let portion = CatchUpPortion(
            items: items, isComplete: isComplete, cursor: position.cursor, ended: isComplete ? ended : [], need: need)
        return (portion, position)
    }

    /// The records of the executions that have ended for the reader.
    private var ended: [ExecutionRecord] {
        guard case .executions(let executions) = source else { return [] }
        return executions.filter { $0.hasEnded(by: position.cursor) }.map(\.record)
    }

    // MARK: Pages

    /// Takes up the page that has what comes next, if it is not in memory.
    private mutating func findPage(in state: HostState) -> CatchUpPortion.Need {
        if position.stored.page == nil { takeFollowing() }
        if let page = position.stored.page {
            self.page = page
            end = min(end, page.through)
            return requestFollowing(page, in: state)
        }
        if case .requested = position.stored.following { return .requested }
        guard let last = stored.end(after: position.cursor, in: state, isReading: position.stored.wasUsed) else {
            compareWithMemory()
            return .nothing
        }
        let written = min(last, state.numbers.stored(state.visible))
        guard position.cursor < written else {
            // The disk hangs, and memory has lost what it does not take.
            if position.cursor < state.visible { loseUnwritten(through: last) }
            return .nothing
        }
        position.stored.following = .requested
        return .page(stored.request(position.stored, after: position.cursor, through: written, in: state))
    }

    private mutating func takeFollowing() {
        guard case .read(let page, _, let after) = position.stored.following else { return }
        position.stored.note(trimmed: min(page.trimmed, end), after: after)
        // The first page may begin later, with a time.
        position.cursor = max(position.cursor, after)
        position.stored.since = nil
        position.stored.wasUsed = true
        position.stored.advance()
    }

    /// Has the next page read while this one is taken.
    private mutating func requestFollowing(_ page: CatchUpPage, in state: HostState) -> CatchUpPortion.Need {
        guard case .none = position.stored.following,
            let last = stored.end(after: page.through, in: state, isReading: true)
        else { return .nothing }
        let written = min(last, state.numbers.stored(state.visible))
        guard page.through < written else { return .nothing }
        position.stored.following = .requested
        return .following(stored.request(position.stored, after: page.through, through: written, in: state))
    }

    private mutating func dropPage() {
        position.stored.page?.drop(through: position.cursor)
        if let page = position.stored.page, position.cursor >= page.through { position.stored.page = nil }
    }

    /// Goes on in memory: everything up to here was read, from there or from pages.
    private mutating func compareWithMemory() {
        guard position.stored.wasUsed else { return }
        position.stored.wasUsed = false
        position.stored.reading.lookBack()
        guard case .named(let sources) = source else { return }
        for (slot, source) in sources.enumerated() where source.feed.isLogged {
            let seen = source.ring.published(upTo: position.cursor)
            if source.feed.logsElements {
                position.seen[slot] = seen
                continue
            }
            position.seen[slot].errors = seen.errors
            position.seen[slot].executions = seen.executions
        }
    }

    /// Memory has lost events of names whose later ones are in the store, and that one was not to keep these.
    private mutating func loseUnkept() {
        guard case .named(let sources) = source else { return }
        for source in sources where source.feed.isLogged {
            let last = source.feed.unkept.newest(of: kinds, upTo: source.ring.evictedThrough)
            if position.cursor < last { position.lose(position.cursor + 1, through: last) }
        }
    }

    private mutating func loseUnwritten(through last: UInt64) {
        for (slot, source) in source.sources.enumerated() where source.feed.isLogged {
            guard case .named = self.source, source.ring.evictedThrough.newest(of: kinds) > position.cursor else {
                continue
            }
            position.lose(position.cursor + 1, through: last)
            position.seen[slot] = source.ring.published(upTo: last)
        }
    }

    /// Takes the next block of the page whole, if it has one and nothing has to be merged with it.
    private mutating func takeBlock() -> [CatchUpPortion.Item]? {
        guard let page, case .named(let sources) = source else { return nil }
        let finder = UnmixedBlock(sources: sources, kinds: kinds, page: page, end: end, start: start)
        guard let (block, seen) = finder.next(after: position) else { return nil }
        isCut = !page.isLast
        for (slot, source) in sources.enumerated()
        where finder.hasLost(source, position.seen[slot], through: .max) { postponeLoss(slot) }
        position.cursor = block.last.cursor
        position.seen = seen
        return [.encoded(block)]
    }

    // MARK: Gathering

    private mutating func takeMerged() -> [CatchUpPortion.Item] {
        gatherAll()
        // Whoever comes back with the cursor of a loss has the event with that cursor.
        candidates.sort { ($0.item.cursor, $0.isEvent ? 0 : 1) < ($1.item.cursor, $1.isEvent ? 0 : 1) }
        return takeItems()
    }

    private mutating func gatherAll() {
        switch source {
        case .named(let sources):
            var seen = position.seen
            gatherPage(sources, &seen)
            for (slot, source) in sources.enumerated() { gather(source, slot, seen[slot]) }
            gatherUnknown()
        case .executions(let executions):
            var gathering = ExecutionGathering(
                after: position, page: page, kinds: kinds, through: end, mostEvents: mostEvents)
            gathering.gatherAll(executions)
            candidates = gathering.candidates
            isCut = gathering.isCut
        }
    }

    /// Gathers the items of the page: a portion's number of them, whatever their names are.
    private mutating func gatherPage(_ sources: [Hosted], _ seen: inout [KindCounts]) {
        guard let page else { return }
        var (taken, last) = (0, UInt64(0))
        page.forEach(after: position.cursor) { item in
            guard taken < mostEvents || item.number == last else {
                isCut = true
                return false
            }
            last = item.number
            if gather(item, sources, &seen) { taken += 1 }
            return true
        }
    }

    /// - Returns: whether the item is a candidate.
    private mutating func gather(_ item: CatchUpPage.Item, _ sources: [Hosted], _ seen: inout [KindCounts]) -> Bool {
        switch item {
        case .event(let event, let slot):
            return gather(.event(event), event.kind, slot, sources, &seen)
        case .encoded(let events):
            return gather(.encoded(events), events.first.kind, events.first.slot, sources, &seen)
        case .gap(let count, let first, let last, let slot):
            let uncounted = position.stored.uncounted[slot] ?? 0
            if first <= uncounted {
                candidates.append(
                    CatchUpCandidate(
                        item: .lost(count: last <= uncounted ? count : nil, first: first, last: last), slot: slot,
                        seen: nil))
                return true
            }
            let isGone = last <= sources[slot].ring.evictedThrough.elements
            guard let count, isGone, first > position.cursor else {
                // Memory may have some of them, or has had them: it knows how many are missing.
                position.unreported[slot] = min(first, position.unreported[slot] ?? .max)
                return false
            }
            seen[slot].elements += UInt64(count)
            candidates.append(
                CatchUpCandidate(item: .lost(count: count, first: first, last: last), slot: slot, seen: seen[slot]))
            return true
        case .unread(let first, let last):
            candidates.append(CatchUpCandidate(item: .lost(count: nil, first: first, last: last), slot: 0, seen: nil))
            return true
        case .hole(let first, let last):
            guard first <= max(start, stored.evictedThrough) else { return false }
            candidates.append(CatchUpCandidate(item: .lost(count: nil, first: first, last: last), slot: 0, seen: nil))
            return true
        }
    }

    private mutating func gather(
        _ item: CatchUpPortion.Item, _ kind: EventKinds, _ slot: Int, _ sources: [Hosted], _ seen: inout [KindCounts]
    ) -> Bool {
        let source = sources[slot]
        guard kinds.contains(kind), isOnlyStored(item.cursor, kind, of: source) else { return false }
        let isCounted =
            kind == .elements && !source.feed.logsElements && item.cursor > position.stored.uncounted[slot] ?? 0
        if isCounted { seen[slot].elements += 1 }
        // Others may come after elements in memory, which are counted later.
        candidates.append(CatchUpCandidate(item: item, slot: slot, seen: isCounted ? seen[slot] : nil))
        return true
    }

    /// Whether memory does not have the event: it has the newest elements of this host. Errors and records, and all
    /// events of a stream, are taken from the page, except of a name whose events the store no longer keeps.
    private func isOnlyStored(_ cursor: UInt64, _ kind: EventKinds, of source: Hosted) -> Bool {
        if !source.feed.isLogged { return !source.ring.has(cursor) }
        return kind != .elements || source.feed.logsElements
            || cursor <= max(source.ring.evictedThrough.newest(of: .all), start)
    }

    /// Takes as many candidates as fit into a portion, and moves the position behind them.
    private mutating func takeItems() -> [CatchUpPortion.Item] {
        var items: [CatchUpPortion.Item] = []
        var bytes = 0
        // What is not wanted counts as well: each name has given as many candidates as a portion takes, and may have
        // more.
        var taken = 0
        var last: UInt64?
        for candidate in candidates {
            let isFull = taken >= mostEvents || bytes >= CatchUpPortion.bytesTaken
            // The next portion begins after the cursor of the last candidate that is taken.
            guard !isFull || candidate.item.cursor == last else {
                isCut = true
                if candidate.isOfCounted, case .lost(_, let first, _) = candidate.item {
                    position.unreported[candidate.slot] = first
                }
                continue
            }
            taken += 1
            last = candidate.item.cursor
            if isWanted(candidate.item) { append(candidate.item, to: &items) }
            if candidate.isOfCounted { position.unreported[candidate.slot] = nil }
            position.cursor = max(position.cursor, candidate.item.cursor)
            if case .executions = source { position.taken[candidate.slot] = candidate.item.cursor }
            if let seen = candidate.seen { position.seen[candidate.slot] = seen }
            switch candidate.item {
            case .event(let event): bytes += event.cost
            case .encoded(let events): bytes += events.byteCount
            case .lost(_, _, let last): position.didReport(through: last)
            }
        }
        return items
    }

    /// Whether the item is not an event from before the time at which the reader begins. A level is as it is now.
    private func isWanted(_ item: CatchUpPortion.Item) -> Bool {
        guard let unwanted = position.stored.unwanted, case .event(let event) = item else { return true }
        return event.kind.isSubset(of: .levels) || !unwanted.contains(event.cursor, at: event.time)
    }

    /// Losses of several names that nobody could count, as after a restart, are one: a report names no name.
    private func append(_ item: CatchUpPortion.Item, to items: inout [CatchUpPortion.Item]) {
        if case .lost(nil, let first, let last) = item, case .lost(nil, let other, last)? = items.last {
            items[items.count - 1] = .lost(count: nil, first: min(first, other), last: last)
        } else {
            items.append(item)
        }
    }

    // MARK: Memory

    /// Reports what the store was not to keep, and what the retention has removed: once, behind the events between the
    /// bounds that are kept.
    private mutating func gatherUnknown() {
        for case let loss? in [position.unknown, position.stored.removed] where loss.last <= end {
            candidates.append(
                CatchUpCandidate(item: .lost(count: nil, first: loss.first, last: loss.last), slot: 0, seen: nil))
        }
    }

    /// - Parameter seen: what is seen after the items of the page.
    private mutating func gather(_ source: Hosted, _ slot: Int, _ seen: KindCounts) {
        let feed = source.feed
        let isInPage = page != nil && feed.isLogged
        var seen = seen
        gatherLosses(source, slot, isInPage: isInPage, &seen)
        for event in source.levels(kinds, after: position.cursor) where event.cursor <= end {
            candidates.append(CatchUpCandidate(item: .event(event), slot: slot, seen: nil))
        }
        var taken = 0
        source.ring.forEach(after: position.cursor) { event in
            guard event.cursor <= end else { return false }
            guard kinds.contains(event.kind) else { return true }
            let isCounted = !isInPage || event.kind == .elements && !feed.logsElements
            if !isCounted, page?.contains(event.cursor) == true { return true }
            guard taken < mostEvents else {
                isCut = true
                return false
            }
            taken += 1
            if isCounted { seen.update(event.kind) { $0 += 1 } }
            candidates.append(CatchUpCandidate(item: .event(event), slot: slot, seen: seen))
            return true
        }
    }

    /// Reports what memory has lost since the reader began, and no page has.
    private mutating func gatherLosses(
        _ source: Hosted, _ slot: Int, isInPage: Bool, _ seen: inout KindCounts
    ) {
        var missing = 0
        // Events of other kinds, or of other names, may have been taken since.
        var last = position.cursor
        var isAll = true
        for kind in EventKinds.kept where kinds.contains(kind) {
            guard !isInPage || kind == .elements && !source.feed.logsElements else { continue }
            let (gone, had) = (source.ring.evicted.sum(of: kind), seen.sum(of: kind))
            let newest = source.ring.evictedThrough.newest(of: kind)
            guard gone > had else { continue }
            guard newest <= end else {
                // Of these, the reader may not see all yet. It gets the other events up to `end` now.
                postponeLoss(slot)
                isCut = isCut || page == nil
                isAll = false
                continue
            }
            missing += Int(gone - had)
            last = max(last, newest)
            seen.update(kind) { $0 = gone }
        }
        guard missing > 0 else {
            if isAll, page == nil { position.unreported[slot] = nil }
            return
        }
        let first = min(position.unreported[slot] ?? .max, position.cursor + 1)
        candidates.append(
            CatchUpCandidate(
                item: .lost(count: missing, first: first, last: last), slot: slot, seen: seen, isOfCounted: isAll))
    }

    /// A loss is reported later than the events that follow `position`.
    private mutating func postponeLoss(_ slot: Int) {
        position.unreported[slot] = position.unreported[slot] ?? position.cursor + 1
    }
}
