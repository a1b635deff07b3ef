internal import RxRecords
internal import RxAction
internal import RxJSON
internal import RxStore

/// Everything clients can see of a host: the cursor, the executions in flight and ended, and the events not yet
/// drained.
///
/// The lock of `EventLog` guards it. The same lock guards the mutable fields of every `Hosted` and `HostedExecution`,
/// so code that holds an `inout HostState` may use them. Exceptions: `HostedReactor.lifecycle` and the definition of a
/// `HostedAction` have locks of their own, and the gate's lock guards the causes of a brief execution in flight. No
/// method here calls an observer; what has to be called once the lock is released is returned.
struct HostState {
    /// Events of earlier hosts up to this one are not all in memory.
    private(set) var oldestKept: UInt64 = 0
    /// Events of streams of earlier hosts up to this one are not all in memory.
    private(set) var oldestKeptOfStreams: UInt64 = 0
    /// The cursor of the newest event.
    private(set) var cursor: UInt64 = 0
    private(set) var isStopping = false
    /// Which events the store keeps, and how far they are written.
    private(set) var numbers = LogNumbers()
    private var names = LoggedNames()
    private var pending = PendingEvents()
    /// The events that are kept for readers.
    private(set) var rings: EventRings
    private var ended = EndedExecutions()
    private var inFlight: [ExecutionID: HostedExecution] = [:]
    /// Actions whose level `executing` is true. It falls after the end of the execution is published.
    private var executingActions = 0
    /// Readers that watch all actions.
    private var watchersOfAll = 0
    /// The approximate memory that all recordings use together.
    private(set) var recordedBytes = 0
    /// The output of executions, between the lists of those in flight and the store.
    private(set) var outputs = OutputsOfHost()
    private var whenIdle: (@Sendable () -> Void)?
    /// Called when there is more to read, for readers that read at their own pace.
    private var tails: [Int: @Sendable () -> Void] = [:]
    private var tailsAdded = 0
    private var tailedThrough: UInt64 = 0

    init(_ limits: CatchUpLimits) { rings = EventRings(limits.bytesOfAll) }

    // MARK: Lookup

    /// An execution in flight.
    func executionInFlight(_ id: ExecutionID) -> HostedExecution? { inFlight[id] }

    /// An execution in flight, or one of those that ended recently.
    func execution(_ id: ExecutionID) -> KnownExecution? {
        inFlight[id].map { .hosted($0) } ?? ended.execution(id)
    }

    /// The executions with these ids, as far as they are known; those that have ended are looked for together.
    func executions(_ ids: [ExecutionID]) -> [ExecutionID: KnownExecution] {
        var found = ended.executions(Set(ids.filter { inFlight[$0] == nil }))
        for id in ids {
            if let execution = inFlight[id] { found[id] = .hosted(execution) }
        }
        return found
    }

    var inFlightCount: Int { inFlight.count }

    var executionsInFlight: [HostedExecution] { Array(inFlight.values) }

    /// The ended executions that are still kept, oldest first, then those in flight, oldest first.
    var records: [ExecutionRecord] {
        ended.records + inFlight.values.sorted { $0.id < $1.id }.map(\.record)
    }

    // MARK: Executions

    /// Counts an execution as in flight before its action decides whether it starts.
    ///
    /// - Returns: why that is not possible; nil if it is in flight now.
    mutating func accept(_ execution: HostedExecution) -> ExecutionRefusal? {
        if isStopping { return .stopping }
        if execution.action.feed.isRemoved { return .notEnabled(Enabled(reason: .condition(error: nil))) }
        insert(execution)
        return nil
    }

    /// Counts an execution that an earlier host accepted as in flight. Its action is idle until its time has come.
    mutating func insert(_ execution: HostedExecution) {
        inFlight[execution.id] = execution
        if execution.isCounted { execution.action.levels.accept() }
    }

