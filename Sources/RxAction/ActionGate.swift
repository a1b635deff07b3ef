internal import Glibc
internal import Rx

/// The state of an action and the order of what it does.
///
/// Every change is decided under the lock and queued there as a step. Whoever finds no delivery under way delivers, outside
/// of the lock; others, on another thread or deeper in the same one, leave their step to that one. Work is subscribed
/// after the steps that announce it were delivered, and when no delivery is under way on this thread, so that the elements
/// of synchronous work are delivered as they come.
///
/// Not generic, on purpose: the classes that know the element type call in and are called back. Generic code that is not
/// specialised pays for looking up every type it builds, and this is the daemon's hottest path.
final class ActionGate: @unchecked Sendable {
    // Unchecked: what changes is guarded by `lock`.

    let lock = Lock()
    private let listener: ActionListener?

    // The lock keeps accesses from overlapping: hence no dynamic checks of that.

    // Fails closed: no value of the condition is as good as false.
    @exclusivity(unchecked) private var condition = ActionCondition.holds(false)
    @exclusivity(unchecked) private var isSampling = true
    @exclusivity(unchecked) private var isReleased = false
    @exclusivity(unchecked) private var current: AnyExecution?

    @exclusivity(unchecked) private var steps: [ActionStep] = []
    @exclusivity(unchecked) private var isDelivering = false
    /// The thread that last began to run work and has not returned from it, and what is left to it.
    @exclusivity(unchecked) private var runner: pthread_t?
    @exclusivity(unchecked) private var begun: [AnyExecution] = []
    @exclusivity(unchecked) private var streams: ActionListener?
    /// The levels as of the last step taken from the queue.
    @exclusivity(unchecked) private var toldExecuting = false
    @exclusivity(unchecked) private var toldEnabled = false

    init(_ listener: ActionListener?) {
        self.listener = listener
    }

    // MARK: - Starting

