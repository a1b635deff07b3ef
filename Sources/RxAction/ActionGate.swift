internal import Rx

/// The state of an action and what its inputs may do: every decision is taken here, under the lock.
///
/// A decision is queued as a step; see the other half of this type, which tells the steps and runs the work.
///
/// Not generic, on purpose: the classes that know the element type call in and are called back. Generic code that is not
/// specialised pays for looking up every type it builds, and this is the daemon's hottest path.
final class ActionGate: @unchecked Sendable {
    // Unchecked: what changes is guarded by `lock`.

    /// What became of an input.
    enum Admission {
        case accepted
        /// It takes part in this execution instead of its own.
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

    // The lock keeps accesses from overlapping: hence no dynamic checks of that.

    // Fails closed: no value of the condition is as good as false.
    @exclusivity(unchecked) private var condition = ReactorCondition.holds(false)
    @exclusivity(unchecked) private var isSampling = true
    @exclusivity(unchecked) private var isReleased = false
    /// A cancelled execution stays until its work is gone.
    @exclusivity(unchecked) private var inFlight = ExecutionList()
    /// Empty unless as many are in flight as may be, or the condition does not hold.
    @exclusivity(unchecked) private var waiting = ExecutionList()
    /// In flight too, see `beginBrief`.
    @exclusivity(unchecked) private var brief: ExecutionID?
    @exclusivity(unchecked) var delivery = Delivery()

    init(_ overlap: Overlap, _ listener: ActionListener?) {
        overlap.check()
        policy = overlap
        self.listener = listener
    }

    var overlap: Overlap { lock.withLock { policy } }

    /// What is in flight or waits stays so; with more room, what waits begins.
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

    /// With the lock held, which it releases.
    private func wait(_ execution: AnyExecution) {
        waiting.append(execution)
        accept(.queued(execution))
    }

    /// With the lock held, which it releases. More than one can be in flight or wait if the overlap was another before.
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

    /// With the lock held, after whose release the means are released.
    private func evictWaiting(_ end: ExecutionEnd) -> (steps: [ActionStep], means: [AnyExecution.Means]) {
        if waiting.isEmpty { return ([], []) }
        let evicted = waiting.removeAll()
        for execution in evicted { execution.phase = .ended(end) }
        return (evicted.map { .end($0, end) }, evicted.map { $0.takeMeans() })
    }

    /// With the lock held: whether an input would be taken now.
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

    /// With the lock held: why no input is taken now.
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

    /// With the lock held: the next that waits is in flight from now on, if it may be.
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

    /// Begins an execution whose work is over when the caller says so in a moment, on this very thread, and of which nobody
    /// is told anything. It is in flight like any other: what is refused meanwhile is refused because of it.
    ///
    /// - Parameter note: called if it has begun, with the lock held: what is to be known of it, and nothing else.
    /// - Returns: whether it has begun; if not, because an input would not start at once now or somebody is to be told,
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

    /// With the lock held.
    func isBrief(_ id: ExecutionID) -> Bool { brief == id }

    /// The end of what `beginBrief` has begun.
    func endBrief() {
        lock.lock()
        brief = nil
        guard !waiting.isEmpty else { return lock.unlock() }
        accept(beginAll())
    }

    // MARK: - Ends

    /// The work has ended by itself.
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
            // The first reason stays; the work may hear of a more urgent one.
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
            // It stays in flight until its work is disposed: nothing may take its place before.
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

    /// With the lock held, which it releases.
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

    /// What the condition says by now is the initial state, not a change.
    func conditionSampled() {
        lock.withLock {
            isSampling = false
            delivery.decided = levels
            delivery.told = levels
        }
    }

    // MARK: - State

    /// With the lock held: what is told, so without a brief execution.
    var levels: Levels { Levels(executing: !inFlight.isEmpty, enabled: accepts(with: inFlight.count)) }

    var isExecuting: Bool { lock.withLock { occupied > 0 } }
    var isEnabled: Bool { lock.withLock { accepts } }

    /// What `start` would do now with an input; nil: it would be in flight at once.
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

    /// The action has gone: nothing starts any more, what waits is cancelled, the streams complete, what is in flight
    /// goes on.
    func release() {
        lock.lock()
        isReleased = true
        let abandoned = evictWaiting(.cancelled(reason: Refusal.released))
        accept(abandoned.steps + [.released])
        withExtendedLifetime(abandoned) {}
    }
}

extension AnyExecution {
    /// With the lock of the gate held.
    fileprivate func takeMeans() -> Means {
        defer { means = Means() }
        return means
    }
}