    /// Removes an execution from those in flight and keeps nothing of it.
    ///
    /// - Returns: the observers to call because its action is idle.
    mutating func remove(_ execution: HostedExecution) -> [IdleObserver] {
        guard inFlight.removeValue(forKey: execution.id) != nil, execution.isCounted else { return [] }
        return execution.action.levels.release()
    }

    /// Removes an execution that the gate refused, and publishes the refusal on its action if it `publishes`.
    ///
    /// - Returns: the refusal as clients see it, and the observers to call because the action is idle.
    mutating func refuse(
        _ execution: HostedExecution, _ refusal: Refusal, publishes: Bool
    ) -> (ExecutionRefusal, idle: [IdleObserver]) {
        let action = execution.action
        let idle = remove(execution)
        let explained = action.explain(refusal, self)
        guard publishes else { return (explained, idle) }
        let time = execution.record.queuedAt
        switch explained {
        case .notEnabled(let enabled): publish(.refusal(enabled), of: action, at: time)
        case .queueFull(let limit): publish(.queueFull(limit: limit), of: action, at: time)
        case .input, .tooManyGroups, .keyReused, .tooManyKeys, .tooManyKeysOfUser, .tooManyScheduled,
            .tooManyScheduledOfUser, .tooManyAwaited, .tooManyBytesOfUser, .cannotSchedule, .stopping:
            break
        }
        return (explained, idle)
    }

    /// Moves an execution from those in flight to those that ended, with `error` in the place of its full error.
    ///
    /// - Returns: the observers to call because its action is idle.
    mutating func finish(
        _ execution: HostedExecution, keeping error: ExecutionError?
    ) -> [IdleObserver] {
        let idle = remove(execution)
        if execution.action.feed.isLogged, !execution.isLogged {
            noteUnlogged(execution.action, at: execution.record.endedAt ?? execution.record.queuedAt)
        }
        execution.forgetInput(keeping: error)
        ended.append(.hosted(execution))
        return idle
    }

    /// Publishes all events of a brief execution of `action` at once. The gate is still held, so they are in the gate's
    /// order.
    mutating func finish(_ execution: BriefExecution, of action: HostedAction) {
        execution.base = cursor
        let last = execution.lastCursor
        cursor = last
        action.levels.markBrief(execution, last: last)
        ended.append(KnownExecution(execution))
        if action.feed.watchers > 0 || watchersOfAll > 0 || !numbers.isSettled { pending.append(execution) }
        rings.append(execution, to: action.ring, skip: pending.skips)
        // Its definition may have changed since it began.
        if action.feed.isLogged {
            action.feed.lack(.executions, execution.endCursor)
            action.feed.lack(execution.element == nil ? .errors : .elements, execution.outcomeCursor)
            noteUnlogged(action, at: execution.time)
        }
    }

    // MARK: Recordings and output

    /// Records an event of an execution for those who join it later.
    mutating func record(_ event: HostEvent, of execution: HostedExecution) {
        execution.recording.add(event, total: &recordedBytes)
    }

    /// Drops the recording of an execution.
    mutating func dropRecording(of execution: HostedExecution) {
        execution.recording.drop(total: &recordedBytes)
    }

    /// Keeps an element of an execution.
    ///
    /// - Parameter event: the event of the element.
    /// - Returns: whether readers wait for more: `RetainedOutput.takeReaders`.
    mutating func keep(_ element: RawJSON, of execution: HostedExecution, as event: HostEvent) -> Bool {
        execution.keep(element, number: event.cursor, time: event.time, in: &outputs)
    }

    /// Keeps what the work of an execution has written to its standard error.
    mutating func keep(error bytes: UnsafeRawBufferPointer, of execution: HostedExecution, in output: RetainedOutput) {
        if output.append(error: bytes, after: execution.record.elements, total: &outputs.cost) {
            outputs.note(execution)
        }
    }

    /// Keeps no more output of an execution in flight.
    ///
    /// - Returns: its readers, to be called.
    mutating func endOutput(of execution: HostedExecution) -> [@Sendable () -> Void] {
        execution.output?.end(total: &outputs.cost) ?? []
    }

