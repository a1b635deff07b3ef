internal import RxAction
internal import RxPlatform
internal import RxRecords
internal import RxStore

/// Finds what a reader of `source` has to read from the store, because it is no longer in memory. Used with the log's
/// lock held.
struct StoredEvents {
    /// Beyond so many names, a page has the events of all names: looking each one up would cost more.
    private static let mostNames = 8

    let source: EventSource
    let kinds: EventKinds

    /// The last event after `cursor` that is in the store and not in memory, of those of this place in the source; nil
    /// if there is none.
    func end(of source: Hosted, after cursor: UInt64, in state: HostState) -> UInt64? {
        let feed = source.feed
        guard feed.isLogged else { return nil }
        var end = source.ring.evictedThrough.newest(of: kinds)
        if state.numbers.isContinued, cursor < state.numbers.start {
            // Of earlier hosts, the newest errors and records are in memory, and no elements of executions.
            if feed.logsElements {
                end = max(end, state.oldestKeptOfStreams)
            } else {
                end = max(end, kinds.contains(.elements) ? state.numbers.start : state.oldestKept)
            }
        }
        return end > cursor ? end : nil
    }

    /// The last event after `cursor` that the reader has to get from the store, of all places of the source; nil if it
    /// can go on from memory.
    ///
    /// - Parameter isReading: whether the reader comes from a page. It goes on with pages until little is left, since
    ///   what memory has is encoded on the loop.
    func end(after cursor: UInt64, in state: HostState, isReading: Bool = false) -> UInt64? {
        guard !kinds.isDisjoint(with: [.elements, .errors, .executions, .firings, .drops]) else { return nil }
        let lost = source.sources.compactMap { end(of: $0, after: cursor, in: state) }.max()
        let written = state.numbers.stored(state.visible)
        guard isReading, let fromMemory, written > cursor + UInt64(fromMemory) else { return lost }
        return max(lost ?? 0, written)
    }

    /// How many of the last events are taken from memory, if the store has them all; nil if the store lacks some.
    private var fromMemory: Int? {
        guard case .named(let sources) = source else { return nil }
        let stored = sources.lazy.filter(\.feed.isLogged)
        guard !kinds.contains(.elements) || stored.allSatisfy(\.feed.logsElements) else { return nil }
        return stored.first?.ring.limits.fromMemory
    }

    /// What to request: the page after `cursor`, up to the event `end`.
    func request(_ stored: StoredPosition, after cursor: UInt64, through end: UInt64, in state: HostState)
        -> CatchUpRequest
    {
        let wanted: LogQuery.Source
        switch source {
        case .executions(let executions): wanted = .executions(executions.map(\.id))
        case .named(let sources):
            let names = sources.count > Self.mostNames ? nil : Set(sources.map(\.name))
            wanted = source.isOfStreams ? .streams(names, kinds.ofStreams) : .names(names)
        }
        var query = LogQuery(
            after: cursor, through: end, source: wanted, parts: source.parts(kinds), errors: kinds.contains(.errors),
            executions: kinds.contains(.executions), elements: kinds.contains(.elements), since: stored.since,
            elementsSince: stored.unwanted?.before, looksBack: stored.reading.looksBack)
        query.started = stored.reading.started
        let inFlight = kinds.contains(.elements) ? outputs(in: state) : []
        query.outputs = inFlight.compactMap { $0.elements(after: cursor, through: end) }
        // An execution counts its own events.
        var holes: [ClosedRange<UInt64>] = []
        if case .named = source, cursor < end { holes = state.numbers.holes.within(cursor + 1...end) }
        return CatchUpRequest(
            query: query, holes: holes, unkept: inFlight.filter { $0.output == nil }.map { ($0.execution, $0.name) })
    }

    /// The last event up to which memory may lack events of names with a history.
    var evictedThrough: UInt64 {
        source.sources.lazy.filter(\.feed.isLogged).map { $0.ring.evictedThrough.newest(of: kinds) }.max() ?? 0
    }

    /// The executions with elements that the store may not have.
    private func outputs(in state: HostState) -> [OutputsOfHost.Unwritten] {
        let executions: [HostedExecution]
        switch source {
        case .executions(let some): executions = some
        case .named(let sources):
            let names = Set(sources.map { ObjectIdentifier($0) })
            executions = state.executionsInFlight.filter { names.contains(ObjectIdentifier($0.action)) }
        }
        let inFlight = executions.filter { $0.isLogged && !$0.record.state.isFinal && $0.record.elements > 0 }
        return inFlight.map { execution in
            OutputsOfHost.Unwritten(
                execution: execution.id, name: execution.action.name, output: execution.output.map { .inFlight($0) })
        } + state.outputs.unwritten
    }

    /// For each of some names, the output in flight with the newest element up to an event.
    func newestOutputs(of names: Set<String>, through number: UInt64, in state: HostState) -> [String: LogOutput] {
        guard !names.isEmpty else { return [:] }
        var newest: [String: OutputsOfHost.Unwritten] = [:]
        for output in outputs(in: state) where names.contains(output.name) {
            if output.lastNumber >= newest[output.name]?.lastNumber ?? 0 { newest[output.name] = output }
        }
        return newest.compactMapValues { $0.elements(after: 0, through: number) }
    }

