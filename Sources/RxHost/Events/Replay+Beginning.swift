internal import RxRecords
internal import RxAction

// Where a reader of kept events begins, and what it has seen by then. All of it with the log's lock held.

extension EventLog.State {
    mutating func watch(_ source: EventSource, isAll: Bool, by change: Int) {
        if isAll {
            watchersOfAll += change
        } else {
            switch source {
            case .named(let sources): for source in sources { source.feed.watchers += change }
            case .executions(let executions): for execution in executions { execution.watchers += change }
            }
        }
    }

    func position(
        _ source: EventSource, _ kinds: EventKinds, _ start: EventStart
    ) -> Result<ReplayPosition?, EventStartRefusal> {
        switch start {
        case .now:
            return .success(nil)
        case .last:
            let newest = newest(source, kinds)
            guard !newest.isEmpty else { return .success(nil) }
            return .success(ReplayPosition(cursor: cursor, first: newest, seen: told(source)))
        case .cursor(let cursor):
            guard cursor <= self.cursor else { return .failure(.ahead) }
            return position(source, kinds, after: cursor)
        case .execution(let id):
            guard let first = source.sources.lazy.compactMap({ $0.feed.ring.first(of: id) }).first else {
                guard let action = execution(id)?.action else { return .failure(.notFound(id)) }
                let isHere = source.sources.contains { $0 === action }
                return .failure(isHere ? .expired(oldest: oldest(source, kinds)) : .elsewhere(id))
            }
            return position(source, kinds, after: first - 1)
        case .executing:
            switch source {
            case .executions(let executions):
                // What is not kept any more is told as lost.
                let first = executions.map { $0.action.feed.ring.first(of: $0.id) ?? 1 }.min() ?? 1
                return .success(ReplayPosition(cursor: first - 1, seen: executions.map { _ in KindCounts() }))
            case .named(let sources):
                var oldest = cursor
                for one in sources {
                    switch one.startOfFlight() {
                    case nil: continue
                    case .expired?: return .failure(.expired(oldest: self.oldest(source, kinds)))
                    case .kept(let start)?: oldest = min(oldest, start - 1)
                    }
                }
                return position(source, kinds, after: oldest)
            }
        }
    }

    private func position(
        _ source: EventSource, _ kinds: EventKinds, after cursor: UInt64
    ) -> Result<ReplayPosition?, EventStartRefusal> {
        let oldest = oldest(source, kinds)
        guard cursor >= oldest else { return .failure(.expired(oldest: oldest)) }
        let seen =
            switch source {
            case .named(let sources): sources.map { $0.feed.ring.told(upTo: cursor) }
            case .executions(let executions): executions.map { $0.told(upTo: cursor) }
            }
        return .success(ReplayPosition(cursor: cursor, seen: seen))
    }

    /// The cursor after which everything is kept.
    private func oldest(_ source: EventSource, _ kinds: EventKinds) -> UInt64 {
        source.sources.map { $0.feed.ring.evictedThrough.newest(of: kinds) }.max() ?? 0
    }

    /// Where a reader stands that begins while events are left out: now, and not where `drain` stopped. Until `goOn` it
    /// reads what is kept like everyone else.
    func positionWhileSkipping(_ source: EventSource) -> ReplayPosition? {
        skippedFrom == nil ? nil : ReplayPosition(cursor: cursor, seen: told(source))
    }

    private func told(_ source: EventSource) -> [KindCounts] {
        switch source {
        case .named(let sources): sources.map(\.feed.ring.told)
        case .executions(let executions): executions.map(\.told)
        }
    }

    private func newest(_ source: EventSource, _ kinds: EventKinds) -> [HostEvent] {
        var found: [HostEvent] = []
        switch source {
        case .named(let sources):
            for source in sources { found += source.feed.ring.newest(kinds) }
        case .executions(let executions):
            for execution in executions {
                var newest: [EventKinds: HostEvent] = [:]
                execution.action.feed.ring.forEach(after: 0, of: execution.id) { event in
                    if event.execution == execution.id, kinds.contains(event.kind) { newest[event.kind] = event }
                    return true
                }
                found += newest.values
            }
        }
        return found.sorted { $0.cursor < $1.cursor }
    }
}

extension EventRing {
    /// The cursor of the first event of an execution, if it is still here.
    func first(of id: ExecutionID) -> UInt64? {
        var found: UInt64?
        forEach(after: 0, of: id) { event in
            guard event.execution == id, event.ordinal == 1, case .execution = event.change else { return true }
            found = event.cursor
            return false
        }
        return found
    }
}

extension HostedExecution {
    /// How many events of each kind there were, with the log's lock held.
    var told: KindCounts {
        KindCounts(
            elements: UInt64(record.elements), errors: record.state.isFinal && record.error != nil ? 1 : 0,
            executions: UInt64(recordsTold))
    }

    func told(atSkip number: UInt64) -> KindCounts {
        skip.number == number ? skip.told : told
    }

    fileprivate func told(upTo cursor: UInt64) -> KindCounts {
        var told = told
        action.feed.ring.forEach(after: cursor, of: id) { event in
            if event.execution == id { told.update(event.kind) { $0 -= 1 } }
            return true
        }
        return told
    }
}
