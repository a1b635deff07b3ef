internal import RxRecords
internal import RxAction

/// The events of executions, each of which has one order: a loss is reported between the events around it.
extension CatchUpReader {
    mutating func gather(_ execution: HostedExecution, _ slot: Int) {
        var seen = position.seen[slot]
        var previous = position.taken[slot] ?? position.start
        var taken = 0
        func lose(_ missing: Int?, through last: UInt64) {
            guard missing.map({ $0 > 0 }) ?? true else { return }
            candidates.append(
                Candidate(
                    item: .lost(count: missing, first: min(previous + 1, last), last: last), slot: slot, seen: seen))
            previous = last
        }
        for item in items(of: execution, slot) {
            guard taken < mostEvents else {
                isCut = true
                return
            }
            taken += 1
            switch item {
            case .event(let event, _):
                lose(seen.missing(before: event, of: kinds), through: event.cursor - 1)
                seen.update(event.kind) { $0 = UInt64(event.ordinal) }
                candidates.append(Candidate(item: .event(event), slot: slot, seen: seen))
                previous = event.cursor
            case .gap(let count, _, let last, _):
                // Where elements are counted, the next event says how many are missing; after a crash nobody knows.
                guard seen.elements == .max || count == nil && execution.record.state == .interrupted else { continue }
                lose(count, through: last)
            case .trimmed(_, let last):
                lose(nil, through: last)
            // Nothing is encoded for a reader of executions.
            case .encoded: continue
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
        let published = execution.published(upTo: end)
        var (missing, all) = (0, seen)
        for kind in EventKinds.kept where kinds.contains(kind) {
            let (had, came) = (seen.sum(of: kind), published.sum(of: kind))
            guard had != .max, came > had else { continue }
            missing += Int(came - had)
            all.update(kind) { $0 = came }
        }
        guard missing > 0 else { return }
        let newest = execution.action.feed.ring.evictedThrough.newest(of: kinds)
        guard newest <= end else {
            // Of these, the reader may not see all yet.
            isCut = true
            return
        }
        // Other executions may have had events since.
        let last = max(newest, position.cursor, previous + 1)
        candidates.append(
            Candidate(item: .lost(count: missing, first: previous + 1, last: last), slot: slot, seen: all))
    }

    /// The next events of an execution, from the page and from memory, and the gaps; one more than a portion takes.
    private func items(of execution: HostedExecution, _ slot: Int) -> [CatchUpPage.Item] {
        var items: [CatchUpPage.Item] = []
        page?.forEach(after: position.cursor) { item in
            switch item {
            case .event(let event, slot) where kinds.contains(event.kind): items.append(item)
            case .gap(_, _, _, slot) where kinds.contains(.elements), .trimmed: items.append(item)
            case .event, .encoded, .gap: break
            }
            return items.count <= mostEvents
        }
        let fromPage = items.count
        execution.action.feed.ring.forEach(after: position.cursor, of: execution.id) { event in
            guard event.cursor <= end else { return false }
            guard event.execution == execution.id, kinds.contains(event.kind) else { return true }
            if page?.contains(event.cursor) == true { return true }
            guard items.count - fromPage <= mostEvents else { return false }
            items.append(.event(event, slot: slot))
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
        func count(_ kind: EventKinds, _ number: Int) {
            let had = sum(of: kind)
            // The first event of a kind says how many came before it, of which some were lost if that is known.
            guard had != .max, number > Int(had) else { return }
            missing += number - Int(had)
            update(kind) { $0 = UInt64(number) }
        }
        count(event.kind, event.ordinal - 1)
        switch event.change {
        case .execution(let record), .failure(_, of: let record):
            // After a crash nobody knows how many elements there were.
            if kinds.contains(.elements), record.state != .interrupted { count(.elements, record.elements) }
        default: break
        }
        return missing
    }
}
