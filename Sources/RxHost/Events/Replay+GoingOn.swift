internal import RxRecords
internal import RxAction

// What a reader of kept events gets next: of several names in one order, and with what is lost told in its place. With the
// log's lock held.

extension EventLog.State {
    private struct Candidate {
        let item: ReplayPortion.Item
        /// Whose it is, and what has been seen of that one after it; nil if that stays.
        let slot: Int
        let seen: KindCounts?
    }

    func replay(
        _ source: EventSource, _ kinds: EventKinds, after position: inout ReplayPosition
    ) -> ReplayPortion {
        var records: [ExecutionRecord] = []
        if case .executions(let executions) = source { records = executions.map(\.record) }
        if !position.first.isEmpty {
            let taken = position.first.prefix(ReplayPortion.eventsTaken)
            position.first.removeFirst(taken.count)
            return ReplayPortion(
                items: taken.map { .event($0) }, isComplete: false, cursor: position.cursor, records: records)
        }
        var candidates: [Candidate] = []
        var isCut = false
        switch source {
        case .named(let sources):
            // Added since: all of theirs is new.
            while position.seen.count < sources.count { position.seen.append(KindCounts()) }
            for (slot, source) in sources.enumerated() {
                isCut = gather(source, kinds, position, slot, &candidates) || isCut
            }
        case .executions(let executions):
            for (slot, execution) in executions.enumerated() {
                isCut = gather(execution, kinds, position, slot, &candidates) || isCut
            }
        }
        if source.sources.count > 1 || !kinds.isDisjoint(with: .levels) {
            candidates.sort { $0.item.cursor < $1.item.cursor }
        }
        var items: [ReplayPortion.Item] = []
        var bytes = 0
        for candidate in candidates {
            guard items.count < ReplayPortion.eventsTaken, bytes < ReplayPortion.bytesTaken else {
                isCut = true
                if case .lost(_, let first, _) = candidate.item { position.untold[candidate.slot] = first }
                continue
            }
            items.append(candidate.item)
            if case .lost = candidate.item { position.untold[candidate.slot] = nil }
            position.cursor = max(position.cursor, candidate.item.cursor)
            if let seen = candidate.seen { position.seen[candidate.slot] = seen }
            if case .event(let event) = candidate.item { bytes += event.cost }
        }
        if !isCut { position.cursor = cursor }
        // While events are left out, what comes next is not delivered either.
        return ReplayPortion(
            items: items, isComplete: !isCut && skippedFrom == nil, cursor: position.cursor, records: records)
    }

    /// - Returns: whether there is more.
    private func gather(
        _ source: Hosted, _ kinds: EventKinds, _ position: ReplayPosition, _ slot: Int,
        _ candidates: inout [Candidate]
    ) -> Bool {
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
            let first = position.untold[slot] ?? position.cursor + 1
            candidates.append(
                Candidate(item: .lost(count: missing, first: first, last: last), slot: slot, seen: seen))
        }
        for event in source.levels(kinds, after: position.cursor) {
            candidates.append(Candidate(item: .event(event), slot: slot, seen: nil))
        }
        var taken = 0
        var isCut = false
        feed.ring.forEach(after: position.cursor) { event in
            guard kinds.contains(event.kind) else { return true }
            guard taken < ReplayPortion.eventsTaken else {
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

    private func gather(
        _ execution: HostedExecution, _ kinds: EventKinds, _ position: ReplayPosition, _ slot: Int,
        _ candidates: inout [Candidate]
    ) -> Bool {
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
            guard event.execution == execution.id, kinds.contains(event.kind) else { return true }
            guard taken < ReplayPortion.eventsTaken else {
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
        let missing = Int(execution.told.sum(of: kinds)) - Int(seen.sum(of: kinds))
        seen = execution.told
        lose(missing, through: max(ring.evictedThrough.newest(of: kinds), position.cursor + 1))
        return false
    }
}
