internal import Rx

/// The state of an action and the order of what it does.
///
/// Every change is decided under the lock and queued there as a step. Whoever finds no delivery under way delivers, outside
/// of the lock; others, on another thread or deeper in the same one, leave their step to that one. Work is subscribed
/// after the steps that announce it were delivered, and when no delivery is under way on this thread, so that the elements
/// of synchronous work are delivered as they come.
final class ActionGate<Element: Sendable>: @unchecked Sendable {
    // Unchecked: what changes is guarded by `lock`.

    private enum Condition {
        case holds(Bool)
        case failed(any Error)

        var isMet: Bool {
            switch self {
            case .holds(let value): value
            case .failed: false
            }
        }
    }

    private enum Step {
        case begin(Execution<Element>)
        case element(Execution<Element>, Element)
        case end(Execution<Element>, ExecutionEnd, enables: Bool)
        case refused(Refusal)
        case enabled(Bool)
        case conditionFailed(any Error, disables: Bool)
        case released
    }

    /// Who hears of a step: decided when the step is taken from the queue, so that who comes later gets what follows.
    private struct Audience {
        let streams: ActionStreams<Element>?
        let results: Results<Element>?
    }

    let lock = Lock()
    private let onTransition: (@Sendable (ActionTransition<Element>) -> Void)?

    // Fails closed: no value of the condition is as good as false.
    private var condition = Condition.holds(false)
    private var isSampling = true
    private var isReleased = false
    private var current: Execution<Element>?

    private var steps: [Step] = []
    private var isDelivering = false
    private var streams: ActionStreams<Element>?
    /// The levels as of the last step taken from the queue.
    private var toldExecuting = false
    private var toldEnabled = false

    init(onTransition: (@Sendable (ActionTransition<Element>) -> Void)?) {
        self.onTransition = onTransition
    }

    // MARK: - Attempts

    /// Starts the work that `makeWork` makes, or refuses.
    func start(
        _ id: ExecutionID, replays: Bool, _ makeWork: (Execution<Element>) -> Work<Element>
    ) -> Result<Execution<Element>, Refusal> {
        let execution = Execution(id: id, gate: self, results: replays ? .replayed(.createUnbounded()) : nil)
        let work = makeWork(execution)
        lock.lock()
        if let refusal {
            accept(.refused(refusal))
            return .failure(refusal)
        }
        execution.work = work
        current = execution
        accept(.begin(execution))
        return .success(execution)
    }

    /// With the lock held: why nothing may start now.
    private var refusal: Refusal? {
        if isReleased { return .released }
        switch condition {
        case .holds(true): break
        case .holds(false): return .condition(nil)
        case .failed(let error): return .condition(error)
        }
        if let current { return .executing([current.id]) }
        return nil
    }

    // MARK: - What work does

    func deliver(_ element: Element, of execution: Execution<Element>) {
        lock.lock()
        if case .ended = execution.phase { return lock.unlock() }
        accept(.element(execution, element))
    }

    /// The work has ended by itself.
    func end(_ execution: Execution<Element>, _ end: ExecutionEnd) {
        lock.lock()
        let outcome: ExecutionEnd
        switch execution.phase {
        case .executing: outcome = end
        case .cancelling(let reason): outcome = .cancelled(reason: reason)
        case .ended: return lock.unlock()
        }
        execution.phase = .ended(outcome)
        // Released when this returns, without the lock.
        let gone = (execution.takeWork(), execution.takeHandlers())
        leave(execution, outcome)
        withExtendedLifetime(gone) {}
    }

    /// An execution that was ended by a cancellation leaves.
    func conclude(_ execution: Execution<Element>, _ outcome: ExecutionEnd) {
        lock.lock()
        leave(execution, outcome)
    }

    /// With the lock held, which it releases.
    private func leave(_ execution: Execution<Element>, _ outcome: ExecutionEnd) {
        current = nil
        accept(.end(execution, outcome, enables: condition.isMet && !isReleased))
    }

    // MARK: - The condition

    func conditionChanged(to value: Bool) {
        lock.lock()
        let wasMet = condition.isMet
        condition = .holds(value)
        if isSampling || current != nil || wasMet == value || isReleased { return lock.unlock() }
        accept(.enabled(value))
    }

