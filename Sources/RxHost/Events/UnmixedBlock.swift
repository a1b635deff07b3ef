/// Finds the block of a page that can be sent as it is, because nothing that memory has belongs into it. Most blocks
/// of a long log can; the others are taken event by event. Used with the log's lock held.
struct UnmixedBlock {
    let sources: [Hosted]
    let kinds: EventKinds
    let page: CatchUpPage
    /// The last event that the page may be taken up to.
    let end: UInt64
    /// The number at which this host continued the log of earlier ones.
    let start: UInt64

    /// The next block, and what is seen after it; nil if it has to be taken event by event.
    func next(after position: CatchUpPosition) -> (EncodedEvents, [KindCounts])? {
        guard case .encoded(let block)? = page.next, let events = block.after(position.cursor) else { return nil }
        // A loss with the number of the last event must be taken with it.
        guard page.second.map({ $0.number > events.last.cursor }) ?? true else { return nil }
        // Of the last block, everything up to the end of the page is taken.
        let through = page.isLast ? max(end, events.last.cursor) : events.last.cursor
        guard [position.unknown, position.stored.removed].allSatisfy({ $0.map { $0.last > end } ?? true }) else {
            return nil
        }
        for (slot, source) in sources.enumerated() {
            guard !hasLost(source, position.seen[slot], through: end),
                !hasMore(source, after: position.cursor, through: through)
            else { return nil }
        }
        guard kinds.contains(.elements) else { return (events, position.seen) }
        var seen = position.seen
        for event in events.events where event.kind == .elements && !sources[event.slot].feed.logsElements {
            // Memory has the newest elements of this host.
            let kept = max(sources[event.slot].ring.evictedThrough.newest(of: .all), start)
            guard event.cursor <= kept else { return nil }
            if event.cursor > position.stored.uncounted[event.slot] ?? 0 { seen[event.slot].elements += 1 }
        }
        return (events, seen)
    }

    /// Whether memory may have lost, up to an event, what no page has.
    func hasLost(_ source: Hosted, _ seen: KindCounts, through end: UInt64) -> Bool {
        let (feed, ring) = (source.feed, source.ring)
        return EventKinds.kept.contains { kind in
            guard kinds.contains(kind), !feed.isLogged || kind == .elements && !feed.logsElements else { return false }
            return ring.evicted.sum(of: kind) > seen.sum(of: kind) && ring.evictedThrough.newest(of: kind) <= end
        }
    }

    /// Whether memory has events in this range that the page does not have.
    private func hasMore(_ source: Hosted, after cursor: UInt64, through: UInt64) -> Bool {
        let feed = source.feed
        var isMissing = false
        source.ring.forEach(after: cursor) { event in
            guard event.cursor <= through else { return false }
            guard kinds.contains(event.kind) else { return true }
            let isElsewhere = !feed.isLogged || event.kind == .elements && !feed.logsElements
            isMissing = isElsewhere || !page.contains(event.cursor)
            return !isMissing
        }
        if isMissing || kinds.isDisjoint(with: .levels) { return isMissing }
        return source.levels(kinds, after: cursor).contains { $0.cursor <= through }
    }
}
