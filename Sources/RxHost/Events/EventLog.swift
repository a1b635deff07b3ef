public import RxRecords
public import RxAction
internal import Rx
internal import RxJSON

/// The one consistent view of a host: levels, executions in flight, executions ended lately, and the events that
/// nobody has taken yet. All of it changes under one lock, and nothing is called while that is held.
public final class EventLog: Sendable {
    /// Ended executions kept for `execution.get` and `execution.list`.
    public static let endedKept = 1000
    /// Events that may wait for `drain`: more than a turn of the loop brings. Beyond, work on other threads is quicker than
    /// the loop; what is left out is read from the rings later, as far as it is still there.
    static let pendingKept = 65_536
    /// Bytes of these.
    static let pendingBytesKept = 32 << 20

    /// What the lock guards here. `HostedAction.levels` and `HostedExecution.record` are guarded by it too: they are
    /// reached only through `change` and `read`.
    struct State {
        var cursor: UInt64 = 0
        var pending: [EventRing.Entry] = []
        /// How many events these are,
        var pendingEvents = 0
        /// and how many bytes they hold.
        var pendingBytes = 0
        /// The last event that can be among those that `drain` brought so far.
        var drainedThrough: UInt64 = 0
        /// The first event that was left out of `pending` since `drain`.
        var skippedFrom: UInt64?
        /// How often events began to be left out.
        var skips: UInt64 = 0
        /// How many watch all actions.
        var watchersOfAll = 0
        var inFlight: [ExecutionID: HostedExecution] = [:]
        /// Actions whose level `executing` is true: it falls after the end of the execution is told.
        var executingActions = 0
        var ended: [Ended] = []
        /// Where the next ended execution goes once `ended` is full.
        var nextEnded = 0
        /// What all recordings cost together.
        var recordedBytes = 0
        var isStopping = false
        var listener: (@Sendable () -> Void)?
        var whenIdle: (@Sendable () -> Void)?
    }

    /// An execution that has ended, with what is left of it.
    enum Ended {
        case hosted(HostedExecution)
        case brief(BriefExecution)

        var id: ExecutionID {
            switch self {
            case .hosted(let execution): execution.id
            case .brief(let execution): execution.id
            }
        }

        var record: ExecutionRecord {
            switch self {
            case .hosted(let execution): execution.record
            case .brief(let execution): execution.record
            }
        }
    }

    let state = Locked(State())
    let ringLimits: EventRing.Limits

    init(ringLimits: EventRing.Limits) {
        self.ringLimits = ringLimits
    }

    /// Calls `listener` (from any thread) whenever events wait where none did before.
    public func setListener(_ listener: @escaping @Sendable () -> Void) {
        state.withLock { $0.listener = listener }
    }

    /// Takes the events that wait, in their order.
    ///
    /// - Parameter wanted: the kinds of interest among the events of an execution that was over at once; of those no others
    ///   are made.
    /// - Returns: them, and the cursor of the first that is not among them for want of room, if any. From that one on all are
    ///   left out until `goOn`; meanwhile whoever watches is sent on to read from `positionAtSkip`.
    public func drain(
        _ wanted: (HostedAction, ExecutionID) -> EventKinds = { _, _ in .all }
    ) -> (events: [HostEvent], skippedFrom: UInt64?) {
        let (entries, skippedFrom) = state.withLock { state in
            defer {
                state.drainedThrough = state.cursor
                state.pending = []
                state.pendingEvents = 0
                state.pendingBytes = 0
            }
            return (state.pending, state.skippedFrom)
        }
        var events: [HostEvent] = []
        events.reserveCapacity(entries.count)
        for entry in entries {
            switch entry {
            case .event(let event): events.append(event)
            case .brief(let brief): brief.append(wanted(brief.action, brief.id), to: &events)
            }
        }
        return (events, skippedFrom)
    }

    /// Events wait for `drain` again.
    public func goOn() {
        state.withLock { $0.skippedFrom = nil }
    }

    /// The levels of `actions` and the cursor at which they hold.
    public func snapshot(of actions: [HostedAction]) -> (cursor: UInt64, levels: [ActionLevels]) {
        state.withLock { state in (state.cursor, actions.map(\.levels.value)) }
    }

    /// One who asked for an execution with `isWatched` no longer watches it.
    public func unwatch(_ execution: HostedExecution) {
        state.withLock { _ in execution.watchers -= 1 }
    }

    /// Executions in flight, oldest first, after those that ended lately.
    public func executions() -> [ExecutionRecord] {
        state.withLock { state in
            let oldest = state.ended[state.nextEnded...] + state.ended[..<state.nextEnded]
            let inFlight = state.inFlight.values.sorted { $0.id < $1.id }
            return oldest.map(\.record) + inFlight.map(\.record)
        }
    }

    /// An execution in flight or ended lately.
    public func execution(_ id: ExecutionID) -> HostedExecution? {
        state.withLock { state in
            state.execution(id)
        }
    }

    public func record(of execution: HostedExecution) -> ExecutionRecord {
        state.withLock { _ in execution.record }
    }

