internal import RxAction
internal import RxRecords

/// Where a reader begins that needs a look at many events. It is found before the reader begins, in steps each of which
/// holds the log's lock for one name, so that nobody waits for all of them.
package struct PreparedStart: Sendable {
    /// The names or executions that it was found for.
    let sources: [Hosted]
    /// The reader has everything up to here.
    let cursor: UInt64
    /// The first event that was looked for; nil if there is none.
    let first: UInt64?
    /// How many events of each kind came up to `cursor`, for each place of the source; empty if there is no start.
    fileprivate(set) var seen: [KindCounts] = []
    /// The newest events of executions, of each kind.
    fileprivate(set) var newest: [HostEvent] = []

    fileprivate init(sources: [Hosted], cursor: UInt64, first: UInt64?) {
        self.sources = sources
        self.cursor = cursor
        self.first = first
    }

    /// Whether it was found for the names of this source.
    func isFor(_ source: EventSource) -> Bool { sources.elementsEqual(source.sources, by: ===) }
}

extension EventLog {
    /// Entries that are looked at without further ado: some tens of microseconds.
    private static let mostAtOnce = 2048

    /// Whether a reader of `source` that begins at `start` should prepare that first, on another thread.
    package func mustPrepare(_ source: EventSource, _ kinds: EventKinds, from start: EventStart) -> Bool {
        let finder = CatchUpStart(source: source, kinds: kinds, trimmed: writer?.trimmedThrough(source, kinds) ?? 0)
        return read { finder.looksAt(more: Self.mostAtOnce, from: start, in: $0) }
    }

    /// Finds the start of a reader; nil if there is nothing to look at.
    package func prepare(_ source: EventSource, _ kinds: EventKinds, from start: EventStart) -> PreparedStart? {
        let finder = CatchUpStart(source: source, kinds: kinds, trimmed: writer?.trimmedThrough(source, kinds) ?? 0)
        var first: UInt64?
        let cursor: UInt64?
        switch (start, source) {
        case (.now, _), (.cursorOfAnother, _), (.last, .named), (.executing, .executions): return nil
        case (.last, .executions): cursor = read { $0.visible }
        case (.cursor(let number), _): cursor = number
        case (.start, _): cursor = read { finder.oldestKept(in: $0) }
        case (.executing, .named): cursor = read { finder.startOfFlight(in: $0) }
        case (.time(let time), _):
            let visible = read { $0.visible }
            first = source.rings.compactMap { ring in read { _ in ring.first(since: time) } }.min()
            cursor = first.map { $0 - 1 } ?? visible
        case (.execution(let id), _):
            if let known = read({ $0.execution(id) }) {
                first = read { _ in known.first }
            } else {
                first = source.rings.lazy.compactMap { ring in self.read { _ in ring.first(of: id) } }.first
            }
            cursor = first.map { $0 - 1 }
        }
        var prepared = PreparedStart(sources: source.sources, cursor: cursor ?? 0, first: first)
        guard let cursor else { return prepared }
        switch source {
        case .named(let sources):
            prepared.seen = sources.map { source in read { _ in source.ring.published(upTo: cursor) } }
        case .executions(let executions):
            prepared.seen = [KindCounts](repeating: KindCounts(), count: executions.count)
            let wantsNewest = start == .last
            for group in ExecutionGroups(executions).groups {
                read { _ in prepared.look(at: group, executions, wantsNewest ? kinds : []) }
            }
        }
        return prepared
    }
}

extension PreparedStart {
    /// - Parameter newest: the kinds of which the newest events are wanted.
    fileprivate mutating func look(
        at group: ExecutionGroups.Group, _ executions: [HostedExecution], _ newest: EventKinds
    ) {
        group.addRemaining(after: cursor, to: &seen)
        for place in group.places.values { seen[place] = executions[place].published(without: seen[place]) }
        if !newest.isEmpty { self.newest += group.newest(newest, upTo: cursor) }
    }
}

extension CatchUpStart {
    /// Whether more than `limit` entries have to be looked at to find a start.
    fileprivate func looksAt(more limit: Int, from start: EventStart, in state: HostState) -> Bool {
        /// Everything after it is looked at; nil if everything is.
        let cursor: UInt64?
        switch (start, source) {
        case (.now, _), (.cursorOfAnother, _), (.last, .named), (.executing, .executions): return false
        case (.cursor(let number), _): cursor = number
        case (.start, _): cursor = oldestKept(in: state)
        case (.last, .executions), (.time, _), (.executing, .named): cursor = nil
        case (.execution(let id), _):
            let known = state.execution(id)?.firstKept
            if known?.isKnown == true, known?.number == nil { return false }
            cursor = known?.number.map { $0 - 1 }
        }
        let isNamed = if case .named = source { true } else { false }
        var entries = 0
        for ring in source.rings {
            entries += cursor.map { ring.entries(after: $0, orBefore: isNamed) } ?? ring.entryCount
            if entries > limit { return true }
        }
        return false
    }
}

extension EventSource {
    /// The events of its names in memory, each once.
    var rings: [EventRing] {
        var known: Set<ObjectIdentifier> = []
        return sources.filter { known.insert(ObjectIdentifier($0)).inserted }.map(\.ring)
    }
}

extension KnownExecution {
    /// The same as `HostedExecution.firstKept`. With the log's lock held.
    fileprivate var firstKept: (isKnown: Bool, number: UInt64?) {
        switch self {
        case .hosted(let execution): execution.firstKept
        case .brief(let execution):
            (true, execution.action.ring.hasFirst(execution.base + 1) ? execution.base + 1 : nil)
        case .past: (false, nil)
        }
    }

    /// The number of its first event, if that is in memory. With the log's lock held.
    var first: UInt64? {
        let kept = firstKept
        return kept.isKnown ? kept.number : action.ring.first(of: id)
    }
}