    /// Takes the output that is to be stored now.
    mutating func takeChangedOutputs() -> [(execution: HostedExecution, output: StorableOutput)] {
        outputs.takeChanged()
    }

    /// The store has refused the ends of executions.
    mutating func forgetOutputs(of executions: [ExecutionID]) { outputs.forget(executions) }

    // MARK: Events

    /// Has the store keep the events of a name from now on, or no longer.
    mutating func setLogged(_ isLogged: Bool, _ source: Hosted, at time: Int64) {
        let now = Mark(cursor: cursor, time: time)
        guard source.feed.hasBegun else {
            let lost = names.enter(source, isLogged: isLogged, at: now)
            return source.feed.begin(isLogged: isLogged, without: lost, at: cursor)
        }
        guard isLogged != source.feed.isLogged else { return }
        source.feed.setLogged(isLogged, at: cursor, source.ring.publishedThrough)
        if isLogged { noteUnlogged(source, at: time) } else { names.set(nil, of: source, at: now) }
    }

    /// The store keeps the events of a name, but not the last one. As long as executions are in flight whose events it
    /// does not keep, the next host must take all events for missing.
    private mutating func noteUnlogged(_ source: Hosted, at time: Int64) {
        guard !inFlight.values.contains(where: { $0.action === source && !$0.isLogged }) else { return }
        let now = Mark(cursor: cursor, time: time)
        names.set(now, of: source, at: now)
    }

    /// Takes the names that have to be passed to the store.
    mutating func takeUnwrittenNames() -> [LoggedName] { names.takeUnwritten() }

