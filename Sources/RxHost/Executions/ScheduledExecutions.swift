internal import Rx
internal import RxAction
internal import RxJSON
internal import RxPlatform
internal import RxRecords

/// The executions that wait for a time, or for the ends of other executions.
///
/// They count as in flight, and are `queued`, but their action does not know of them. Those with a time are durable
/// inputs, on the disk before they are accepted; the others are as durable as their action. When nothing is left to
/// wait for, an execution comes to the gate like an input that an earlier host has accepted, so it is started exactly
/// once, as soon as its action may start it, under the definition of that moment.
final class ScheduledExecutions: Sendable {
    /// The most that wait: each takes a kilobyte and its input.
    static let most = 10_000
    /// The most of one user, so that nobody takes all places: a year of days, twice.
    static let perUser = 1_000
    /// The most ends that one execution waits for: a queue that is longer than most.
    static let awaitedByOne = 1_000
    /// About the most ends that all of them wait for: each takes some 200 bytes.
    static let awaited = 100_000

    enum Admission {
        case waits
        /// Nothing has to be waited for.
        case needNotWait
        case refused(ExecutionRefusal)
    }

    private let keys: ExecutionKeys
    private let state: Locked<WaitingExecutions>
    /// Starts what has waited for an end: in the order of the ends, and not within the end of another execution.
    private let queue: WorkQueue

    init(_ keys: ExecutionKeys, _ platform: Platform) {
        self.keys = keys
        state = Locked(WaitingExecutions(owner: platform.disk.user()))
        queue = platform.queues.serial("rxd.scheduled")
    }

    /// The clock; nil for a host that has none, and starts nothing at a time.
    var times: (any StartTimes)? {
        get { state.withLock { $0.times } }
        set {
            let dated = state.withLock { state in
                state.times = newValue
                return state.dated
            }
            for (execution, dueAt) in dated { setAlarm(execution, dueAt) }
        }
    }

    /// How many wait.
    var count: Int { state.withLock { $0.count } }

    /// The next time of each action that has one.
    var nextTimes: [String: Int64] {
        Dictionary(state.withLock { $0.dated }.map { ($0.0.action.name, $0.1) }, uniquingKeysWith: min)
    }

    /// The executions of an action that wait for a time, by their times.
    func dated(of action: HostedAction) -> [(execution: HostedExecution, dueAt: Int64)] {
        state.withLock { $0.dated }.filter { $0.0.action === action }
            .map { ($0.0, $0.1) }.sorted { ($0.1, $0.0.id) < ($1.1, $1.0.id) }
    }

    /// The ends that an execution still waits for; nil if there are none.
    func awaited(by execution: HostedExecution) -> AwaitedEnds? { state.withLock { $0.awaited(by: execution) } }

    // MARK: Waiting

    /// - Parameters:
    ///   - dueAt: the time to wait for, in milliseconds since 1970; nil for none.
    ///   - after: the executions whose ends to wait for; nil for none.
    func accept(_ execution: HostedExecution, _ dueAt: Int64?, _ after: ExecutionRequest.After?) -> Admission {
        let entry = WaitingExecutions.Entry(execution, dueAt, ifCompleted: after?.ifCompleted ?? false)
        if let refusal = state.withLock({ $0.admit(entry, awaits: after != nil) }) { return .refused(refusal) }
        let action = execution.action
        let (admission, awaited) = action.log.update { state -> (Admission, [AwaitedExecution]) in
            let awaited = after?.executions(state) ?? []
            guard awaited.count <= Self.awaitedByOne else {
                return (.refused(.tooManyAwaited(limit: Self.awaitedByOne)), [])
            }
            if awaited.isEmpty, dueAt == nil {
                execution.forgoAppointment()
                return (.needNotWait, [])
            }
            if let refusal = state.accept(execution) { return (.refused(refusal), []) }
            state.publish(.execution(execution.record), of: action, execution: execution, at: action.services.time)
            return (.waits, awaited)
        }
        guard case .waits = admission else {
            _ = state.withLock { $0.remove(execution) }
            return admission
        }
        execution.storeScheduled(
            after: awaited.isEmpty ? nil : AwaitedEnds(awaited.map(\.id), ifCompleted: entry.ifCompleted))
        wait(execution, for: awaited)
        if let dueAt { setAlarm(execution, dueAt) }
        if state.withLock({ $0.isReady(execution) }) { startSoon(execution) }
        return .waits
    }

