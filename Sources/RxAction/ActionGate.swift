internal import Rx
internal import Synchronization

/// The state machine of an action. Makes every decision about an input under its lock.
///
/// Queues each decision as a step; `ActionGate+Delivery.swift` delivers the steps and runs the work.
///
/// Not generic on purpose. Unspecialized generic code looks up every type that it builds, and this is the daemon's
/// hottest path. Classes that know the element type call in and are called back.
final class ActionGate: @unchecked Sendable {
    // Unchecked: `lock` guards all mutable state.

    /// The result of offering an input.
    enum Admission {
        case accepted
        /// The input joins this execution.
        case joined(AnyExecution)
        case refused(Refusal)
    }

    struct Levels: Equatable {
        var executing = false
        var enabled = false
    }

    let lock = Lock()
    let listener: ActionListener?
    @exclusivity(unchecked) private var policy: Overlap

    // The lock excludes overlapping accesses, so dynamic exclusivity checks are off.

    // Fails closed: without a value the condition counts as false.
    @exclusivity(unchecked) private var condition = ReactorCondition.holds(false)
    @exclusivity(unchecked) private var isSampling = true
    @exclusivity(unchecked) private var isReleased = false
    /// The executions in flight. A canceled one stays until its work is gone.
    @exclusivity(unchecked) private var inFlight = ExecutionList()
    /// Non-empty only while the width is used up or the condition is false.
    @exclusivity(unchecked) private var waiting = ExecutionList()
    /// The brief execution in flight; see `beginBrief`.
    @exclusivity(unchecked) private var brief: ExecutionID?
    @exclusivity(unchecked) var delivery = Delivery()
    /// Changes whenever a step has a receiver more.
    let audienceVersion = Atomic(0)

    init(_ overlap: Overlap, _ listener: ActionListener?) {
        overlap.check()
        policy = overlap
        self.listener = listener
    }

    var overlap: Overlap { lock.withLock { policy } }

    /// Changes the policy. Executions in flight or waiting stay; if the new policy has more room, waiting ones begin.
    func setOverlap(_ overlap: Overlap) {
        overlap.check()
        lock.lock()
        policy = overlap
        accept(beginAll() + [.levels])
    }

    // MARK: - Starting

    func start(_ execution: AnyExecution) -> Admission {
        lock.lock()
        guard accepts else {
            let refusal = refusal
            accept(.refused(refusal))
            return .refused(refusal)
        }
        guard occupied >= policy.width else {
            begin(execution)
            accept(.begin(execution))
            return .accepted
        }
        switch policy {
        case .reject, .concurrent, .queue:
            wait(execution)
        case .latest:
            supersede(with: execution)
        case .join:
            if let joined = waiting.first ?? inFlight.first(where: \.isExecuting) {
                lock.unlock()
                return .joined(joined)
            }
            wait(execution)
        }
        return .accepted
    }

    func resume(_ execution: AnyExecution) {
        lock.lock()
        waiting.append(execution)
        accept(.queued(execution), then: beginNext())
    }

    /// Queues `execution`. Called with the lock held; releases it.
    private func wait(_ execution: AnyExecution) {
        waiting.append(execution)
        accept(.queued(execution))
    }

    /// Cancels everything before `execution`. Called with the lock held; releases it. More than one execution may be in
    /// flight or waiting if the policy has changed.
    private func supersede(with execution: AnyExecution) {
        let reason = ExecutionSuperseded(by: execution.id)
        let superseded = Array(inFlight)
        let evicted = evictWaiting(.cancelled(reason: reason))
        waiting.append(execution)
        if evicted.steps.isEmpty {
            accept(.queued(execution))
        } else {
            accept([.queued(execution)] + evicted.steps)
        }
        withExtendedLifetime(evicted) {}
        for execution in superseded { cancel(execution, reason) }
    }

    /// Ends all waiting executions. Called with the lock held. The caller releases the returned means after the lock.
    private func evictWaiting(_ end: ExecutionEnd) -> (steps: [ActionStep], means: [AnyExecution.Means]) {
        if waiting.isEmpty { return ([], []) }
        let evicted = waiting.removeAll()
        for execution in evicted { execution.phase = .ended(end) }
        return (evicted.map { .end($0, end) }, evicted.map { $0.takeMeans() })
    }

    /// Whether an input would be accepted now. Called with the lock held.
    private var accepts: Bool { accepts(with: occupied) }

    private var occupied: Int { brief == nil ? inFlight.count : inFlight.count + 1 }

    private func accepts(with inFlight: Int) -> Bool {
        guard condition.isMet, !isReleased else { return false }
        switch policy {
        case .reject, .concurrent: return inFlight < policy.width
        case .queue(let limit): return inFlight == 0 || waiting.count < limit
        case .latest, .join: return true
        }
    }

    /// Why no input is accepted now. Called with the lock held.
    private var refusal: Refusal {
        if isReleased { return .released }
        switch condition {
        case .holds(true): break
        case .holds(false): return .condition(nil)
        case .failed(let error): return .condition(error)
        }
        if case .queue(let limit) = policy { return .queueFull(limit: limit) }
        return .executing((brief.map { [$0] } ?? []) + inFlight.map(\.id))
    }

    private func begin(_ execution: AnyExecution) {
        execution.phase = .executing
        inFlight.append(execution)
    }

    /// Moves the next waiting execution in flight if the policy and the condition allow it. Called with the lock held.
    private func beginNext() -> ActionStep? {
        guard !waiting.isEmpty, condition.isMet, !isReleased, occupied < policy.width,
            let next = waiting.popFirst()
        else { return nil }
        begin(next)
        return .begin(next)
    }

    private func beginAll() -> [ActionStep] {
        var steps: [ActionStep] = []
        while let begin = beginNext() { steps.append(begin) }
        return steps
    }

