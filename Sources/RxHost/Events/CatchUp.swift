public import RxRecords
internal import Rx
internal import RxStore

/// What a reader of events receives when it begins.
public struct EventOpening: Sendable {
    /// The events after this cursor follow, as far as they are kept.
    public let cursor: UInt64
    /// The present levels of each name of the source.
    public let levels: [HostedLevels]
    /// The present record of each execution of the source.
    public let records: [ExecutionRecord]
    /// Where the reader has to catch up from before it follows the events that happen; nil if it need not.
    public let position: CatchUpPosition?
}

extension EventLog {
    /// Begins to read: finds the levels, the cursor at which they hold, and the position to catch up from, all of one
    /// moment. Later events are kept for `drain` until `unwatch`.
    public func open(
        _ source: EventSource, _ kinds: EventKinds, from start: EventStart, isAll: Bool = false
    ) -> Result<EventOpening, EventStartRefusal> {
        open(source, kinds, from: start, nil, isAll: isAll)
    }

    /// Opens a reader at a start that was prepared, or looked up in the store; one that was prepared for other names is
    /// ignored.
    ///
    /// - Parameter isHeld: whether the reader begins later than now. Then it always has to catch up.
    package func open(
        _ source: EventSource, _ kinds: EventKinds, from start: EventStart, _ prepared: PreparedStart?,
        stored: StoredStart? = nil, isAll: Bool = false, isHeld: Bool = false
    ) -> Result<EventOpening, EventStartRefusal> {
        let trimmed = writer?.trimmedThrough(source, kinds) ?? 0
        let opening: Result<EventOpening, EventStartRefusal> = update { state in
            let finder = CatchUpStart(
                source: source, kinds: kinds, trimmed: trimmed, prepared: prepared, stored: stored)
            let position: CatchUpPosition?
            switch finder.position(start, in: state) {
            case .success(let found): position = found
            case .failure(let refusal): return .failure(refusal)
            }
            watch(source, isAll: isAll, by: 1, in: &state)
            var levels: [HostedLevels] = []
            var records: [ExecutionRecord] = []
            switch source {
            case .named(let sources): levels = sources.map(\.snapshot)
            case .executions(let executions): records = executions.map(\.record)
            }
            return .success(
                EventOpening(
                    cursor: position?.reached ?? state.cursor, levels: levels, records: records,
                    position: position ?? finder.positionNow(in: state, isHeld: isHeld)))
        }
        if case .success = opening { noteReaders(source, isAll: isAll, by: 1) }
        return opening
    }

    /// Ends the watch that `open` began.
    public func unwatch(_ source: EventSource, isAll: Bool = false) {
        update { watch(source, isAll: isAll, by: -1, in: &$0) }
        noteReaders(source, isAll: isAll, by: -1)
    }

    private func noteReaders(_ source: EventSource, isAll: Bool, by change: Int) {
        guard !isAll, case .named(let sources) = source else { return }
        for source in sources { source.watched(by: change) }
    }

    private func watch(_ source: EventSource, isAll: Bool, by change: Int, in state: inout HostState) {
        if isAll { return state.watchAll(by: change) }
        switch source {
        case .named(let sources): for source in sources { source.feed.watchers += change }
        case .executions(let executions): for execution in executions { execution.watchers += change }
        }
    }

    /// Where a reader that joined an execution catches up from; nil if `drain` is going to return everything that has
    /// happened since. Otherwise events are being left out, or some were drained before the reader was there.
    public func position(after attachment: Attachment) -> CatchUpPosition? {
        read { $0.willDrainAll(after: attachment.cursor) ? nil : attachment.position }
    }

    /// Where readers of `source` stand that have all events before `cursor`, the first that `drain` left out.
    public func positionAtSkip(_ source: EventSource, before cursor: UInt64) -> CatchUpPosition {
        read { state in
            let seen =
                switch source {
                case .named(let sources): sources.map { $0.ring.published(atSkip: state.skips) }
                case .executions(let executions): executions.map { $0.published(atSkip: state.skips) }
                }
            return CatchUpPosition(cursor: cursor - 1, seen: seen)
        }
    }

    /// The next portion after `position`, which moves.
    public func nextPortion(
        of source: EventSource, _ kinds: EventKinds, after position: inout CatchUpPosition
    ) -> CatchUpPortion {
        var reader = CatchUpReader(source: source, kinds: kinds, after: position)
        let (portion, end) = read { state in reader.next(in: state) }
        position = end
        return portion
    }

    /// Reads the page that a portion needs.
    ///
    /// - Parameters:
    ///   - request: the portion's.
    ///   - source: the reader's.
    ///   - kinds: the reader's.
    ///   - position: the reader's, after the portion.
    ///   - user: whose reader it is, since users are served in turn; nil for one of the daemon.
    ///   - encoder: if given, makes what encodes the events of the page, on that queue; those that can be encoded come
    ///     as `CatchUpPortion.Item.encoded`. Not for the events of executions.
    ///   - completion: called once, on a queue of the store, with what is to be given to `CatchUpPosition.take`: nil if
    ///     too many reads wait, which does not happen to the daemon. Events that cannot be read count as lost.
    public func read(
        _ request: CatchUpRequest, of source: EventSource, _ kinds: EventKinds, after position: CatchUpPosition,
        for user: UInt32? = nil, encoder: (@Sendable () -> any PageEncoder)? = nil,
        completion: @escaping @Sendable (ReadPage?) -> Void
    ) {
        let events = StoredEvents(source: source, kinds: kinds)
        let stored = position.stored
        guard let writer else { return completion(ReadPage(page: events.page(.nothing, request, stored))) }
        ReadablePage(request.query) { writer.page($0, for: user, completion: $1) }.find { found in
            guard let found else { return completion(nil) }
            completion(ReadPage(page: events.page(found, request, stored, encoder?(), writer.cores)))
        }
    }
}

/// A page of the log that was read for a reader.
public struct ReadPage: Sendable {
    let page: StoredPosition.Following
}

extension CatchUpPosition {
    /// Takes the page that was requested last; nil has it requested again.
    public mutating func take(_ page: ReadPage?) {
        guard case .requested = stored.following else { return }
        stored.following = page?.page ?? .none
    }

    /// The number of pages that it holds, or has requested.
    public var pagesHeld: Int {
        let following =
            switch stored.following {
            case .none: 0
            case .requested, .read: 1
            }
        return following + (stored.page == nil ? 0 : 1)
    }
}