    /// Executions in flight.
    public var inFlight: [HostedExecution] {
        state.withLock { Array($0.inFlight.values) }
    }

    public var cursor: UInt64 { state.withLock { $0.cursor } }

    /// Changes what clients can see; events that `body` publishes are kept in their order.
    func change<R: Sendable>(_ body: (inout State) -> R) -> R {
        let (result, wake, idle) = state.withLock { state -> (R, (@Sendable () -> Void)?, (@Sendable () -> Void)?) in
            let wasEmpty = state.pending.isEmpty
            let result = body(&state)
            let wake = wasEmpty && !state.pending.isEmpty ? state.listener : nil
            var idle: (@Sendable () -> Void)?
            if state.whenIdle != nil, state.inFlight.isEmpty, state.executingActions == 0 {
                idle = state.whenIdle
                state.whenIdle = nil
            }
            return (result, wake, idle)
        }
        wake?()
        idle?()
        return result
    }
}

extension EventLog.State {
    func execution(_ id: ExecutionID) -> HostedExecution? {
        if let execution = inFlight[id] { return execution }
        switch ended.first(where: { $0.id == id }) {
        case nil: return nil
        case .hosted(let execution): return execution
        case .brief(let execution):
            let hosted = HostedExecution(execution.record, action: execution.action, key: nil)
            hosted.recordsTold = 2
            return hosted
        }
    }

    /// Tells one event: the cursor moves, the action's ring keeps it, and it is delivered to who watches.
    @discardableResult
    mutating func publish(
        _ change: HostEvent.Change, of source: Hosted, execution: HostedExecution? = nil, at time: Int64
    ) -> HostEvent {
        cursor += 1
        var ordinal = 0
        switch change {
        case .element: ordinal = execution?.record.elements ?? 0
        case .failure: ordinal = 1
        case .execution:
            execution?.recordsTold += 1
            ordinal = execution?.recordsTold ?? 0
        case .executing, .enabled, .state: source.mark(change, Mark(cursor: cursor, time: time))
        case .refusal, .queueFull, .conditionFailure, .fault, .added, .changed, .removed: break
        }
        let event = HostEvent(
            cursor: cursor, time: time, source: source, execution: execution?.id, ordinal: ordinal, change: change)
        let isWatched =
            source.feed.watchers > 0 || watchersOfAll > 0 || (execution?.watchers ?? 0) > 0 || event.kind.isEmpty
        let isKept = !event.kind.isSubset(of: .levels)
        let entry = isWatched || isKept ? EventRing.Entry.event(event) : nil
        if isWatched, let entry { deliver(event, entry) }
        if let execution, execution.skip.number != skips {
            // Without this one, which is told already.
            var told = execution.told
            told.update(event.kind) { $0 -= 1 }
            execution.skip = (skips, told)
        }
        if isKept, let entry { source.feed.ring.append(event, entry, skip: skips) }
        return event
    }

    /// Keeps an event for `drain`, if there is room.
    mutating func deliver(_ event: HostEvent, _ entry: EventRing.Entry) {
        // What concerns the subscriptions themselves is rare, and nowhere else.
        guard !event.kind.isEmpty else { return pending.append(entry) }
        deliver(entry, events: 1, from: event.cursor, bytes: event.cost)
    }

    /// Keeps all of them for `drain`, or none.
    mutating func deliver(_ entry: EventRing.Entry, events: Int, from cursor: UInt64, bytes: Int) {
        guard skippedFrom == nil else { return }
        guard pendingEvents < EventLog.pendingKept, pendingBytes < EventLog.pendingBytesKept else {
            skippedFrom = cursor
            skips += 1
            return
        }
        pendingEvents += events
        pendingBytes += bytes
        pending.append(entry)
    }

    /// An execution is about to be accepted.
    mutating func take(_ execution: HostedExecution) {
        inFlight[execution.id] = execution
        execution.action.levels.accepted += 1
    }

    /// It has ended, or was not accepted after all.
    ///
    /// - Returns: who is to be told that its action is idle.
    mutating func drop(_ execution: HostedExecution) -> [HostedAction.IdleObserver] {
        guard inFlight.removeValue(forKey: execution.id) != nil else { return [] }
        execution.action.levels.accepted -= 1
        return execution.action.levels.takeIdleObservers()
    }

    /// Moves an execution from those in flight to those that ended, with as much of its error as is kept.
    mutating func end(_ execution: HostedExecution, keeping error: ExecutionError?) -> [HostedAction.IdleObserver] {
        let idle = drop(execution)
        execution.record.error = error
        // All of it, with what must not be shown, was for the work.
        execution.input = .null
        if let input = execution.record.input, input.utf8.count > ExecutionRecord.inputBytesKept {
            execution.record.input = nil
        }
        keep(.hosted(execution))
        return idle
    }

    mutating func keep(_ execution: EventLog.Ended) {
        if ended.count < EventLog.endedKept {
            ended.append(execution)
        } else {
            ended[nextEnded] = execution
            nextEnded = nextEnded + 1 == EventLog.endedKept ? 0 : nextEnded + 1
        }
    }
}
