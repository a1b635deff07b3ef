internal import RxAction
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
    func end(of feed: Hosted.Feed, after cursor: UInt64, in state: HostState) -> UInt64? {
        guard feed.isLogged else { return nil }
        var end = feed.ring.evictedThrough.newest(of: kinds)
        if state.numbers.isContinued, cursor < state.numbers.start {
            // Of earlier hosts, the newest errors and records are in memory, and no elements.
            end = max(end, kinds.contains(.elements) ? state.numbers.start : state.oldestKept)
        }
        return end > cursor && end > feed.loggedSince ? end : nil
    }

    /// The same for all places.
    func end(after cursor: UInt64, in state: HostState) -> UInt64? {
        guard !kinds.isDisjoint(with: [.elements, .errors, .executions]) else { return nil }
        return source.sources.compactMap { end(of: $0.feed, after: cursor, in: state) }.max()
    }

    /// What to request for `position`, up to the event `end`.
    func request(_ position: CatchUpPosition, through end: UInt64, in state: HostState) -> CatchUpRequest {
        let wanted: LogQuery.Source
        switch source {
        case .executions(let executions): wanted = .executions(executions.map(\.id))
        case .named(let sources):
            wanted = .names(sources.count > Self.mostNames ? nil : Set(sources.map(\.name)))
        }
        let query = LogQuery(
            after: position.cursor, through: end, source: wanted, errors: kinds.contains(.errors),
            executions: kinds.contains(.executions), elements: kinds.contains(.elements),
            since: position.stored.since, looksBack: position.stored.looksBack)
        return CatchUpRequest(query: query, outputs: kinds.contains(.elements) ? outputs(in: state) : [])
    }

    private func outputs(in state: HostState) -> [CatchUpRequest.Output] {
        let executions: [HostedExecution]
        switch source {
        case .executions(let some): executions = some
        case .named(let sources):
            let names = Set(sources.map { ObjectIdentifier($0) })
            executions = state.executionsInFlight.filter { names.contains(ObjectIdentifier($0.action)) }
        }
        let inFlight = executions.filter { $0.isLogged && !$0.record.state.isFinal && $0.record.elements > 0 }
        return inFlight.map { execution in
            CatchUpRequest.Output(
                execution: execution.id, name: execution.action.name, snapshot: execution.output?.now)
        }
            + state.outputs.unwritten.map { id, name, snapshot in
                CatchUpRequest.Output(execution: id, name: name, snapshot: snapshot)
            }
    }

    /// Takes what was read: the page, and what is in memory of executions in flight.
    ///
    /// - Parameter page: nil if it could not be read: then everything in it is missing.
    func take(_ page: LogPage?, _ request: CatchUpRequest, into position: inout CatchUpPosition) {
        var stored = position.stored
        defer { position.stored = stored }
        stored.wasUsed = true
        stored.since = nil
        guard let page else {
            let missing = CatchUpPage.Item.trimmed(first: position.cursor + 1, last: request.query.through)
            stored.page = CatchUpPage([missing], through: request.query.through)
            return
        }
        stored.looksBack = false
        position.cursor = max(position.cursor, page.after)
        let memory = request.elements(without: stored.taken, through: page.through)
        stored.taken.formUnion(memory.events.compactMap(\.execution) + memory.gaps.map(\.execution))
        var items: [CatchUpPage.Item] = []
        var rest: [LoggedEvent] = []
        let slots = Slots(source)
        // What was taken from memory is in the store too once the execution has ended.
        let known = position.stored.taken
        let fromStore = (page.events + page.rest).filter { event in
            guard case .element = event.content, let id = event.execution else { return true }
            return !known.contains(id) && !memory.events.contains { $0.execution == id }
        }
        for event in memory.events + stored.rest + fromStore where event.number > position.cursor {
            if event.number > page.through { rest.append(event) } else { items += slots.item(event) }
        }
        let gaps = memory.gaps + stored.restGaps + page.gaps
        stored.restGaps = []
        for gap in gaps {
            guard let slot = slots.slot(gap.name, gap.execution) else { continue }
            let (first, last) = (gap.numbers.lowerBound, gap.numbers.upperBound)
            if last <= page.through {
                items.append(.gap(count: gap.count, first: first, last: last, slot: slot))
            } else if first <= page.through, page.through >= stored.uncounted[slot] ?? 0 {
                // The last page: memory knows of the elements after it.
                items.append(.gap(count: nil, first: first, last: page.through, slot: slot))
            } else {
                stored.restGaps.append(gap)
            }
        }
        // An execution has all of its events or none.
        if case .named = source, page.trimmed > position.cursor {
            items.append(.trimmed(first: position.cursor + 1, last: min(page.trimmed, page.through)))
        }
        items.sort { $0.number < $1.number }
        stored.page = CatchUpPage(items, through: page.through)
        stored.rest = rest
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
