internal import RxRecords
internal import RxAction

/// Finds the position from which a reader of `source` catches up. Used with the log's lock held.
struct CatchUpStart {
    let source: EventSource
    let kinds: EventKinds
    /// Events up to this one are beyond the retention of the store. Some from before it may be kept.
    let trimmed: UInt64
    /// What was found before, on another thread; nil if it is to be found now.
    var prepared: PreparedStart?
    /// What the store has of the start; nil if it was not looked up.
    var stored: StoredStart?

    /// The position for `start`; nil if there is nothing to catch up with.
    func position(_ start: EventStart, in state: HostState) -> Result<CatchUpPosition?, EventStartRefusal> {
        switch start {
        case .now:
            return .success(nil)
        case .last:
            return .success(last(in: state))
        case .cursor(let cursor):
            guard cursor <= state.cursor else { return .failure(.ahead) }
            return position(after: cursor, in: state)
        case .cursorOfAnother(let continuation):
            return .failure(.expired(oldest: continuation.map { max($0, oldestKept(in: state)) }))
        case .start:
            return .success(whole(after: oldestKept(in: state), in: state))
        case .time(let time):
            return .success(position(since: time, in: state))
        case .execution(let id):
            return position(at: id, in: state)
        case .executing:
            switch source {
            case .executions(let executions):
                // Events that are not kept any more are reported as lost.
                let first = ExecutionGroups(executions).firsts.map { $0 ?? 1 }.min() ?? 1
                return .success(CatchUpPosition(cursor: first - 1, seen: executions.map { _ in KindCounts() }))
            case .named:
                guard let start = startOfFlight(in: state) else {
                    return .failure(.expired(oldest: oldestKept(in: state)))
                }
                return position(after: start, in: state)
            }
        }
    }

    /// The cursor before the oldest execution in flight; nil if its events are not kept any more.
    func startOfFlight(in state: HostState) -> UInt64? {
        var start = state.cursor
        for one in source.sources {
            switch one.startOfFlight() {
            case nil: continue
            case .expired?: return nil
            case .kept(let first)?: start = min(start, first - 1)
            }
        }
        return start
    }

    /// What was prepared, if the source is still the same.
    private var preparedHere: PreparedStart? {
        guard let prepared, prepared.isFor(source) else { return nil }
        return prepared
    }

    private func last(in state: HostState) -> CatchUpPosition? {
        if let prepared = preparedHere {
            // What came after it follows.
            guard !prepared.newest.isEmpty else { return CatchUpPosition(cursor: prepared.cursor, seen: prepared.seen) }
            let newest = prepared.newest.sorted { $0.cursor < $1.cursor }
            return CatchUpPosition(cursor: prepared.cursor, first: RecordedEvents(newest), seen: prepared.seen)
        }
        let newest = newest(upTo: state.visible)
        guard !newest.isEmpty else { return nil }
        return CatchUpPosition(cursor: state.visible, first: RecordedEvents(newest), seen: published)
    }

    private func position(at id: ExecutionID, in state: HostState) -> Result<CatchUpPosition?, EventStartRefusal> {
        let known = state.execution(id)
        if let action = known?.action, !source.sources.contains(where: { $0 === action }) {
            return .failure(.elsewhere(id))
        }
        let first: UInt64?
        if let prepared = preparedHere {
            first = prepared.first
        } else if let known {
            first = known.first
        } else {
            first = source.rings.lazy.compactMap { $0.first(of: id) }.first
        }
        if first == nil, let stored, let cursor = stored.cursor,
            source.sources.contains(where: { $0.name == stored.name })
        {
            return position(after: cursor, in: state)
        }
        guard let first else {
            return .failure(known == nil ? .notFound(id) : .expired(oldest: oldestKept(in: state)))
        }
        return position(after: first - 1, in: state)
    }

    private func position(
        after cursor: UInt64, in state: HostState
    ) -> Result<CatchUpPosition?, EventStartRefusal> {
        let oldest = oldestKept(in: state)
        guard cursor >= oldest else { return .failure(.expired(oldest: oldest)) }
        var position = found(after: cursor, in: state)
        reportLost(in: &position)
        return .success(position)
    }

    /// The position of a reader that begins with what is kept, and lacks nothing of what is not.
    private func whole(after cursor: UInt64, in state: HostState) -> CatchUpPosition {
        var position = found(after: cursor, in: state)
        position.stored.trimmed = trimmed
        reportLost(in: &position)
        return position
    }

    private func found(after cursor: UInt64, in state: HostState) -> CatchUpPosition {
        let seen =
            switch source {
            case .named(let sources): published(upTo: cursor) ?? sources.map { $0.ring.published(upTo: cursor) }
            case .executions(let executions): self.seen(executions, upTo: cursor, in: state)
            }
        var position = CatchUpPosition(cursor: cursor, seen: seen)
        for (slot, source) in source.sources.enumerated() {
            let feed = source.feed
            // The store has every element of such a stream.
            guard !feed.logsElements else { continue }
            let evicted = source.ring.evictedThrough.newest(of: feed.isLogged ? kinds.intersection(.elements) : kinds)
            // Of earlier hosts, no element is counted.
            let start = feed.isLogged && state.numbers.isContinued ? state.numbers.start : 0
            let uncounted = max(evicted, start)
            if cursor < uncounted { position.stored.uncounted[slot] = uncounted }
        }
        return position
    }

    /// What was prepared for this cursor.
    private func published(upTo cursor: UInt64) -> [KindCounts]? {
        guard let prepared = preparedHere, prepared.cursor == cursor, !prepared.seen.isEmpty else { return nil }
        return prepared.seen
    }