    /// Starts `execution`, or says why not.
    func start(_ execution: AnyExecution) -> Refusal? {
        lock.lock()
        if let refusal {
            accept(.refused(refusal))
            return refusal
        }
        current = execution
        accept(.begin(execution))
        return nil
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

    // MARK: - Elements

    enum Admission {
        /// The execution has ended: the element is dropped.
        case ended
        /// A delivery is under way: the element is to be queued.
        case busy
        /// The caller delivers the element, then calls `leave()`.
        case granted(Audience)
    }

    func admit(_ execution: AnyExecution) -> Admission {
        lock.lock()
        defer { lock.unlock() }
        if case .ended = execution.phase { return .ended }
        if isDelivering { return .busy }
        isDelivering = true
        return .granted(Audience(listener: listener, streams: streams, results: execution.results))
    }

    func queue(_ element: AnyElementStep) {
        lock.lock()
        if case .ended = element.execution.phase { return lock.unlock() }
        accept(.element(element))
    }

    // MARK: - Ends

    /// The work has ended by itself.
    func end(_ execution: AnyExecution, _ end: ExecutionEnd) {
        lock.lock()
        let outcome: ExecutionEnd
        switch execution.phase {
        case .executing: outcome = end
        case .cancelling(let reason): outcome = .cancelled(reason: reason)
        case .ended: return lock.unlock()
        }
        execution.phase = .ended(outcome)
        let means = execution.takeMeans()
        current = nil
        accept(.end(execution, outcome, enables: condition.isMet && !isReleased))
        withExtendedLifetime(means) {}
    }

    func cancel(_ execution: AnyExecution, _ reason: any Error) {
        lock.lock()
        switch execution.phase {
        case .cancelling, .ended:
            lock.unlock()
        case .executing where execution.means.handlers.isEmpty:
            // It stays `current` until its work is disposed: nothing else may start before.
            execution.phase = .ended(.cancelled(reason: reason))
            let means = execution.takeMeans()
            lock.unlock()
            means.work?.dispose()
            lock.lock()
            current = nil
            accept(.end(execution, .cancelled(reason: reason), enables: condition.isMet && !isReleased))
        case .executing:
            execution.phase = .cancelling(reason: reason)
            let handlers = execution.means.handlers
            execution.means.handlers = []
            lock.unlock()
            for handler in handlers { handler(reason) }
        }
    }

    func isCancelled(_ execution: AnyExecution) -> Bool {
        lock.withLock { execution.phase.cancellation != nil }
    }

    func onCancel(_ execution: AnyExecution, _ handler: @escaping @Sendable (any Error) -> Void) {
        lock.lock()
        if case .executing = execution.phase { execution.means.handlers.append(handler) }
        let reason = execution.phase.cancellation
        lock.unlock()
        if let reason { handler(reason) }
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

    /// The streams, made with the present levels when first asked for. `make` runs under the lock and only allocates.
    func streams(_ make: (_ executing: Bool, _ enabled: Bool) -> ActionListener) -> ActionListener {
        lock.withLock {
            if let streams { return streams }
            let made = make(toldExecuting, toldEnabled)
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
    private func accept(_ step: ActionStep) {
        if isDelivering {
            steps.append(step)
            return lock.unlock()
        }
        isDelivering = true
        let audience = audience(of: step)
        lock.unlock()
        perform(step, audience)
        if case .begin(let execution) = step { leave(after: execution) } else { leave() }
    }

    /// Delivers what was queued meanwhile, ends the delivery, then runs the work that has begun in it.
    func leave(after begun: AnyExecution? = nil) {
        lock.lock()
        if steps.isEmpty {
            isDelivering = false
            lock.unlock()
            if let begun { run(begun) }
        } else {
            lock.unlock()
            deliverQueued(after: begun)
        }
    }

    private func deliverQueued(after first: AnyExecution?) {
        var begun = first.map { [$0] } ?? []
        while let (step, audience) = take() {
            perform(step, audience)
            if case .begin(let execution) = step { begun.append(execution) }
        }
        for execution in begun { run(execution) }
    }

    /// Runs the work, and then what has begun on this thread meanwhile: executions that each start the next one at their
    /// end follow each other here instead of one inside the other.
    private func run(_ execution: AnyExecution) {
        let thread = pthread_self()
        lock.lock()
        if runner == thread {
            begun.append(execution)
            return lock.unlock()
        }
        runner = thread
        var work = execution.means.work
        lock.unlock()
        while true {
            work?.run()
            lock.lock()
            if begun.isEmpty {
                if runner == thread { runner = nil }
                return lock.unlock()
            }
            work = begun.removeFirst().means.work
            lock.unlock()
        }
    }

    private func take() -> (ActionStep, Audience)? {
        lock.lock()
        defer { lock.unlock() }
        if steps.isEmpty {
            isDelivering = false
            return nil
        }
        let step = steps.removeFirst()
        return (step, audience(of: step))
    }

    /// With the lock held: who hears of `step`; and brings the levels up to it.
    private func audience(of step: ActionStep) -> Audience {
        var results: AnyResults?
        let streams = streams
        switch step {
        case .begin:
            toldExecuting = true
            toldEnabled = false
        case .element(let element):
            results = element.execution.results
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
        return Audience(listener: listener, streams: streams, results: results)
    }

    private func perform(_ step: ActionStep, _ audience: Audience) {
        switch step {
        case .begin(let execution):
            audience.forEach { $0.began(execution) }
        case .element(let element):
            element.tell(audience)
        case .end(let execution, let end, let enables):
            audience.results?.end(end)
            audience.forEach { $0.ended(execution, end, enables: enables) }
        case .refused(let refusal):
            audience.forEach { $0.refused(refusal) }
        case .enabled(let value):
            audience.forEach { $0.enabled(value) }
        case .conditionFailed(let error, let disables):
            audience.forEach { $0.conditionFailed(error, disables: disables) }
        case .released:
            audience.forEach { $0.released() }
        }
    }
}

extension AnyExecution {
    /// With the lock of the gate held.
    fileprivate func takeMeans() -> Means {
        defer { means = Means() }
        return means
    }
}
