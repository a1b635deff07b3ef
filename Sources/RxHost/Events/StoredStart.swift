internal import RxAction
internal import RxStore

/// Where a reader begins, as the store knows it.
package struct StoredStart: Sendable {
    /// The reader has everything up to here; nil if the store has nothing of the start.
    let cursor: UInt64?
    /// The name of the action of the execution with which the reader begins; otherwise empty.
    let name: String
    /// The newest events that memory did not have.
    var newest: [LoggedEvent] = []
}

/// What a reader has to look up in the store before it begins.
package struct StartLookup: Sendable {
    fileprivate enum Question {
        case place(LogLookup)
        case newest(NewestEvents)
    }

    fileprivate let question: Question
}

extension EventLog {
    /// What has to be looked up in the store before a reader can begin, so that it begins, and its cursor is, there.
    /// Nil if memory knows.
    ///
    /// - Parameter source: what the reader reads, without executions that only the history has.
    package func lookup(_ source: EventSource, _ kinds: EventKinds, from start: EventStart) -> StartLookup? {
        guard writer != nil else { return nil }
        let finder = CatchUpStart(source: source, kinds: kinds, trimmed: 0)
        let question: StartLookup.Question? = read { state in
            switch start {
            case .time(let time):
                return finder.isAllInMemory(in: state) ? nil : .place(.time(time, ofStreams: source.isOfStreams))
            case .execution(let id):
                guard source.sources.contains(where: \.feed.isLogged) else { return nil }
                let first = state.execution(id).map(\.first) ?? source.rings.lazy.compactMap { $0.first(of: id) }.first
                return first == nil ? .place(.execution(id)) : nil
            case .last: return finder.newestNotInMemory(in: state).map { .newest($0) }
            case .now, .cursor, .cursorOfAnother, .start, .executing: return nil
            }
        }
        return question.map { StartLookup(question: $0) }
    }

    /// Looks up a start.
    ///
    /// - Parameters:
    ///   - lookup: what is looked up.
    ///   - user: whose reader it is; nil for one of the daemon.
    ///   - completion: called once, on a queue of the store: with nil if that cannot be read now.
    package func look(
        up lookup: StartLookup, for user: UInt32?, completion: @escaping @Sendable (StoredStart?) -> Void
    ) {
        guard let writer else { return completion(nil) }
        switch lookup.question {
        case .newest(let search): find(search, writer, for: user, completion)
        case .place(let question):
            writer.place(question, for: user) { result in
                guard case .success(let place) = result else { return completion(nil) }
                switch question {
                case .time: completion(StoredStart(cursor: place?.number ?? 0, name: ""))
                case .execution:
                    completion(StoredStart(cursor: place.map { $0.number - 1 }, name: place?.name ?? ""))
                }
            }
        }
    }

    private func find(
        _ search: NewestEvents, _ writer: LogWriter, for user: UInt32?,
        _ completion: @escaping @Sendable (StoredStart?) -> Void
    ) {
        writer.search(search, for: user) { result in
            guard case .success(let search) = result else { return completion(nil) }
            guard search.isComplete else { return self.find(search, writer, for: user, completion) }
            completion(StoredStart(cursor: nil, name: "", newest: search.found))
        }
    }
}

extension StoredStart {
    /// The newest events of those names that have had no newer one since. With the log's lock held.
    func newest(of sources: [Hosted]) -> [HostEvent] {
        guard !newest.isEmpty else { return [] }
        let byName = Dictionary(sources.lazy.map { ($0.name, $0) }) { $1 }
        return newest.compactMap { event in
            guard let source = byName[event.name], let change = HostEvent.Change(event.content) else { return nil }
            let event = HostEvent(
                cursor: event.number, time: event.time, source: source, execution: event.execution,
                ordinal: event.ordinal, change: change)
            let last = source.ring.publishedThrough.newest(of: event.kind)
            return !source.ring.has(event.kind) && last <= event.cursor ? event : nil
        }
    }
}

extension CatchUpStart {
    /// The search for the newest events that only the store has; nil if memory has all. With the log's lock held.
    fileprivate func newestNotInMemory(in state: HostState) -> NewestEvents? {
        guard case .named(let sources) = source else { return nil }
        var wanted: [String: Set<NewestEvents.Kind>] = [:]
        var (events, elements): (UInt64, UInt64) = (0, 0)
        for source in sources where source.feed.isLogged {
            for kind in EventKinds.kept where kinds.contains(kind) && !source.ring.has(kind) {
                guard let stored = NewestEvents.Kind(kind, of: source.kind) else { continue }
                // What memory has had is newer than what earlier hosts have left.
                var last = source.ring.publishedThrough.newest(of: kind)
                if last == 0, state.numbers.isContinued {
                    switch stored {
                    case .elements: last = state.numbers.start
                    case .errors, .executions: last = state.oldestKept
                    case .ofStream: last = state.oldestKeptOfStreams
                    }
                }
                guard last > 0 else { continue }
                wanted[source.name, default: []].insert(stored)
                if stored == .elements { elements = max(elements, last) } else { events = max(events, last) }
            }
        }
        guard !wanted.isEmpty else { return nil }
        let names = Set(wanted.lazy.filter { $0.value.contains(.elements) }.map(\.key))
        return NewestEvents(
            wanted, events: events, elements: elements,
            outputs: StoredEvents(source: source, kinds: kinds).newestOutputs(of: names, through: elements, in: state),
            isOfStreams: source.isOfStreams)
    }
}

extension NewestEvents.Kind {
    /// Nil for a kind that names of this kind do not have.
    fileprivate init?(_ kind: EventKinds, of name: HostedKind) {
        switch (name, kind) {
        case (.stream, _):
            guard let kind = kind.ofStreams.first else { return nil }
            self = .ofStream(kind)
        case (.action, .elements): self = .elements
        case (.action, .executions): self = .executions
        case (.action, .errors), (.reactor, .errors): self = .errors
        case (.action, _), (.reactor, _): return nil
        }
    }
}
