public import RxRecords
internal import Rx

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
