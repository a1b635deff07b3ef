public import RxRecords
internal import Rx

/// What a reader of events receives when it begins.
public struct EventOpening: Sendable {
    /// The events after this cursor follow.
    public let cursor: UInt64
    /// The present levels of each name of the source.
    public let levels: [HostedLevels]
    /// The present record of each execution of the source.
    public let records: [ExecutionRecord]
    /// Where the reader has to catch up from before it follows the events that happen; nil if it need not.
    public let position: CatchUpPosition?
}

/// How far a reader has caught up with the events that are kept.
public struct CatchUpPosition: Sendable {
    /// The reader has everything up to here.
    public internal(set) var cursor: UInt64
    /// Events to be read before anything that follows `cursor`.
    var first: [HostEvent] = []
    /// How many events of each kind came up to `cursor`, for each action or execution of the source.
    var seen: [KindCounts]
    /// Where a loss begins that was found but not reported yet, by the place in the source: the others are further on.
    var unreported: [Int: UInt64] = [:]

    /// Forgets the name at this place of the source, which leaves the source.
    public mutating func forget(_ place: Int) {
        if place < seen.count { seen.remove(at: place) }
        unreported = [:]
        first = []
    }
}

/// Some of the events that a reader has missed, in order.
public struct CatchUpPortion: Sendable {
    /// An event, or a gap.
    public enum Item: Sendable {
        /// An event that is kept.
        case event(HostEvent)
        /// So many events are not kept any more; the cursors of the first and the last lie in these bounds.
        case lost(count: Int, first: UInt64, last: UInt64)

        var cursor: UInt64 {
            switch self {
            case .event(let event): event.cursor
            case .lost(_, _, let last): last
            }
        }
    }

    /// The most events of one portion: a connection writes as many in a turn.
    static let eventsTaken = 256
    /// The bytes after which a portion ends, for the same reason.
    static let bytesTaken = 65_536

    /// The events and losses, in the order of their cursors.
    public let items: [Item]
    /// Whether the reader has caught up: it is where the log is, at `cursor`.
    public let isComplete: Bool
    /// The reader has everything up to here.
    public let cursor: UInt64
    /// The present record of each execution of the source.
    public let records: [ExecutionRecord]
}

extension EventLog {
    /// Begins to read: finds the levels, the cursor at which they hold, and the position to catch up from, all of one
    /// moment. Later events are kept for `drain` until `unwatch`.
    public func open(
        _ source: EventSource, _ kinds: EventKinds, from start: EventStart, isAll: Bool = false
    ) -> Result<EventOpening, EventStartRefusal> {
        update { state in
            let finder = CatchUpStart(source: source, kinds: kinds)
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
                    cursor: position.map { $0.first.first.map { $0.cursor - 1 } ?? $0.cursor } ?? state.cursor,
                    levels: levels, records: records, position: position ?? finder.positionWhileSkipping(in: state)))
        }
    }

    /// Ends the watch that `open` began.
    public func unwatch(_ source: EventSource, isAll: Bool = false) {
        update { watch(source, isAll: isAll, by: -1, in: &$0) }
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
                case .named(let sources): sources.map { $0.feed.ring.published(atSkip: state.skips) }
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
}
