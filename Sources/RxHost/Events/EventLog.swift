public import RxRecords
public import RxAction
internal import Rx
internal import RxJSON
internal import RxStore

/// The one consistent view of a host: levels, executions in flight, executions that ended recently, and the events that
/// are not drained yet. All of it changes under one lock, and nothing is called while that is held.
public final class EventLog: Sendable {
    private let state: Locked<HostState>
    /// Passes events to the store; nil without one.
    let writer: LogWriter?

    init(_ writer: LogWriter? = nil, _ limits: CatchUpLimits = CatchUpLimits()) {
        self.writer = writer
        state = Locked(HostState(limits))
    }

    // MARK: For the reader

    /// Sets the function that is called, on any thread, whenever events are pending where none were before.
    public func setListener(_ listener: @escaping @Sendable () -> Void) {
        update { $0.setListener(listener) }
    }

    /// Takes the pending events, in their order.
    ///
    /// - Parameter wanted: the kinds of interest among the events of a brief execution; its other events are not made.
    /// - Returns: the events, and the cursor of the first one that was left out because too many were pending, if any.
    ///   From that one on, all are left out until `goOn`; readers catch up from `positionAtSkip`.
    public func drain(
        _ wanted: (_ action: Hosted, ExecutionID) -> EventKinds = { _, _ in .all }
    ) -> (events: [HostEvent], skippedFrom: UInt64?) {
        let (entries, skippedFrom) = state.withLock { $0.drain() }
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

    /// The last event that the reader has drained, or could have: none before it was left out.
    public var drainedThrough: UInt64 { state.withLock { $0.drainedThrough } }

    /// Keeps events for `drain` again after some were left out.
    public func goOn() {
        state.withLock { $0.stopSkipping() }
    }

    /// The levels of `actions` and the cursor at which they hold.
    public func snapshot(of actions: [HostedAction]) -> (cursor: UInt64, levels: [ActionLevels]) {
        state.withLock { state in (state.cursor, actions.map(\.levels.value)) }
    }

    /// The last executions of an action that have ended, at most `most`, oldest first. Those from before the start of
    /// the host, and those with much output after them, may be missing.
    public func lastEnds(of action: HostedAction, _ most: Int) -> [ExecutionRecord] {
        state.withLock { _ in action.ring.lastEnds(most) }
    }

    /// Ends the watch that a request with `isWatched` began.
    public func unwatch(_ execution: HostedExecution) {
        state.withLock { _ in execution.watchers -= 1 }
    }

    /// The executions that ended recently, oldest first, then those in flight, oldest first.
    public func executions() -> [ExecutionRecord] {
        state.withLock { $0.records }
    }

    /// An execution in flight, or one that ended recently.
    func execution(_ id: ExecutionID) -> KnownExecution? {
        state.withLock { $0.execution(id) }
    }

    /// Several executions, each in flight or one that ended recently.
    func executions(_ ids: [ExecutionID]) -> [ExecutionID: KnownExecution] {
        state.withLock { $0.executions(ids) }
    }

    /// The record of an execution as it is now.
    public func record(of execution: HostedExecution) -> ExecutionRecord {
        state.withLock { _ in execution.record }
    }

    /// How many executions are in flight.
    public var inFlightCount: Int { state.withLock { $0.inFlightCount } }

    /// The executions in flight, in no order.
    public var inFlight: [HostedExecution] {
        state.withLock { $0.executionsInFlight }
    }

    /// The cursor of the newest event.
    public var cursor: UInt64 { state.withLock { $0.cursor } }

    /// Whether events are being left out of those that `drain` returns.
    var isSkipping: Bool { state.withLock { $0.isSkipping } }

    /// Takes the events that have to be passed to the store, in their order, and the names before them. Calls nothing.
    func takeUnwritten() -> (names: [LoggedName], events: [LoggedEvent]) {
        state.withLock { ($0.takeUnwrittenNames(), $0.takeUnwritten()) }
    }

    // MARK: Executions

    var isStopping: Bool { state.withLock { $0.isStopping } }

    /// See `HostState.accept`.
    func accept(_ execution: HostedExecution) -> ExecutionRefusal? {
        update { $0.accept(execution) }
    }

    /// Counts an execution that an earlier host accepted as in flight.
    func resume(_ execution: HostedExecution) {
        update { $0.insert(execution) }
    }

    /// Removes an execution whose input joins the execution `id`, which is returned if it can still be joined.
    func replace(_ execution: HostedExecution, by id: ExecutionID) -> HostedExecution? {
        let (known, idle) = update { state in (state.execution(id), state.remove(execution)) }
        for observer in idle { observer.call() }
        // A brief execution has ended.
        guard case .hosted(let joined)? = known else { return nil }
        return joined
    }

    /// Removes an execution that the gate refused, and publishes the refusal if it `publishes`.
    ///
    /// - Returns: the refusal as clients see it.
    func refuse(
        _ execution: HostedExecution, _ refusal: Refusal, publishes: Bool
    ) -> ExecutionRefusal {
        let (explained, idle) = update { $0.refuse(execution, refusal, publishes: publishes) }
        for observer in idle { observer.call() }
        return explained
    }

    /// The gate's refusal as clients see it.
    func explain(_ refusal: Refusal, of action: HostedAction) -> ExecutionRefusal {
        read { action.explain(refusal, $0) }
    }

    /// Publishes all events of a brief execution of `action` at once.
    func finish(_ execution: BriefExecution, of action: HostedAction) {
        let callbacks = state.withLock { state in
            state.finish(execution, of: action)
            return state.takeCallbacksOfBrief()
        }
        callbacks?.call(self)
    }

    // MARK: Names

    /// Publishes that a name has another definition now.
    func changed(_ source: Hosted, at time: Int64) {
        update { _ = $0.publish(.changed, of: source, at: time) }
    }

    /// Publishes that a name is configured now, and the levels with which it begins.
    ///
    /// - Parameter levels: called with the lock held.
    func added(_ source: Hosted, levels: () -> [HostEvent.Change] = { [] }, at time: Int64) {
        update { state in
            state.setLogged(source.feed.isLogged, source, at: time)
            state.publish(.added, of: source, at: time)
            for level in levels() { state.publish(level, of: source, at: time) }
        }
    }

    /// Accepts nothing more under a name that is no longer configured, and publishes that.
    func removed(_ source: Hosted, at time: Int64) {
        update { state in
            source.feed.isRemoved = true
            _ = state.publish(.removed, of: source, at: time)
        }
    }

    /// Keeps no event of a name any longer.
    func forget(_ source: Hosted) {
        update { $0.forget(source) }
    }

    /// Accepts nothing under the names of an earlier host that are not configured.
    func retire(_ actions: [HostedAction]) {
        update { _ in for action in actions { action.feed.isRemoved = true } }
    }

    /// Accepts input again under a name that is configured again.
    func restored(_ source: Hosted) {
        update { _ in source.feed.isRemoved = false }
    }

    /// Has the store keep the events of names from now on, or no longer, all in one step.
    func setLogged(_ changes: [(source: Hosted, isLogged: Bool)], at time: Int64) {
        update { state in
            for change in changes { state.setLogged(change.isLogged, change.source, at: time) }
        }
    }

    /// Refuses executions from now on, disables all `actions`, and calls `whenIdle` once nothing is in flight.
    func stop(_ actions: [HostedAction], at time: Int64, whenIdle: @escaping @Sendable () -> Void) {
        update { state in
            state.stop(whenIdle: whenIdle)
            for action in actions { action.updateEnabled(&state, at: time) }
        }
    }

    // MARK: For the owners of levels and records

    /// Changes the state, and fields that its lock guards, in one step; then calls the callbacks that are due.
    func update<R: Sendable>(_ body: (inout HostState) -> R) -> R {
        let (result, callbacks) = state.withLock { state in
            let result = body(&state)
            return (result, state.takeCallbacks())
        }
        callbacks.call(self)
        return result
    }

    /// Reads the state and fields that its lock guards.
    func read<R: Sendable>(_ body: (HostState) -> R) -> R {
        state.withLock { state in body(state) }
    }
}
