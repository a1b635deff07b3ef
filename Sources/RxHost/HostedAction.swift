internal import Dispatch
internal import Rx
internal import RxAction
internal import RxJSON

/// A named action: a gate that outlives reloads, and the definition its next execution will use.
// Unchecked: `levels` is guarded by the event log's lock; `action` is set once, before anyone sees the object.
public final class HostedAction: @unchecked Sendable {
    public let name: String
    let log: EventLog
    private let onEnd: (@Sendable (ExecutionRecord) -> Void)?
    var levels = Levels()
    private let current: Locked<Definition>
    private let condition = BehaviorSubject<Bool>(value: true)
    private let scheduler: SerialDispatchQueueScheduler
    private var action: Action<HostedExecution, RawJSON>!

    /// A definition that many executions share: one reference instead of a copy of all its parts for each.
    final class Definition: Sendable {
        let value: ActionDefinition

        init(_ value: ActionDefinition) { self.value = value }
    }

    /// What `EventLog.snapshot` tells of an action, and who watches it.
    struct Levels {
        var watchers = 0
        var executing = false
        /// What the gate says, whatever its cause.
        var isOpen = true
        var conditionError: String?
        var enabled = Enabled(reason: nil)
        var inFlight: [HostedExecution] = []

        var value: ActionLevels {
            ActionLevels(executing: executing, enabled: enabled, executions: inFlight.map(\.record))
        }
    }

    init(
        _ definition: ActionDefinition, log: EventLog, onEnd: (@Sendable (ExecutionRecord) -> Void)? = nil
    ) {
        name = definition.name
        self.log = log
        self.onEnd = onEnd
        current = Locked(Definition(definition))
        scheduler = SerialDispatchQueueScheduler(
            qos: .default, internalSerialQueueName: "rxd.action.\(definition.name)")
        action = Action(
            enabledIf: condition.asObservable(), overlap: definition.overlap,
            work: { [scheduler, log] execution, context in
                // Under the lock: a cancellation from elsewhere may end the execution at this moment.
                let input = log.change { _ in execution.input }
                let invocation = Invocation(
                    action: execution.action.name, input: input, context: context, flow: execution.flow)
                let definition = execution.definition.value
                switch definition.scheduler {
                case .inline: return definition.work(invocation)
                case .serial: return Observable.deferred { definition.work(invocation) }.subscribe(on: scheduler)
                }
            },
            // Unsafe because a checked reference costs too much for each transition; what can make one is the
            // condition, which this object owns, and an execution, which keeps it alive; and its host keeps it for good.
            onTransition: { [unowned(unsafe) self] in self.follow($0) })
    }

    /// The definition the next execution uses.
    public internal(set) var definition: ActionDefinition {
        get { currentDefinition.value }
        set { current.withLock { $0 = Definition(newValue) } }
    }

    var currentDefinition: Definition { current.withLock { $0 } }

    /// Starts `execution`, or says why not.
    func start(_ execution: HostedExecution) -> Refusal? {
        switch action.start(execution, id: execution.id) {
        case .success: nil
        case .failure(let refusal): refusal
        }
    }

    /// What the gate's refusal is to clients. The levels may be a step behind the gate, or ahead of this refusal: they
    /// may say that the action is enabled. Called with the log's lock held.
    func reason(of refusal: Refusal, _ state: EventLog.State, at time: Int64) -> DisabledReason {
        if state.isStopping { return .stopping }
        switch refusal {
        case .executing(let ids):
            guard let id = ids.first, let record = state.execution(id)?.record else {
                return levels.enabled.reason ?? .condition(error: levels.conditionError)
            }
            return .executing(id, since: record.startedAt ?? time, by: record.by)
        case .condition, .queueFull, .released:
            return .condition(error: levels.conditionError)
        }
    }

    /// Closes the gate: executions in flight go on.
    func close() {
        condition.onNext(false)
    }

    func open() {
        condition.onNext(true)
    }