    /// Takes over an execution that an earlier host has accepted, beyond the limits if it has to be. It starts nothing
    /// before `goOn(with:)`.
    func resume(_ execution: HostedExecution, _ dueAt: Int64?, _ awaited: [AwaitedExecution], ifCompleted: Bool) {
        state.withLock { $0.add(WaitingExecutions.Entry(execution, dueAt, ifCompleted: ifCompleted)) }
        execution.action.log.resume(execution)
        wait(execution, for: awaited)
    }

    /// Starts a resumed execution if there is nothing left to wait for.
    func goOn(with execution: HostedExecution) {
        guard let dueAt = execution.record.dueAt else { return start(execution) }
        if dueAt <= execution.action.services.time { due(execution) } else { setAlarm(execution, dueAt) }
    }

    private func wait(_ execution: HostedExecution, for awaited: [AwaitedExecution]) {
        state.withLock { $0.wait(execution, for: awaited) }
        let observations = awaited.compactMap { other in
            other.execution?.observeEnd { [weak self, weak execution, weak observed = other.execution] error in
                guard let self, let execution else { return }
                // One that was not accepted after all was never to be waited for.
                let error = observed?.wasDismissed == true ? nil : error
                if state.withLock({ $0.ended(other.id, error, for: execution) }) { startSoon(execution) }
            }
        }
        let superfluous = state.withLock { $0.keep(observations, of: execution) }
        for observation in superfluous { observation.dispose() }
    }

    private func setAlarm(_ execution: HostedExecution, _ dueAt: Int64) {
        guard let times else { return }
        let alarm = times.schedule(at: dueAt) { [weak self, weak execution] in
            if let execution { self?.due(execution) }
        }
        for superfluous in state.withLock({ $0.keep([alarm], of: execution) }) { superfluous.dispose() }
    }

    // MARK: The end of the wait

    /// Its time has come.
    private func due(_ execution: HostedExecution) {
        state.withLock { $0.due(execution) }
        start(execution)
    }

    private func startSoon(_ execution: HostedExecution) {
        queue.async { [self] in start(execution) }
    }

    /// Starts it if there is nothing left to wait for.
    private func start(_ execution: HostedExecution) {
        guard let entry = state.withLock({ $0.isReady(execution) ? $0.remove(execution) : nil }) else { return }
        entry.dispose()
        let action = execution.action
        let isConfigured = action.log.update { _ -> Bool? in
            let wasCounted = execution.isCounted
            guard execution.keepAppointment() else { return nil }
            if !wasCounted { action.levels.accept() }
            return !action.feed.isRemoved
        }
        guard let isConfigured else { return }
        if let failure = entry.failure ?? failure(of: execution, isConfigured: isConfigured) {
            return end(execution, .failed(failure))
        }
        action.resume(execution)
    }

    /// Why it cannot start although its input was accepted.
    private func failure(of execution: HostedExecution, isConfigured: Bool) -> WorkFailure? {
        guard isConfigured else {
            return WorkFailure(
                message: "the action is no longer configured", facts: ["cause": "notConfigured"], mayPass: false)
        }
        let (definition, input) = execution.action.log.read { _ in (execution.definition.value, execution.input) }
        guard let fault = definition.validate(input).first else { return nil }
        return WorkFailure(
            message: "the action has changed, and refuses the input: \(fault.path) \(fault.message)",
            facts: ["cause": "refused"], mayPass: false)
    }

    /// It was canceled, or the host stops; the next one takes it over then.
    func withdraw(_ execution: HostedExecution, _ reason: any Error) {
        state.withLock { $0.remove(execution) }?.dispose()
        end(execution, .cancelled(reason: reason))
    }

    private func end(_ execution: HostedExecution, _ end: ExecutionEnd) {
        let action = execution.action
        TransitionHandler(action: action, keys: keys).ended(execution.id, end, at: action.services.time)
    }
}
