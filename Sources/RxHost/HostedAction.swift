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
            work: { [scheduler] execution, context in
                let invocation = Invocation(
                    action: execution.action.name, input: execution.input, context: context, flow: execution.flow)
                let definition = execution.definition.value
                switch definition.scheduler {
                case .inline: return definition.work(invocation)
                case .serial: return Observable.deferred { definition.work(invocation) }.subscribe(on: scheduler)
                }
            },
            // Unsafe because a checked reference costs too much for each transition; what can make one is the
            // condition, which this object owns, and an execution in flight, which keeps it alive.
            onTransition: { [unowned(unsafe) self] in self.follow($0) })
    }

    /// The definition the next execution uses.
    public internal(set) var definition: ActionDefinition {
        get { currentDefinition.value }
        set { current.withLock { $0 = Definition(newValue) } }
    }

    var currentDefinition: Definition { current.withLock { $0 } }

    func start(_ execution: HostedExecution) -> Bool {
        switch action.start(execution, id: execution.id) {
        case .success: true
        case .failure: false
        }
    }

    /// Closes the gate for good: executions in flight go on.
    func close() {
        condition.onNext(false)
    }

    /// Turns what the gate does into what clients see. Called in order, never under a lock.
    private func follow(_ transition: ActionTransition<RawJSON>) {
        switch transition {
        case .started(let execution): started(execution, at: WallClock.milliseconds)
        case .executing(let executing):
            log.change { state in
                levels.executing = executing
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
        log.change { $0.end(hosted) }
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
