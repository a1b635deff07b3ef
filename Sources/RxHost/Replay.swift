public import RxAction
internal import Rx

/// What a reader of events reads.
public enum EventSource: Sendable {
    case named([Hosted])
    case executions([HostedExecution])

    public var sources: [Hosted] {
        switch self {
        case .named(let sources): sources
        case .executions(let executions): executions.map(\.action)
        }
    }
}

/// Where a reader begins.
public enum EventStart: Sendable, Hashable {
    /// With what happens next.
    case now
    /// With the newest event of each kind that is still kept.
    case last
    /// After this cursor of the log.
    case cursor(UInt64)
    /// With the first event of this execution.
    case execution(ExecutionID)
    /// With the first event of what is in flight; of executions, with their own.
    case executing
}

/// Why a reader cannot begin where it wants to.
public enum EventStartRefusal: Error, Sendable, Hashable {
    /// Not all of it is kept any more; after `oldest` it is.
    case expired(oldest: UInt64)
    /// The log is not there yet.
    case ahead
    /// Nothing is known of that execution.
    case notFound(ExecutionID)
    /// That execution is of another action.
    case elsewhere(ExecutionID)
}

/// What a reader has to know to begin.
public struct EventOpening: Sendable {
    /// The events follow from here.
    public let cursor: UInt64
    /// Of each that has a name, as they are now.
    public let levels: [HostedLevels]
    /// Of each execution of the source, as they are now.
    public let records: [ExecutionRecord]
    /// What has to be read before what happens next; nil if nothing.
    public let position: ReplayPosition?
}

/// How far a reader of kept events has come.
public struct ReplayPosition: Sendable {
    public internal(set) var cursor: UInt64
    /// What is read before anything that follows `cursor`.
    var first: [HostEvent] = []
    /// How many of each kind came up to `cursor`, of each action or execution of the source.
    var seen: [KindCounts]
    /// Where a loss begins that was found but not told yet, by its place in the source: others have come further.
    var untold: [Int: UInt64] = [:]

    /// An action of the source is left out from now on.
    public mutating func forget(_ place: Int) {
        if place < seen.count { seen.remove(at: place) }
        untold = [:]
        first = []
    }
}

/// Some of what a reader has missed, in order.
public struct ReplayPortion: Sendable {
    public enum Item: Sendable {
        case event(HostEvent)
        /// So many are not kept any more; the cursors of the first and the last lie in these bounds.
        case lost(count: Int, first: UInt64, last: UInt64)

        var cursor: UInt64 {
            switch self {
            case .event(let event): event.cursor
            case .lost(_, _, let last): last
            }
        }
    }

    /// Most events of one portion, and after how many bytes it ends: a connection writes as much in a turn.
    static let eventsTaken = 256
    static let bytesTaken = 65_536

    public let items: [Item]
    /// Whether that was all: then the reader is where the log is, at `cursor`.
    public let isComplete: Bool
    public let cursor: UInt64
    /// Of the executions of the source, as they are now.
    public let records: [ExecutionRecord]
}

extension EventLog {
    /// Begins to read: the levels, the cursor at which they hold, and what is to be replayed, all of one moment. From then
    /// on later events are kept for `drain`, until `unwatch`.
    public func open(
        _ source: EventSource, _ kinds: EventKinds, from start: EventStart, isAll: Bool = false
    ) -> Result<EventOpening, EventStartRefusal> {
        state.withLock { state in
            let position: ReplayPosition?
            switch state.position(source, kinds, start) {
            case .success(let found): position = found
            case .failure(let refusal): return .failure(refusal)
            }
            state.watch(source, isAll: isAll, by: 1)
            let opened = position ?? state.positionWhileSkipping(source)
            var levels: [HostedLevels] = []
            var records: [ExecutionRecord] = []
            switch source {
            case .named(let sources): levels = sources.map(\.snapshot)
            case .executions(let executions): records = executions.map(\.record)
            }
            return .success(
                EventOpening(
                    cursor: position.map { $0.first.first.map { $0.cursor - 1 } ?? $0.cursor } ?? state.cursor,
                    levels: levels, records: records, position: opened))
        }
    }

    public func unwatch(_ source: EventSource, isAll: Bool = false) {
        state.withLock { $0.watch(source, isAll: isAll, by: -1) }
    }

    /// Where one who joined an execution goes on; nil if `drain` is going to bring all that has happened since. Otherwise
    /// events are being left out, or some were taken before the reader was there.
    public func position(after attachment: Attachment) -> ReplayPosition? {
        state.withLock { state in
            let isComplete = state.skippedFrom == nil && state.drainedThrough <= attachment.cursor
            return isComplete ? nil : attachment.position
        }
    }

    /// Where readers of `source` stand that have taken all events up to the last that `drain` brought before it left
    /// some out.
    public func positionAtSkip(_ source: EventSource, before cursor: UInt64) -> ReplayPosition {
        state.withLock { state in
            let seen =
                switch source {
                case .named(let sources): sources.map { $0.feed.ring.told(atSkip: state.skips) }
                case .executions(let executions): executions.map { $0.told(atSkip: state.skips) }
                }
            return ReplayPosition(cursor: cursor - 1, seen: seen)
        }
    }

    /// The next portion after `position`, which moves.
    public func replay(
        _ source: EventSource, _ kinds: EventKinds, after position: inout ReplayPosition
    ) -> ReplayPortion {
        let start = position
        let (portion, end) = state.withLock { state in
            var end = start
            let portion = state.replay(source, kinds, after: &end)
            return (portion, end)
        }
        position = end
        return portion
    }
}

// MARK: Beginning

extension EventLog.State {
    fileprivate mutating func watch(_ source: EventSource, isAll: Bool, by change: Int) {
        if isAll {
            watchersOfAll += change
        } else {
            switch source {
            case .named(let sources): for source in sources { source.feed.watchers += change }
            case .executions(let executions): for execution in executions { execution.watchers += change }
            }
        }
    }

    fileprivate func position(
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
    fileprivate func positionWhileSkipping(_ source: EventSource) -> ReplayPosition? {
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

    fileprivate func told(atSkip number: UInt64) -> KindCounts {
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

// MARK: Going on

extension EventLog.State {
    private struct Candidate {
        let item: ReplayPortion.Item
        /// Whose it is, and what has been seen of that one after it; nil if that stays.
        let slot: Int
        let seen: KindCounts?
    }

    fileprivate func replay(
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