    /// Turns what the gate does into what clients see. Called in order, never under a lock.
    private func follow(_ transition: ActionTransition<RawJSON>) {
        switch transition {
        case .started(let execution): started(execution, at: WallClock.milliseconds)
        case .executing(let executing):
            log.change { state in
                levels.executing = executing
                state.executingActions += executing ? 1 : -1
                state.publish(.executing(executing), of: self, at: WallClock.milliseconds)
            }
        case .enabled(let isOpen):
            log.change { state in
                levels.isOpen = isOpen
                updateEnabled(&state, at: WallClock.milliseconds)
            }
        case .element(let execution, let element):
            let observers = log.change { state -> [@Sendable (HostedExecution.Event) -> Void] in
                guard let hosted = find(execution.id, in: state) else { return [] }
                hosted.record.elements += 1
                state.publish(.element(element), of: self, execution: hosted, at: WallClock.milliseconds)
                return hosted.observers
            }
            for observer in observers { observer(.element(element)) }
        case .ended(let execution, let end): ended(execution, end, at: WallClock.milliseconds)
        case .queued:
            break
        case .refused:
            // `Host.execute` tells it, with the reason at that moment.
            break
        case .conditionFailed(let error):
            log.change { state in
                levels.conditionError = String(describing: error)
                state.publish(.conditionFailure(String(describing: error)), of: self, at: WallClock.milliseconds)
            }
        }
    }

    /// With the log's lock held. Mostly there is one in flight, and it is the one.
    private func find(_ id: ExecutionID, in state: EventLog.State) -> HostedExecution? {
        if let last = levels.inFlight.last, last.id == id { return last }
        return state.inFlight[id]
    }

    private func started(_ execution: Execution<RawJSON>, at time: Int64) {
        let (hosted, cancellation) = log.change { state -> (HostedExecution?, (any Error)?) in
            guard let hosted = state.inFlight[execution.id] else { return (nil, nil) }
            hosted.execution = execution
            hosted.record.state = .executing
            hosted.record.startedAt = time
            levels.inFlight.append(hosted)
            state.publish(.execution(hosted.record), of: self, execution: hosted, at: time)
            return (hosted, hosted.pendingCancellation)
        }
        if let cancellation { execution.cancel(cancellation) }
        if let hosted, let limit = hosted.timeout { hosted.startTimer(limit) }
    }

    private func ended(_ execution: Execution<RawJSON>, _ end: ExecutionEnd, at time: Int64) {
        let error = ExecutionError(end)
        let (hosted, observers) = log.change {
            state -> (HostedExecution?, [@Sendable (HostedExecution.Event) -> Void]) in
            guard let hosted = find(execution.id, in: state) else { return (nil, []) }
            hosted.record.state = error?.state ?? .completed
            hosted.record.error = error
            hosted.record.endedAt = time
            if let error { state.publish(.failure(error), of: self, execution: hosted, at: time) }
            state.publish(.execution(hosted.record), of: self, execution: hosted, at: time)
            levels.inFlight.removeAll { $0 === hosted }
            let observers = hosted.observers
            hosted.observers = []
            hosted.execution = nil
            return (hosted, observers)
        }
        guard let hosted else { return }
        hosted.stopTimer()
        // Last, so that a host that waits to be idle has told everyone first.
        for observer in observers { observer(.ended(error)) }
        if let onEnd, hosted.definition.value.scheduler != .inline { onEnd(log.record(of: hosted)) }
        let kept = error?.shortened(to: EventLog.errorBytesKept)
        log.change { $0.end(hosted, keeping: kept) }
    }

    /// Publishes `enabled` if it or its cause changed. Called with the log's lock held.
    func updateEnabled(_ state: inout EventLog.State, at time: @autoclosure () -> Int64) {
        let reason: DisabledReason? =
            if state.isStopping {
                .stopping
            } else if levels.isOpen {
                nil
            } else if let first = levels.inFlight.first {
                .executing(first.id, since: first.record.startedAt ?? first.record.queuedAt, by: first.record.by)
            } else {
                .condition(error: levels.conditionError)
            }
        guard reason != levels.enabled.reason else { return }
        levels.enabled = Enabled(reason: reason)
        state.publish(.enabled(levels.enabled), of: self, at: time())
    }
}
