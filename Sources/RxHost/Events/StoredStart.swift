internal import RxAction
internal import RxStore

/// Where a reader begins, as the store knows it.
package struct StoredStart: Sendable {
    /// The reader has everything up to here; nil if the store has nothing of the start.
    let cursor: UInt64?
    /// The name of the action of the execution with which the reader begins; empty for a time.
    let name: String
}

/// What a reader has to look up in the store before it begins.
package struct StartLookup: Sendable {
    fileprivate let question: LogLookup
}

extension EventLog {
    /// What has to be looked up in the store before a reader can begin, so that it begins, and its cursor is, there.
    /// Nil if memory knows.
    ///
    /// - Parameter source: what the reader reads, without executions that only the history has.
    package func lookup(_ source: EventSource, _ kinds: EventKinds, from start: EventStart) -> StartLookup? {
        guard writer != nil else { return nil }
        let question: LogLookup? = read { state in
            switch start {
            case .time(let time):
                let finder = CatchUpStart(source: source, kinds: kinds, trimmed: 0)
                return finder.isAllInMemory(in: state) ? nil : .time(time, ofStreams: source.isOfStreams)
            case .execution(let id):
                guard source.sources.contains(where: \.feed.isLogged) else { return nil }
                let first = state.execution(id).map(\.first) ?? source.rings.lazy.compactMap { $0.first(of: id) }.first
                return first == nil ? .execution(id) : nil
            case .now, .last, .cursor, .cursorOfAnother, .start, .executing: return nil
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
        writer.place(lookup.question, for: user) { result in
            guard case .success(let place) = result else { return completion(nil) }
            switch lookup.question {
            case .time: completion(StoredStart(cursor: place?.number ?? 0, name: ""))
            case .execution:
                completion(StoredStart(cursor: place.map { $0.number - 1 }, name: place?.name ?? ""))
            }
        }
    }
}
