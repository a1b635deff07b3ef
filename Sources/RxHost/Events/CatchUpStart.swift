internal import RxRecords
internal import RxAction

/// Finds the position from which a reader of `source` catches up. Used with the log's lock held.
struct CatchUpStart {
    let source: EventSource
    let kinds: EventKinds
    /// Events up to this one are beyond the retention of the store.
    let trimmed: UInt64

    /// The position for `start`; nil if there is nothing to catch up with.
    func position(_ start: EventStart, in state: HostState) -> Result<CatchUpPosition?, EventStartRefusal> {
        switch start {
        case .now:
            return .success(nil)
        case .last:
            let newest = newest.filter { $0.cursor <= state.visible }
            guard !newest.isEmpty else { return .success(nil) }
            return .success(CatchUpPosition(cursor: state.visible, first: RecordedEvents(newest), seen: published))
        case .cursor(let cursor):
            guard cursor <= state.cursor else { return .failure(.ahead) }
            return position(after: cursor, in: state)
        case .cursorOfAnother(let continuation):
            return .failure(.expired(oldest: continuation.map { max($0, oldest(in: state)) }))
        case .start:
            return position(after: oldest(in: state), in: state)
        case .time(let time):
            return position(since: time, in: state)
        case .execution(let id):
            guard let first = source.sources.lazy.compactMap({ $0.ring.first(of: id) }).first else {
                guard let action = state.execution(id)?.action else { return .failure(.notFound(id)) }
                let isHere = source.sources.contains { $0 === action }
                return .failure(isHere ? .expired(oldest: oldest(in: state)) : .elsewhere(id))
            }
            return position(after: first - 1, in: state)
        case .executing:
            switch source {
            case .executions(let executions):
                // Events that are not kept any more are reported as lost.
                let first = executions.map { $0.action.ring.first(of: $0.id) ?? 1 }.min() ?? 1
                return .success(CatchUpPosition(cursor: first - 1, seen: executions.map { _ in KindCounts() }))
            case .named(let sources):
                var start = state.cursor
                for one in sources {
                    switch one.startOfFlight() {
                    case nil: continue
                    case .expired?: return .failure(.expired(oldest: oldest(in: state)))
                    case .kept(let first)?: start = min(start, first - 1)
                    }
                }
                return position(after: start, in: state)
            }
        }
    }

    private func position(
        after cursor: UInt64, in state: HostState
    ) -> Result<CatchUpPosition?, EventStartRefusal> {
        guard cursor >= oldest(in: state) else { return .failure(.expired(oldest: oldest(in: state))) }
        let seen =
            switch source {
            case .named(let sources): sources.map { $0.ring.published(upTo: cursor) }
            case .executions(let executions): executions.map { self.seen($0, upTo: cursor, in: state) }
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
            if !feed.isLogged, cursor < evicted {
                position.unknown[slot] = UnknownLoss(first: cursor + 1, last: evicted)
            }
        }
        return .success(position)
    }

    private func seen(_ execution: HostedExecution, upTo cursor: UInt64, in state: HostState) -> KindCounts {
        if cursor == 0 { return KindCounts() }
        // The first event of a kind says how many came before it.
        let stored = StoredEvents(source: source, kinds: kinds)
        let isInMemory = stored.end(of: execution.action, after: cursor, in: state) == nil
        guard isInMemory else { return .unknown }
        var seen = execution.published(upTo: cursor)
        if execution.isPast { seen.executions = .max }
        return seen
    }

    /// The position from which everything since a time follows.
    private func position(since time: Int64, in state: HostState) -> Result<CatchUpPosition?, EventStartRefusal> {
        let oldest = oldest(in: state)
        let first = source.sources.compactMap { $0.ring.first(since: time) }.min().map { $0 - 1 }
        let isAllInMemory = StoredEvents(source: source, kinds: kinds).end(after: oldest, in: state) == nil
        guard !isAllInMemory else { return position(after: max(first ?? state.visible, oldest), in: state) }
        return position(after: oldest, in: state).map { position in
            var position = position
            position?.stored.since = time
            return position
        }
    }

    /// The cursor after which everything is kept, in memory or in the store. What is kept nowhere of names without a
    /// history, beside names with one, is reported as lost.
    private func oldest(in state: HostState) -> UInt64 {
        let sources = source.sources
        guard !sources.contains(where: \.feed.isLogged) else {
            return sources.map { source in
                // What came before the name had a history is in memory or lost.
                min(source.feed.loggedSince, source.ring.evictedThrough.newest(of: kinds))
            }.reduce(trimmed, max)
        }
        return sources.map { max($0.beganAt, $0.ring.evictedThrough.newest(of: kinds)) }
            .reduce(source.isOfStreams ? state.oldestKeptOfStreams : state.oldestKept, max)
    }

    /// The position of a reader that begins while events are left out: now, and not where `drain` stopped. Until `goOn`
    /// it catches up like every other reader. Nil while no events are left out.
    func positionWhileSkipping(in state: HostState) -> CatchUpPosition? {
        state.isSkipping ? CatchUpPosition(cursor: state.cursor, seen: published) : nil
    }

    private var published: [KindCounts] {
        switch source {
        case .named(let sources): sources.map(\.ring.published)
        case .executions(let executions): executions.map(\.published)
        }
    }

    /// The newest event of each kind that is kept, in the order of their cursors.
    private var newest: [HostEvent] {
        var found: [HostEvent] = []
        switch source {
        case .named(let sources):
            for source in sources { found += source.ring.newest(kinds) }
        case .executions(let executions):
            for execution in executions {
                var newest: [EventKinds: HostEvent] = [:]
                execution.action.ring.forEach(after: 0, of: execution.id) { event in
                    if event.execution == execution.id, kinds.contains(event.kind) { newest[event.kind] = event }
                    return true
                }
                found += newest.values
            }
        }
        return found.sorted { $0.cursor < $1.cursor }
    }
}

extension HostedExecution {
    /// How many events of each kind were published up to `cursor`. With the log's lock held.
    func published(upTo cursor: UInt64) -> KindCounts {
        var published = published
        action.ring.forEach(after: cursor, of: id) { event in
            // Of an execution from the history, nobody knows how many records were published.
            if event.execution == id { published.update(event.kind) { $0 -= $0 > 0 ? 1 : 0 } }
            return true
        }
        return published
    }
}