    // MARK: - Brief executions

    /// Begins an unobserved execution that the caller ends with `endBrief` shortly, on this thread. It is in flight
    /// like any other, so other inputs can be refused because of it.
    ///
    /// - Parameter note: called with the lock held if the execution has begun; it may only record that fact.
    /// - Returns: whether it has begun. If false, because an input would not start at once or someone is listening,
    ///   nothing has happened.
    func beginBrief(_ id: ExecutionID, _ note: () -> Void) -> Bool {
        lock.withLock {
            guard occupied == 0, waiting.isEmpty, accepts, !delivery.isUnderWay, delivery.streams == nil else {
                return false
            }
            brief = id
            note()
            return true
        }
    }

    /// Whether `id` is the brief execution in flight. Called with the lock held.
    func isBrief(_ id: ExecutionID) -> Bool { brief == id }

    /// Ends the execution that `beginBrief` began.
    func endBrief() {
        lock.lock()
        brief = nil
        guard !waiting.isEmpty else { return lock.unlock() }
        accept(beginAll())
    }

    // MARK: - Ends

    /// Ends `execution` because its work has ended by itself.
    func end(_ execution: AnyExecution, _ end: ExecutionEnd) {
        lock.lock()
        let outcome: ExecutionEnd
        switch execution.phase {
        case .executing: outcome = end
        case .cancelling(let reason): outcome = .cancelled(reason: reason)
        case .queued, .ended: return lock.unlock()
        }
        execution.phase = .ended(outcome)
        let means = execution.takeMeans()
        leaveFlight(execution, outcome)
        withExtendedLifetime(means) {}
    }

    func cancel(_ execution: AnyExecution, _ reason: any Error) {
        lock.lock()
        switch execution.phase {
        case .ended:
            lock.unlock()
        case .cancelling:
            // The first reason is kept; handlers are also called with later, more urgent ones.
            let handlers = execution.means.handlers
            lock.unlock()
            for handler in handlers { handler.call(reason) }
        case .queued:
            execution.phase = .ended(.cancelled(reason: reason))
            let means = execution.takeMeans()
            waiting.remove(execution)
            accept(.end(execution, .cancelled(reason: reason)))
            withExtendedLifetime(means) {}
        case .executing where execution.means.handlers.isEmpty:
            // It stays in flight until its work is disposed, so that nothing replaces it earlier.
            execution.phase = .ended(.cancelled(reason: reason))
            let means = execution.takeMeans()
            lock.unlock()
            means.work?.dispose()
            lock.lock()
            leaveFlight(execution, .cancelled(reason: reason))
        case .executing:
            execution.phase = .cancelling(reason: reason)
            let handlers = execution.means.handlers
            lock.unlock()
            for handler in handlers { handler.call(reason) }
        }
    }

    /// Removes an ended execution from flight and begins the next one. Called with the lock held; releases it.
    private func leaveFlight(_ execution: AnyExecution, _ end: ExecutionEnd) {
        inFlight.remove(execution)
        accept(.end(execution, end), then: beginNext())
    }

    func isCancelled(_ execution: AnyExecution) -> Bool {
        lock.withLock { execution.phase.cancellation != nil }
    }

    func onCancel(_ execution: AnyExecution, _ handler: CancelHandler) {
        lock.lock()
        switch execution.phase {
        case .executing, .cancelling: execution.means.handlers.append(handler)
        case .queued, .ended: break
        }
        let reason = execution.phase.cancellation
        lock.unlock()
        if let reason { handler.call(reason) }
    }

    func remove(_ handler: CancelHandler, of execution: AnyExecution) {
        lock.withLock { execution.means.handlers.removeAll { $0 === handler } }
    }

    // MARK: - The condition

    func conditionChanged(to value: Bool) {
        lock.lock()
        condition = .holds(value)
        guard !isSampling, !isReleased else { return lock.unlock() }
        let begins = beginAll()
        if !begins.isEmpty {
            accept(begins)
        } else if levels != delivery.decided {
            accept(.levels)
        } else {
            lock.unlock()
        }
    }

    func conditionFailed(_ error: any Error) {
        lock.lock()
        condition = .failed(error)
        if isReleased { return lock.unlock() }
        accept(.conditionFailed(error))
    }

    /// Marks the end of the initial sampling: the condition's value so far is the initial state, not a change.
    func conditionSampled() {
        lock.withLock {
            isSampling = false
            delivery.decided = levels
            delivery.told = levels
        }
    }

    // MARK: - State

    /// The observable levels, without a brief execution. Called with the lock held.
    var levels: Levels { Levels(executing: !inFlight.isEmpty, enabled: accepts(with: inFlight.count)) }

    var isExecuting: Bool { lock.withLock { occupied > 0 } }
    var isEnabled: Bool { lock.withLock { accepts } }

    /// What `start` would do with an input now; nil if it would start at once.
    func outlook() -> Admission? {
        lock.withLock {
            guard accepts else { return .refused(refusal) }
            guard occupied >= policy.width else { return nil }
            if policy == .join, let joined = waiting.first ?? inFlight.first(where: \.isExecuting) {
                return .joined(joined)
            }
            return .accepted
        }
    }

    /// Handles the release of the action: nothing more starts, waiting executions are canceled, the streams complete,
    /// and executions in flight go on.
    func release() {
        lock.lock()
        isReleased = true
        let abandoned = evictWaiting(.cancelled(reason: Refusal.released))
        accept(abandoned.steps + [.released])
        withExtendedLifetime(abandoned) {}
    }
}

extension AnyExecution {
    /// Takes the means out of the execution. Called with the gate's lock held.
    fileprivate func takeMeans() -> Means {
        defer { means = Means() }
        return means
    }
}
