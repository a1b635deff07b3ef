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
    /// What one user has of the places.
    private struct Use {
        var entries = 0
        /// The ends that these wait for.
        var awaited = 0
    }

    private var uses: [UInt32: Use] = [:]
    /// The ends that all entries wait for.
    private var awaited = 0
    private let places: SharedPlaces
    private let placesOfAwaited: SharedPlaces

    /// - Parameter owner: the daemon's own user.
    init(owner: UInt32) {
        places = SharedPlaces(ScheduledExecutions.most, owner: owner)
        placesOfAwaited = SharedPlaces(ScheduledExecutions.awaited, owner: owner)
    }

    var count: Int { entries.count }

    /// The executions that wait for a time that has not come, with that time.
    var dated: [(HostedExecution, Int64)] {
        entries.values.compactMap { entry in
            entry.isDue ? nil : entry.dueAt.map { (entry.execution, $0) }
        }
    }

    /// - Parameter awaits: whether it is about to wait for ends.
    /// - Returns: why it is refused; nil if it waits from now on.
    mutating func admit(_ entry: Entry, awaits: Bool) -> ExecutionRefusal? {
        guard times != nil || entry.dueAt == nil else { return .cannotSchedule }
        let uid = entry.execution.causes.by.uid
        let own = uid.flatMap { uses[$0] } ?? Use()
        if uid != nil, own.entries >= ScheduledExecutions.perUser {
            return .tooManyScheduledOfUser(limit: ScheduledExecutions.perUser)
        }
        guard places.mayTake(own.entries, of: entries.count, for: uid) else {
            return .tooManyScheduled(limit: places.most)
        }
        guard !awaits || placesOfAwaited.mayTake(own.awaited, of: awaited, for: uid) else {
            return .tooManyAwaited(limit: placesOfAwaited.most)
        }
        add(entry)
        return nil
    }

    mutating func add(_ entry: Entry) {
        entries[entry.execution.id] = entry
        use(1, 0, by: entry.execution)
    }

    private mutating func use(_ entries: Int, _ ends: Int, by execution: HostedExecution) {
        awaited += ends
        guard let uid = execution.causes.by.uid else { return }
        var own = uses[uid] ?? Use()
        own.entries += entries
        own.awaited += ends
        uses[uid] = own.entries == 0 ? nil : own
    }

    /// - Returns: nil if it does not wait any more.
    mutating func remove(_ execution: HostedExecution) -> Entry? {
        guard let entry = entries.removeValue(forKey: execution.id) else { return nil }
        use(-1, -entry.awaited.count, by: execution)
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
        use(0, entry.awaited.count, by: execution)
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
        use(0, -1, by: execution)
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