    /// What a reader takes of what was read.
    ///
    /// - Parameters:
    ///   - found: what could be read; everything else in it is missing.
    ///   - stored: the reader's position when it requested the page.
    ///   - encoder: encodes the events; nil leaves them as they are.
    ///   - cores: what the work shares with others; nil to keep its core.
    func page(
        _ found: ReadablePage.Found, _ request: CatchUpRequest, _ stored: StoredPosition,
        _ encoder: (any PageEncoder)? = nil, _ cores: Cores? = nil
    ) -> StoredPosition.Following {
        let query = request.query
        guard let page = found.page else {
            let missing = CatchUpPage.Item.unread(first: query.after + 1, last: query.through)
            var reading = stored.reading
            reading.forgetStarted()
            return .read(CatchUpPage([missing], through: query.through), reading, after: query.after)
        }
        var reading = stored.reading
        reading.looksBack = false
        if page.started == nil || found.unread != nil { reading.forgetStarted() }
        reading.started = page.started
        let isOfNames = if case .named = source { true } else { false }
        let slots = Slots(source)
        var items = found.unread.map { [CatchUpPage.Item.unread(first: query.after + 1, last: $0)] } ?? []
        for event in page.events where event.number > page.after {
            if stored.unwanted?.contains(event.number, at: event.time) == true { continue }
            items += slots.item(event)
            cores?.yieldIfDue()
        }
        let gaps = reading.takeGaps(request) + page.gaps
        for gap in gaps {
            guard let slot = slots.slot(gap.name, gap.execution) else { continue }
            let (first, last) = (gap.numbers.lowerBound, gap.numbers.upperBound)
            let uncounted = stored.uncounted[slot] ?? 0
            // Memory knows of later elements, and may have some of them.
            let end = isOfNames && first <= uncounted ? max(uncounted, page.after + 1) : .max
            if last <= page.through {
                items.append(
                    .gap(count: last <= end ? gap.count : nil, first: first, last: min(last, end), slot: slot))
            } else if first <= page.through, page.through >= uncounted {
                // The last page: memory knows of the elements after it.
                items.append(.gap(count: nil, first: first, last: min(page.through, end), slot: slot))
            } else {
                reading.restGaps.append(gap)
            }
        }
        // Up to there, the reader lacks nothing, or that is reported.
        let kept = max(page.after, page.trimmed, stored.trimmed)
        if kept < page.through {
            let range = kept + 1...page.through
            for hole in request.holes.filter({ $0.overlaps(range) }).map({ $0.clamped(to: range) }) {
                items.append(.hole(first: hole.lowerBound, last: hole.upperBound))
            }
        }
        // Whoever comes back with the number of a loss has the event with that number.
        items.sort { ($0.number, $0.isEvent ? 0 : 1) < ($1.number, $1.isEvent ? 0 : 1) }
        if let encoder, case .named = source { items = encoded(items, encoder, cores) }
        return .read(
            CatchUpPage(items, through: page.through, trimmed: page.trimmed), reading,
            after: found.unread == nil ? page.after : query.after)
    }

    /// The items with the events that the reader wants as blocks.
    private func encoded(_ items: [CatchUpPage.Item], _ encoder: any PageEncoder, _ cores: Cores?) -> [CatchUpPage.Item]
    {
        var result: [CatchUpPage.Item] = []
        var builder = BlockBuilder(encoder)
        for item in items {
            cores?.yieldIfDue()
            if case .event(let event, let slot) = item {
                guard kinds.contains(event.kind), !builder.append(event, slot: slot, to: &result) else { continue }
            }
            builder.finish(to: &result)
            result.append(item)
        }
        builder.finish(to: &result)
        return result
    }
}

extension CatchUpPage.Item {
    fileprivate var isEvent: Bool {
        switch self {
        case .event, .encoded: true
        case .gap, .unread, .hole: false
        }
    }
}

/// The places of names or executions in a source.
private struct Slots {
    private let sources: [Hosted]
    private let byName: [String: Int]
    /// Nil for a source of names.
    private let byExecution: [ExecutionID: Int]?

    init(_ source: EventSource) {
        sources = source.sources
        switch source {
        case .named(let names):
            byName = Dictionary(zip(names.map(\.name), names.indices)) { $1 }
            byExecution = nil
        case .executions(let executions):
            byName = [:]
            byExecution = Dictionary(zip(executions.map(\.id), executions.indices)) { $1 }
        }
    }

    func slot(_ name: String, _ execution: ExecutionID?) -> Int? {
        guard let byExecution else { return byName[name] }
        return execution.flatMap { byExecution[$0] }
    }

    /// Nil for an event of another name, or one that no version has written.
    func item(_ event: LoggedEvent) -> [CatchUpPage.Item] {
        guard let slot = slot(event.name, event.execution), let change = HostEvent.Change(event.content) else {
            return []
        }
        let event = HostEvent(
            cursor: event.number, time: event.time, source: sources[slot], execution: event.execution,
            ordinal: event.ordinal, change: change)
        return [.event(event, slot: slot)]
    }
}