    /// Publishes one event: moves the cursor, appends the event to its source's ring, and to the pending events if it
    /// is watched.
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
            execution?.recordsPublished += 1
            ordinal = execution?.recordsPublished ?? 0
            if ordinal == 1 { execution?.noteFirstRecord(cursor) }
        case .executing, .enabled, .state: source.mark(change, Mark(cursor: cursor, time: time))
        case .refusal, .queueFull, .conditionFailure, .fault, .firing, .streamFailure, .drops, .added, .changed,
            .removed:
            break
        }
        let event = HostEvent(
            cursor: cursor, time: time, source: source, execution: execution?.id, ordinal: ordinal, change: change)
        if source.feed.isLogged || execution != nil { keep(event, of: execution) }
        if source.feed.isLogged, let execution, !execution.isLogged { source.feed.lack(event.kind, cursor) }
        // What readers may not see yet is kept for those who come before they may.
        let isWatched =
            isWatched(source) || (execution?.watchers ?? 0) > 0 || event.kind.isEmpty || !numbers.isSettled
        let isKept = !event.kind.isSubset(of: .levels)
        let entry = isWatched || isKept ? EventRing.Entry.event(event) : nil
        if isWatched, let entry { pending.append(event, entry) }
        execution?.noteSkip(pending.skips, before: event)
        if isKept, let entry { rings.append(event, entry, to: source.ring, skip: pending.skips) }
        return event
    }

    /// Keeps an event of an earlier host for readers.
    mutating func restore(_ event: HostEvent) { rings.append(event, .event(event), to: event.source.ring, skip: 0) }

    /// Keeps no event of a name any longer.
    mutating func forget(_ source: Hosted) { rings.empty(source.ring) }

    /// Has the store keep an event, if it is one of those that it keeps.
    private mutating func keep(_ event: HostEvent, of execution: HostedExecution?) {
        guard let content = event.change.logged(of: execution) else { return }
        if let execution, execution.firstNumber == nil { execution.firstNumber = event.cursor }
        let begin = if case .ended = content { execution?.firstNumber } else { UInt64?.none }
        numbers.append(
            LoggedEvent(
                number: event.cursor, begin: begin, time: event.time, name: event.source.name,
                execution: event.execution, ordinal: event.ordinal, content: content))
    }

    /// Has the store keep a change of `enabled` by the manual switch.
    mutating func keep(switch event: HostEvent, _ enabled: Enabled) {
        numbers.append(
            LoggedEvent(
                number: event.cursor, time: event.time, name: event.source.name, content: .switched(enabled)))
    }

    /// The log of a store, as an earlier host left it.
    mutating func begin(with log: RecoveredLog) {
        numbers.begin(with: log)
        names.begin(with: log)
        cursor = numbers.start
        oldestKept = log.complete
        oldestKeptOfStreams = log.streams.complete
    }

    /// Takes the events that have to be passed to the store, in their order.
    mutating func takeUnwritten() -> [LoggedEvent] { numbers.takeUnwritten() }

    /// Numbers up to this one may be given to events.
    mutating func reserve(through number: UInt64) { numbers.reserve(through: number) }

    /// The last event that readers may see: the store has it, and everything before it.
    var visible: UInt64 { numbers.visible(cursor) }

    /// Readers may see the events up to `number`.
    mutating func settle(through number: UInt64) {
        numbers.settle(through: number)
        pending.wake()
    }

    /// The store has answered for the events with these numbers.
    mutating func written(_ numbers: ClosedRange<UInt64>, isLost: Bool) {
        outputs.written(through: numbers.upperBound)
        self.numbers.written(numbers, isLost: isLost)
        pending.wake()
    }

    /// Publishes the error, if any, and the final record of an execution.
    mutating func publishEnd(of execution: HostedExecution, _ error: ExecutionError?, at time: Int64) {
        if let error {
            publish(.failure(error, of: execution.record), of: execution.action, execution: execution, at: time)
        }
        let end = publish(.execution(execution.record), of: execution.action, execution: execution, at: time)
        execution.endNumber = end.cursor
        if execution.isLogged { outputs.end(execution, number: end.cursor) }
    }

    /// Publishes the error and the end of an input that an earlier host has accepted and that cannot start.
    ///
    /// - Parameters:
    ///   - record: the final record.
    ///   - source: its action; nil if it is no longer configured.
    mutating func publishInterrupted(_ record: ExecutionRecord, of source: Hosted?, isKeyed: Bool, at time: Int64) {
        // The number before the error is that of the loss of elements, of which there are none.
        cursor += 1
        // The earlier host has published that the input is queued.
        let events: [(HostEvent.Change, LoggedEvent.Content, ordinal: Int)] = [
            (.failure(.interrupted, of: record), .failed(.interrupted, of: record), 1),
            (.execution(record), .ended(record, isKeyed: isKeyed), 2),
        ]
        for (change, content, ordinal) in events {
            cursor += 1
            numbers.append(
                LoggedEvent(
                    number: cursor, time: time, name: record.action, execution: record.id, ordinal: ordinal,
                    content: content))
            guard let source else { continue }
            let event = HostEvent(
                cursor: cursor, time: time, source: source, execution: record.id, ordinal: ordinal, change: change)
            let entry = EventRing.Entry.event(event)
            // For readers who come before they may see it.
            pending.append(event, entry)
            rings.append(event, entry, to: source.ring, skip: pending.skips)
        }
    }

    /// Whether a reader watches `source`, by name or with all others.
    func isWatched(_ source: Hosted) -> Bool { source.feed.watchers > 0 || watchersOfAll > 0 }

    /// Adds `change` to the number of readers that watch all actions.
    mutating func watchAll(by change: Int) { watchersOfAll += change }

    /// Whether events are being left out of those that `drain` returns.
    var isSkipping: Bool { pending.skippedFrom != nil }

    /// How often events began to be left out.
    var skips: UInt64 { pending.skips }

    /// Whether `drain` is going to return everything that happened after `cursor`.
    func willDrainAll(after cursor: UInt64) -> Bool {
        !isSkipping && max(pending.drainedThrough, pending.skippedThrough) <= cursor
    }

    /// The reader of `drain` lacks no event up to this one.
    var drainedThrough: UInt64 { min(pending.drainedThrough, (pending.skippedFrom ?? .max) - 1) }

    /// Takes the pending events, and the cursor of the first one that was left out, if any.
    mutating func drain() -> (entries: [EventRing.Entry], skippedFrom: UInt64?) { pending.drain(through: visible) }

    /// Keeps events for `drain` again after some were left out.
    mutating func stopSkipping() { pending.stopSkipping(at: cursor) }

    mutating func setListener(_ listener: @escaping @Sendable () -> Void) { pending.setListener(listener) }

    /// Has `wake` called whenever events have become visible.
    mutating func addTail(_ wake: @escaping @Sendable () -> Void) -> Int {
        tailsAdded += 1
        tails[tailsAdded] = wake
        return tailsAdded
    }

    mutating func removeTail(_ number: Int) { tails[number] = nil }

    private mutating func takeTails() -> [@Sendable () -> Void] {
        guard !tails.isEmpty, visible > tailedThrough else { return [] }
        tailedThrough = visible
        return Array(tails.values)
    }

    // MARK: Life

    /// Refuses executions from now on.
    ///
    /// - Parameter whenIdle: called once, when no execution is in flight, no action is executing, and no event waits to
    ///   be written.
    mutating func stop(whenIdle: @escaping @Sendable () -> Void) {
        isStopping = true
        self.whenIdle = whenIdle
    }

    /// Publishes an action's level `executing`.
    ///
    /// - Returns: the observers to call because the action is idle.
    mutating func setExecuting(
        _ executing: Bool, of action: HostedAction, at time: Int64
    ) -> [IdleObserver] {
        executingActions += executing ? 1 : -1
        let idle = action.levels.setExecuting(executing)
        publish(.executing(executing), of: action, at: time)
        return idle
    }

    /// The callbacks that are due after a change, to be called once the lock is released.
    mutating func takeCallbacks() -> Callbacks {
        var callbacks = takeCallbacksOfEvents()
        // A host that ends first lets its last events be delivered.
        guard whenIdle != nil, inFlight.isEmpty, executingActions == 0, numbers.isSettled else { return callbacks }
        callbacks.idle = whenIdle
        whenIdle = nil
        return callbacks
    }

    /// The callbacks that are due after a brief execution, which leaves the host as idle as it was; mostly nil.
    mutating func takeCallbacksOfBrief() -> Callbacks? {
        let areDue =
            pending.mustWake || cursor >= numbers.reserveFrom || hasUnwritten || outputs.isWished || !tails.isEmpty
        return areDue ? takeCallbacksOfEvents() : nil
    }

    /// Whether something has to be passed to the store.
    private var hasUnwritten: Bool { numbers.hasUnwritten || names.hasUnwritten }

    private mutating func takeCallbacksOfEvents() -> Callbacks {
        Callbacks(
            hasUnwritten: hasUnwritten, mustStoreOutputs: outputs.takeWish(),
            reservation: cursor >= numbers.reserveFrom ? numbers.takeReservation(at: cursor) : nil,
            wake: pending.takeListener(), tails: takeTails())
    }

    struct Callbacks {
        /// Whether events, or names, have to be passed to the store.
        let hasUnwritten: Bool
        /// Whether output has to be stored in a while.
        let mustStoreOutputs: Bool
        /// The number through which numbers have to be reserved; nil if that is not necessary yet.
        let reservation: UInt64?
        /// The listener of the pending events.
        let wake: (@Sendable () -> Void)?
        /// The readers that read at their own pace.
        let tails: [@Sendable () -> Void]
        /// The observer of the host's idleness.
        var idle: (@Sendable () -> Void)?

        func call(_ log: EventLog) {
            if hasUnwritten { log.writer?.write(log) }
            if mustStoreOutputs { log.writer?.storeOutputsLater(log) }
            if let reservation { log.writer?.reserve(through: reservation, for: log) }
            wake?()
            for tail in tails { tail() }
            idle?()
        }
    }
}
