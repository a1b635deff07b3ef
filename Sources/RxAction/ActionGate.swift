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
    /// Whether each input belongs to a group with an overlap of its own.
    @exclusivity(unchecked) private var isGrouped: Bool

    // The lock excludes overlapping accesses, so dynamic exclusivity checks are off.

    // Fails closed: without a value the condition counts as false.
    @exclusivity(unchecked) private var condition = GateCondition.holds(false)
    @exclusivity(unchecked) private var isSampling = true
    @exclusivity(unchecked) private var isReleased = false
    /// The executions without a group.
    private let ungrouped = ExecutionGroup(nil)
    /// The groups with executions, by their names.
    @exclusivity(unchecked) private var groups: [String: ExecutionGroup] = [:]
    /// The executions of all groups that are in flight.
    @exclusivity(unchecked) private var groupedInFlight = 0
    /// The brief execution in flight; see `beginBrief`.
    @exclusivity(unchecked) private var brief: ExecutionID?
    @exclusivity(unchecked) var delivery = Delivery()
    /// Changes whenever a step has a receiver more.
    let audienceVersion = Atomic(0)

    init(_ overlap: Overlap, isGrouped: Bool = false, _ listener: ActionListener?) {
        overlap.check()
        policy = overlap
        self.isGrouped = isGrouped
        self.listener = listener
    }

    var overlap: Overlap { lock.withLock { policy } }

    /// Changes the policy. Executions in flight or waiting stay, in their groups; if the new policy has more room,
    /// waiting ones begin.
    ///
    /// - Parameter grouped: whether inputs belong to groups from now on; nil for no change.
    func setOverlap(_ overlap: Overlap, grouped: Bool? = nil) {
        overlap.check()
        lock.lock()
        policy = overlap
        if let grouped { isGrouped = grouped }
        accept(beginAll() + [.levels])
    }

    // MARK: - Starting

    func start(_ execution: AnyExecution, in name: String? = nil) -> Admission {
        lock.lock()
        let group = group(name)
        guard accepts(in: group) else {
            let refusal = refusal(in: group)
            accept(.refused(refusal))
            return .refused(refusal)
        }
        guard occupied(in: group) >= policy.width else {
            begin(execution, in: group)
            accept(.begin(execution))
            return .accepted
        }
        switch policy {
        case .reject, .concurrent, .queue:
            wait(execution, in: group)
        case .latest:
            supersede(with: execution, in: group)
        case .join:
            if let joined = group.joinable {
                lock.unlock()
                return .joined(joined)
            }
            wait(execution, in: group)
        }
        return .accepted
    }

    func resume(_ execution: AnyExecution, in name: String? = nil) {
        lock.lock()
        let group = group(name)
        enter(execution, group)
        group.waiting.append(execution)
        accept(.queued(execution), then: beginNext(in: group))
    }

    /// Queues `execution`. Called with the lock held; releases it.
    private func wait(_ execution: AnyExecution, in group: ExecutionGroup) {
        enter(execution, group)
        group.waiting.append(execution)
        accept(.queued(execution))
    }

    /// Cancels everything before `execution` in its group. Called with the lock held; releases it. More than one
    /// execution may be in flight or waiting if the policy has changed.
    private func supersede(with execution: AnyExecution, in group: ExecutionGroup) {
        let reason = ExecutionSuperseded(by: execution.id)
        let superseded = Array(group.inFlight)
        let evicted = group.evictWaiting(.cancelled(reason: reason))
        enter(execution, group)
        group.waiting.append(execution)
        if evicted.steps.isEmpty {
            accept(.queued(execution))
        } else {
            accept([.queued(execution)] + evicted.steps)
        }
        withExtendedLifetime(evicted) {}
        for execution in superseded { cancel(execution, reason) }
    }

    /// Whether an input would be accepted now. Called with the lock held.
    private func accepts(in group: ExecutionGroup) -> Bool {
        accepts(in: group, with: occupied(in: group)) && !lacksPlace(for: group)
    }

    private func occupied(in group: ExecutionGroup) -> Int {
        brief == nil || group !== ungrouped ? group.inFlight.count : group.inFlight.count + 1
    }

    private func accepts(in group: ExecutionGroup, with inFlight: Int) -> Bool {
        guard condition.isMet, !isReleased else { return false }
        switch policy {
        case .reject, .concurrent: return inFlight < policy.width
        case .queue(let limit, let parallel): return inFlight < parallel || group.waiting.count < limit
        case .latest, .join: return true
        }
    }

    /// Why no input is accepted now. Called with the lock held.
    private func refusal(in group: ExecutionGroup) -> Refusal {
        if isReleased { return .released }
        switch condition {
        case .holds(true): break
        case .holds(false): return .condition(nil)
        case .failed(let error): return .condition(error)
        }
        if lacksPlace(for: group) { return .tooManyGroups(limit: ExecutionGroup.most) }
        if case .queue(let limit, _) = policy { return .queueFull(limit: limit) }
        let brief = group === ungrouped ? brief.map { [$0] } : nil
        return .executing((brief ?? []) + group.inFlight.map(\.id), limit: policy.width)
    }

    private func begin(_ execution: AnyExecution, in group: ExecutionGroup) {
        execution.phase = .executing
        enter(execution, group)
        group.inFlight.append(execution)
        if group.name != nil { groupedInFlight += 1 }
    }

    /// Moves the next waiting execution in flight if the policy and the condition allow it. Called with the lock held.
    private func beginNext(in group: ExecutionGroup) -> ActionStep? {
        guard !group.waiting.isEmpty, condition.isMet, !isReleased, occupied(in: group) < policy.width,
            let next = group.waiting.popFirst()
        else { return nil }
        begin(next, in: group)
        return .begin(next)
    }

    private func beginAll() -> [ActionStep] {
        var steps: [ActionStep] = []
        while let begin = beginNext(in: ungrouped) { steps.append(begin) }
        for name in groups.keys.sorted() {
            while let group = groups[name], let begin = beginNext(in: group) { steps.append(begin) }
        }
        return steps
    }

    // MARK: - Groups

    /// The group with this name, which `enter` adds if it is a new one. Called with the lock held.
    private func group(_ name: String?) -> ExecutionGroup {
        guard let name else { return ungrouped }
        return groups[name] ?? ExecutionGroup(name)
    }

    /// Whether `group` is a new one, and there are as many as there may be. Called with the lock held.
    private func lacksPlace(for group: ExecutionGroup) -> Bool {
        guard let name = group.name, groups.count >= ExecutionGroup.most else { return false }
        return groups[name] == nil
    }

    /// Called with the lock held.
    private func enter(_ execution: AnyExecution, _ group: ExecutionGroup) {
        guard let name = group.name, execution.group == nil else { return }
        execution.group = group
        groups[name] = group
    }

    /// Forgets a group without executions. Called with the lock held.
    private func leave(_ group: ExecutionGroup) {
        if let name = group.name, group.isIdle { groups[name] = nil }
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
            guard occupied(in: ungrouped) == 0, ungrouped.waiting.isEmpty, groups.isEmpty, !isGrouped,
                accepts(in: ungrouped), !delivery.isUnderWay, delivery.streams == nil
            else {
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
        guard !ungrouped.waiting.isEmpty else { return lock.unlock() }
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
            let group = execution.group ?? ungrouped
            group.waiting.remove(execution)
            leave(group)
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
        let group = execution.group ?? ungrouped
        group.inFlight.remove(execution)
        if group.name != nil { groupedInFlight -= 1 }
        let next = beginNext(in: group)
        leave(group)
        accept(.end(execution, end), then: next)
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
            delivery.sent = levels
        }
    }

    // MARK: - State

    /// The observable levels, without a brief execution. Called with the lock held.
    var levels: Levels {
        Levels(
            executing: !ungrouped.inFlight.isEmpty || groupedInFlight > 0,
            enabled: isEnabled(with: ungrouped.inFlight.count))
    }

    var isExecuting: Bool { lock.withLock { occupied(in: ungrouped) + groupedInFlight > 0 } }
    var isEnabled: Bool { lock.withLock { isEnabled(with: occupied(in: ungrouped)) } }

    /// An action with groups is enabled if an idle group would accept an input. Called with the lock held.
    private func isEnabled(with inFlight: Int) -> Bool {
        isGrouped ? condition.isMet && !isReleased : accepts(in: ungrouped, with: inFlight)
    }

    /// What `start` would do with an input of a group now; nil if it would start at once.
    func outlook(in name: String? = nil) -> Admission? {
        lock.withLock {
            let group = group(name)
            guard accepts(in: group) else { return .refused(refusal(in: group)) }
            guard occupied(in: group) >= policy.width else { return nil }
            if policy == .join, let joined = group.joinable { return .joined(joined) }
            return .accepted
        }
    }

    /// Handles the release of the action: nothing more starts, waiting executions are canceled, the streams complete,
    /// and executions in flight go on.
    func release() {
        lock.lock()
        isReleased = true
        let groups = [ungrouped] + groups.keys.sorted().compactMap { self.groups[$0] }
        let abandoned = groups.map { $0.evictWaiting(.cancelled(reason: Refusal.released)) }
        for group in groups { leave(group) }
        accept(abandoned.flatMap(\.steps) + [.released])
        withExtendedLifetime(abandoned) {}
    }
}
