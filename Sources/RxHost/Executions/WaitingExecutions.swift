internal import Rx
internal import RxAction
internal import RxRecords

/// What `ScheduledExecutions` knows of each execution. Guarded by its lock.
struct WaitingExecutions {
    struct Entry {
        let execution: HostedExecution
        let ifCompleted: Bool
        let dueAt: Int64?
        /// Whether its time has come, or it has none.
        fileprivate(set) var isDue: Bool
        /// The executions whose ends have not come yet.
        fileprivate(set) var awaited: Set<ExecutionID> = []
        /// Why it must not start any more.
        fileprivate(set) var failure: WorkFailure?
        /// The alarm, and the observations of other executions.
        fileprivate var observations: [any Disposable] = []

        init(_ execution: HostedExecution, _ dueAt: Int64?, ifCompleted: Bool) {
            self.execution = execution
            self.dueAt = dueAt
            self.ifCompleted = ifCompleted
            isDue = dueAt == nil
        }

        fileprivate var isReady: Bool { failure != nil || (isDue && awaited.isEmpty) }

        func dispose() {
            for observation in observations { observation.dispose() }
        }
    }

    var times: (any StartTimes)?
    private var entries: [ExecutionID: Entry] = [:]
    private var counts: [UInt32: Int] = [:]
    /// The ends that all entries wait for.
    private var awaited = 0

    /// Those that wait for a time that has not come.
    var dated: [(HostedExecution, Int64)] {
        entries.values.compactMap { entry in
            entry.isDue ? nil : entry.dueAt.map { (entry.execution, $0) }
        }
    }

    /// - Returns: why it is refused; nil if it waits from now on.
    mutating func admit(_ entry: Entry) -> ExecutionRefusal? {
        guard times != nil || entry.dueAt == nil else { return .cannotSchedule }
        guard entries.count < ScheduledExecutions.most else {
            return .tooManyScheduled(limit: ScheduledExecutions.most)
        }
        if let uid = entry.execution.causes.by.uid, counts[uid, default: 0] >= ScheduledExecutions.perUser {
            return .tooManyScheduledOfUser(limit: ScheduledExecutions.perUser)
        }
        guard awaited < ScheduledExecutions.awaited else {
            return .tooManyAwaited(limit: ScheduledExecutions.awaited)
        }
        add(entry)
        return nil
    }

    mutating func add(_ entry: Entry) {
        entries[entry.execution.id] = entry
        if let uid = entry.execution.causes.by.uid { counts[uid, default: 0] += 1 }
    }

    /// - Returns: nil if it does not wait any more.
    mutating func remove(_ execution: HostedExecution) -> Entry? {
        guard let entry = entries.removeValue(forKey: execution.id) else { return nil }
        if let uid = execution.causes.by.uid, let count = counts[uid] { counts[uid] = count == 1 ? nil : count - 1 }
        awaited -= entry.awaited.count
        return entry
    }

    /// The ends that an execution still waits for; nil if there are none.
    func awaited(by execution: HostedExecution) -> AwaitedEnds? {
        guard let entry = entries[execution.id], !entry.awaited.isEmpty else { return nil }
        return AwaitedEnds(entry.awaited.sorted(), ifCompleted: entry.ifCompleted)
    }

    func isReady(_ execution: HostedExecution) -> Bool { entries[execution.id]?.isReady ?? false }

    mutating func due(_ execution: HostedExecution) { entries[execution.id]?.isDue = true }

    /// Has it wait for the ends of those that have not ended.
    mutating func wait(_ execution: HostedExecution, for others: [AwaitedExecution]) {
        guard var entry = entries[execution.id] else { return }
        entry.awaited = Set(others.lazy.filter { $0.execution != nil }.map(\.id))
        awaited += entry.awaited.count
        if entry.ifCompleted, let other = others.first(where: { $0.execution == nil && $0.end != .completed }) {
            entry.failure = WorkFailure(unmet: other.id, other.end)
        }
        entries[execution.id] = entry
    }

    /// An execution that it waits for has ended.
    ///
    /// - Returns: whether there is nothing left to wait for.
    mutating func ended(_ id: ExecutionID, _ error: ExecutionError?, for execution: HostedExecution) -> Bool {
        switch error {
        // The host stops; the next one decides.
        case .stopped?, .postponed?: return false
        case .failed?, .timedOut?, .cancelled?, .superseded?, .interrupted?, nil: break
        }
        guard var entry = entries[execution.id], entry.awaited.remove(id) != nil else { return false }
        awaited -= 1
        if entry.ifCompleted, let error, entry.failure == nil {
            entry.failure = WorkFailure(unmet: id, error.state)
        }
        entries[execution.id] = entry
        return entry.isReady
    }

    /// Keeps what is to be disposed of when the wait ends.
    ///
    /// - Returns: all of it if the wait has ended.
    mutating func keep(_ observations: [any Disposable], of execution: HostedExecution) -> [any Disposable] {
        guard entries[execution.id] != nil else { return observations }
        entries[execution.id]?.observations += observations
        return []
    }
}

extension Origin {
    /// The user of a client; nil for another origin.
    fileprivate var uid: UInt32? {
        if case .peer(let uid, _, _) = self { uid } else { nil }
    }
}
