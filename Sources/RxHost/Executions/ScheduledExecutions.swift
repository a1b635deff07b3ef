internal import Rx
internal import RxAction
internal import RxJSON
internal import RxRecords

/// The executions that wait for a time.
///
/// They are durable inputs: on the disk before they are accepted, counted as in flight, and `queued`, but their action
/// does not know of them. At its time an execution comes to the gate like an input that an earlier host has accepted,
/// so it is started exactly once, as soon as its action may start it, under the definition of that moment.
final class ScheduledExecutions: Sendable {
    /// The most that wait: each takes a kilobyte and its input.
    static let most = 10_000
    /// The most of one user, so that nobody takes all places: a year of days, twice.
    static let perUser = 1_000

    private struct Entry {
        let execution: HostedExecution
        let dueAt: Int64
        var alarm: (any Disposable)?
    }

    private struct State {
        var times: (any StartTimes)?
        var entries: [ExecutionID: Entry] = [:]
        var counts: [UInt32: Int] = [:]

        mutating func add(_ execution: HostedExecution, _ dueAt: Int64) {
            entries[execution.id] = Entry(execution: execution, dueAt: dueAt)
            if let uid = execution.causes.by.uid { counts[uid, default: 0] += 1 }
        }

        /// - Returns: nil if it does not wait any more.
        mutating func remove(_ execution: HostedExecution) -> Entry? {
            guard let entry = entries.removeValue(forKey: execution.id) else { return nil }
            if let uid = execution.causes.by.uid, let count = counts[uid] { counts[uid] = count == 1 ? nil : count - 1 }
            return entry
        }
    }

    private let keys: ExecutionKeys
    private let state = Locked(State())

    init(_ keys: ExecutionKeys) { self.keys = keys }

    /// The clock; nil for a host that has none, and starts nothing at a time.
    var times: (any StartTimes)? {
        get { state.withLock { $0.times } }
        set {
            let waiting = state.withLock { state in
                state.times = newValue
                return Array(state.entries.values)
            }
            for entry in waiting { setAlarm(entry.execution, entry.dueAt) }
        }
    }

    /// The next time of each action that has one.
    var nextTimes: [String: Int64] {
        state.withLock { state in
            Dictionary(state.entries.values.map { ($0.execution.action.name, $0.dueAt) }, uniquingKeysWith: min)
        }
    }

    /// The executions of an action that wait, by their times.
    func all(of action: HostedAction) -> [(execution: HostedExecution, dueAt: Int64)] {
        let entries = state.withLock { state in state.entries.values.filter { $0.execution.action === action } }
        return entries.map { ($0.execution, $0.dueAt) }.sorted { ($0.1, $0.0.id) < ($1.1, $1.0.id) }
    }

    // MARK: Waiting

    /// - Returns: why the execution is refused; nil if it waits for its time.
    func accept(_ execution: HostedExecution, _ dueAt: Int64) -> ExecutionRefusal? {
        let refusal = state.withLock { state -> ExecutionRefusal? in
            guard state.times != nil else { return .cannotSchedule }
            guard state.entries.count < Self.most else { return .tooManyScheduled(limit: Self.most) }
            if let uid = execution.causes.by.uid, state.counts[uid, default: 0] >= Self.perUser {
                return .tooManyScheduledOfUser(limit: Self.perUser)
            }
            state.add(execution, dueAt)
            return nil
        }
        if let refusal { return refusal }
        let action = execution.action
        let stopping = action.log.update { state -> ExecutionRefusal? in
            if let refusal = state.accept(execution) { return refusal }
            state.publish(.execution(execution.record), of: action, execution: execution, at: action.services.time)
            return nil
        }
        if let stopping {
            _ = state.withLock { $0.remove(execution) }
            return stopping
        }
        execution.storeScheduled()
        setAlarm(execution, dueAt)
        return nil
    }

    /// Takes over an execution that an earlier host has accepted, beyond the limits if it has to be.
    func resume(_ execution: HostedExecution, _ dueAt: Int64) {
        state.withLock { $0.add(execution, dueAt) }
        execution.action.log.resume(execution)
        if dueAt <= execution.action.services.time { start(execution) } else { setAlarm(execution, dueAt) }
    }

    private func setAlarm(_ execution: HostedExecution, _ dueAt: Int64) {
        guard let times else { return }
        let alarm = times.schedule(at: dueAt) { [weak self, weak execution] in
            if let execution { self?.start(execution) }
        }
        let isSuperfluous = state.withLock { state in
            guard state.entries[execution.id] != nil else { return true }
            state.entries[execution.id]?.alarm = alarm
            return false
        }
        if isSuperfluous { alarm.dispose() }
    }

    // MARK: The end of the wait

    /// Its time has come.
    private func start(_ execution: HostedExecution) {
        guard state.withLock({ $0.remove(execution) }) != nil else { return }
        let action = execution.action
        let isConfigured = action.log.update { _ -> Bool? in
            guard execution.keepAppointment() else { return nil }
            action.levels.accept()
            return !action.feed.isRemoved
        }
        guard let isConfigured else { return }
        if let failure = failure(of: execution, isConfigured: isConfigured) {
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
        state.withLock { $0.remove(execution) }?.alarm?.dispose()
        end(execution, .cancelled(reason: reason))
    }

    private func end(_ execution: HostedExecution, _ end: ExecutionEnd) {
        let action = execution.action
        TransitionHandler(action: action, keys: keys).ended(execution.id, end, at: action.services.time)
    }
}

extension Origin {
    /// The user of a client; nil for another origin.
    fileprivate var uid: UInt32? {
        if case .peer(let uid, _, _) = self { uid } else { nil }
    }
}