    private func seen(_ executions: [HostedExecution], upTo cursor: UInt64, in state: HostState) -> [KindCounts] {
        if cursor == 0 { return executions.map { _ in KindCounts() } }
        if let published = published(upTo: cursor) {
            return zip(executions, published).map { seen($0, upTo: cursor, $1, in: state) }
        }
        let remaining = ExecutionGroups(executions).remaining(after: cursor)
        return zip(executions, remaining).map { execution, remaining in
            seen(execution, upTo: cursor, execution.published(without: remaining), in: state)
        }
    }

    /// - Parameter published: how many events were published up to `cursor`, as far as memory has those after it.
    private func seen(
        _ execution: HostedExecution, upTo cursor: UInt64, _ published: KindCounts, in state: HostState
    ) -> KindCounts {
        // The number of the first event of a kind states how many came before it.
        let stored = StoredEvents(source: source, kinds: kinds)
        let isInMemory = stored.end(of: execution.action, after: cursor, in: state) == nil
        guard isInMemory else { return .unknown }
        var seen = published
        if execution.isPast { seen.executions = .max }
        return seen
    }

    /// The position from which everything since a time follows.
    private func position(since time: Int64, in state: HostState) -> CatchUpPosition {
        let oldest = oldestKept(in: state)
        let first: UInt64?
        if let prepared = preparedHere {
            first = prepared.cursor
        } else {
            first = source.rings.compactMap { $0.first(since: time) }.min().map { $0 - 1 }
        }
        // Whether what is beyond the retention is older than that is known to the store only.
        var position: CatchUpPosition
        if isAllInMemory(in: state) {
            position = found(after: max(first ?? state.visible, oldest), in: state)
            position.stored.trimmed = trimmed
        } else {
            position = found(after: max(stored?.cursor ?? 0, oldest), in: state)
            if stored == nil { position.stored.since = time }
            // How many events of an execution came before the time is not known, and they are not missing.
            if case .executions(let executions) = source { position.seen = executions.map { _ in .unknown } }
        }
        position.stored.unwanted = StoredPosition.Unwanted(before: time, through: state.cursor)
        reportLost(since: time, in: &position)
        return position
    }

    /// Whether memory has all events that are kept.
    func isAllInMemory(in state: HostState) -> Bool {
        StoredEvents(source: source, kinds: kinds).end(after: oldestKept(in: state), in: state) == nil
    }

    /// Reports what the store was not to keep after the position, and nobody has any more.
    private func reportLost(in position: inout CatchUpPosition) {
        guard case .named(let sources) = source, !kinds.isSubset(of: .levels) else { return }
        for source in sources {
            let last = max(source.feed.lost.cursor, evicted(from: source))
            if position.cursor < last { position.lose(position.cursor + 1, through: last) }
        }
    }

    /// Reports, of that, what may have happened since a time.
    private func reportLost(since time: Int64, in position: inout CatchUpPosition) {
        guard case .named(let sources) = source, !kinds.isSubset(of: .levels) else { return }
        for source in sources {
            let lost = source.feed.lost
            if lost.cursor > 0, lost.time >= time { position.lose(1, through: lost.cursor) }
            let evicted = evicted(from: source)
            guard evicted > 0 else { continue }
            var isAllLater = true
            source.ring.forEach(after: evicted) { event in
                isAllLater = event.time >= time
                return false
            }
            if isAllLater { position.lose(1, through: evicted) }
        }
    }

    /// The last event that memory has lost of a name without a history.
    private func evicted(from source: Hosted) -> UInt64 {
        source.feed.isLogged ? 0 : source.ring.evictedThrough.newest(of: kinds)
    }

    /// The cursor after which the reader finds all that is kept, with some that is older than what is not: no name
    /// keeps a reader from what is kept of another one. What is kept nowhere is reported as lost.
    func oldestKept(in state: HostState) -> UInt64 {
        let ofEarlierHosts = source.isOfStreams ? state.oldestKeptOfStreams : state.oldestKept
        return source.sources.map { source in
            if source.feed.isLogged { return 0 }
            return max(source.beganAt, source.ring.evictedThrough.newest(of: kinds), ofEarlierHosts)
        }.min() ?? ofEarlierHosts
    }

    /// The position of a reader that begins while events are left out: now, and not where `drain` stopped. Until `goOn`
    /// it catches up like every other reader. One that is held does so, too. Nil for others while no events are left
    /// out.
    func positionNow(in state: HostState, isHeld: Bool) -> CatchUpPosition? {
        state.isSkipping || isHeld ? CatchUpPosition(cursor: state.cursor, seen: published) : nil
    }

    private var published: [KindCounts] {
        switch source {
        case .named(let sources): sources.map(\.ring.published)
        case .executions(let executions): executions.map(\.published)
        }
    }

    /// The newest event of each kind that is kept, up to `cursor`, in the order of their cursors.
    private func newest(upTo cursor: UInt64) -> [HostEvent] {
        let found =
            switch source {
            case .named(let sources):
                (sources.flatMap { $0.ring.newest(kinds) } + (stored?.newest(of: sources) ?? []))
                    .filter { $0.cursor <= cursor }
            case .executions(let executions):
                ExecutionGroups(executions).groups.flatMap { $0.newest(kinds, upTo: .max) }
                    .filter { $0.cursor <= cursor }
            }
        return found.sorted { $0.cursor < $1.cursor }
    }
}