    func conditionFailed(_ error: any Error) {
        lock.lock()
        let disables = condition.isMet && current == nil && !isSampling
        condition = .failed(error)
        if isReleased { return lock.unlock() }
        accept(.conditionFailed(error, disables: disables))
    }

    /// What the condition says by now is the initial state, not a change.
    func conditionSampled() {
        lock.withLock {
            isSampling = false
            toldEnabled = condition.isMet
        }
    }

    // MARK: - State

    var isExecuting: Bool { lock.withLock { current != nil } }
    var isEnabled: Bool { lock.withLock { refusal == nil } }

    func listen() -> ActionStreams<Element> {
        lock.withLock {
            if let streams { return streams }
            let made = ActionStreams<Element>(executing: toldExecuting, enabled: toldEnabled)
            streams = made
            return made
        }
    }

    /// The action has gone: nothing starts any more, the streams complete, what is in flight goes on.
    func release() {
        lock.lock()
        isReleased = true
        accept(.released)
    }

    // MARK: - Delivery

    /// With the lock held, which it releases: queues `step`, or delivers it and what is queued meanwhile.
    private func accept(_ step: Step) {
        if isDelivering {
            steps.append(step)
            return lock.unlock()
        }
        isDelivering = true
        let audience = audience(of: step)
        lock.unlock()
        deliver(step, audience)
    }

    private func deliver(_ first: Step, _ firstAudience: Audience) {
        perform(first, firstAudience)
        var begun: Execution<Element>?
        var alsoBegun: [Execution<Element>] = []
        if case .begin(let execution) = first { begun = execution }
        while let (step, audience) = take() {
            perform(step, audience)
            if case .begin(let execution) = step {
                if begun == nil { begun = execution } else { alsoBegun.append(execution) }
            }
        }
        begun?.run()
        for execution in alsoBegun { execution.run() }
    }

    private func take() -> (Step, Audience)? {
        lock.lock()
        defer { lock.unlock() }
        if steps.isEmpty {
            isDelivering = false
            return nil
        }
        let step = steps.removeFirst()
        return (step, audience(of: step))
    }

    /// With the lock held: who hears of `step`, and the levels after it.
    private func audience(of step: Step) -> Audience {
        var results: Results<Element>?
        let streams = streams
        switch step {
        case .begin:
            toldExecuting = true
            toldEnabled = false
        case .element(let execution, _):
            results = execution.results
        case .end(let execution, _, let enables):
            toldExecuting = false
            toldEnabled = enables
            execution.isEndTold = true
            results = execution.results
        case .enabled(let value):
            toldEnabled = value
        case .conditionFailed(_, let disables):
            if disables { toldEnabled = false }
        case .refused:
            break
        case .released:
            self.streams = nil
        }
        return Audience(streams: streams, results: results)
    }

    private func perform(_ step: Step, _ audience: Audience) {
        let streams = audience.streams
        switch step {
        case .begin(let execution):
            tell(.started(execution), streams)
            tell(.executing(true), streams)
            tell(.enabled(false), streams)
        case .element(let execution, let element):
            audience.results?.element(element)
            tell(.element(execution, element), streams)
        case .end(let execution, let end, let enables):
            audience.results?.end(end)
            tell(.ended(execution, end), streams)
            tell(.executing(false), streams)
            if enables { tell(.enabled(true), streams) }
        case .refused(let refusal):
            tell(.refused(refusal), streams)
        case .enabled(let value):
            tell(.enabled(value), streams)
        case .conditionFailed(let error, let disables):
            tell(.conditionFailed(error), streams)
            if disables { tell(.enabled(false), streams) }
        case .released:
            streams?.complete()
        }
    }

    private func tell(_ transition: ActionTransition<Element>, _ streams: ActionStreams<Element>?) {
        onTransition?(transition)
        streams?.tell(transition)
    }
}

extension Execution {
    /// Makes and subscribes the work, unless the execution has ended already.
    fileprivate func run() {
        gate.lock.withLock { work }?.run()
    }
}
