internal import RxRecords
internal import RxAction
internal import RxStore

/// The levels of an action, and the facts that they follow from. Used with the log's lock held.
struct LevelState {
    private(set) var executing = false
    private(set) var enabled: Enabled
    /// When `executing` and `enabled` were published last.
    private var executingMark = Mark()
    private var enabledMark = Mark()
    /// The last changes of `enabled` by the manual switch, oldest first, at most `LogLimits.switchesKept`: a level
    /// need not have all its values.
    private var switches: [(enabled: Enabled, mark: Mark)] = []
    /// Whether the gate takes input, whatever the cause.
    private var isOpen: Bool
    private var conditionError: String?
    private var manual: ManualSwitch?
    /// The configured condition that does not hold, if there is one.
    private var unmet: UnmetCondition?
    /// Executions that have started, oldest first.
    private(set) var inFlight: [HostedExecution] = []
    /// Executions that wait for their turn.
    private var queued = 0
    /// All executions that the host counts as in flight; the start of some may not be published yet.
    private var accepted = 0
    private(set) var idleObservers: [IdleObserver] = []

    init(manual: ManualSwitch?) {
        self.manual = manual
        isOpen = manual == nil
        enabled = Enabled(reason: manual.map { .manual($0) })
    }

    /// What a snapshot reports.
    var value: ActionLevels {
        ActionLevels(executing: executing, enabled: enabled, queued: queued, executions: inFlight.map(\.record))
    }

    // MARK: Executions

    mutating func accept() { accepted += 1 }

    /// Takes back one `accept`.
    ///
    /// - Returns: the observers to call because the action is idle.
    mutating func release() -> [IdleObserver] {
        accepted -= 1
        return takeIdleObservers()
    }

    mutating func queue() { queued += 1 }

    mutating func start(_ execution: HostedExecution, wasQueued: Bool) {
        if wasQueued { queued -= 1 }
        inFlight.append(execution)
    }

    mutating func end(_ execution: HostedExecution, hadStarted: Bool) {
        if !hadStarted { queued -= 1 }
        inFlight.removeAll { $0 === execution }
    }

    /// - Returns: the observers to call because the action is idle.
    mutating func setExecuting(_ executing: Bool) -> [IdleObserver] {
        self.executing = executing
        return takeIdleObservers()
    }

    // MARK: Idleness

    /// - Returns: the observers to call because the action is idle already.
    mutating func add(_ observer: IdleObserver) -> [IdleObserver] {
        idleObservers.append(observer)
        return takeIdleObservers()
    }

    mutating func remove(_ observer: IdleObserver) { idleObservers.removeAll { $0 === observer } }

    private mutating func takeIdleObservers() -> [IdleObserver] {
        guard !idleObservers.isEmpty, !executing, accepted == 0 else { return [] }
        defer { idleObservers = [] }
        return idleObservers
    }

    // MARK: Enabled

    mutating func setOpen(_ isOpen: Bool) { self.isOpen = isOpen }

    mutating func conditionFailed(_ message: String) { conditionError = message }

    mutating func set(_ manual: ManualSwitch?) { self.manual = manual }

    /// - Returns: whether a condition did not hold before.
    mutating func set(_ unmet: UnmetCondition?) -> Bool {
        defer { self.unmet = unmet }
        return self.unmet != nil
    }

    /// Why the gate is closed if no execution is the cause.
    var closedReason: DisabledReason {
        if let manual { return .manual(manual) }
        if let unmet { return .unmet(unmet) }
        return conditionReason
    }

    var conditionReason: DisabledReason { .condition(error: conditionError) }

    /// Brings `enabled` up to date.
    ///
    /// - Parameter limit: how many executions may be in flight.
    /// - Returns: the new value if it or its reason changed.
    mutating func updateEnabled(isStopping: Bool, limit: Int) -> Enabled? {
        let reason = reason(isStopping: isStopping, limit)
        guard reason != enabled.reason else { return nil }
        enabled = Enabled(reason: reason)
        return enabled
    }

    private func reason(isStopping: Bool, _ limit: Int) -> DisabledReason? {
        if isStopping { return .stopping }
        if manual != nil || unmet != nil { return closedReason }
        if isOpen { return nil }
        guard let record = inFlight.first?.record else { return closedReason }
        return .executing(
            record.id, since: record.startedAt ?? record.queuedAt, by: record.by, inFlight: inFlight.count, limit: limit
        )
    }

    // MARK: Marks

    mutating func mark(_ change: HostEvent.Change, _ mark: Mark) {
        if case .executing = change { executingMark = mark } else { enabledMark = mark }
    }

    /// Marks the levels that a brief execution changed and changed back, the last of them at the cursor `last`.
    mutating func markBrief(_ execution: BriefExecution, last: UInt64) {
        if execution.disables {
            executingMark = Mark(cursor: last - 1, time: execution.time)
            enabledMark = Mark(cursor: last, time: execution.time)
        } else {
            executingMark = Mark(cursor: last, time: execution.time)
        }
    }

    /// Keeps a change of `enabled` by the manual switch for readers that were away.
    mutating func note(switched enabled: Enabled, _ mark: Mark) {
        if switches.count == LogLimits.switchesKept { switches.removeFirst() }
        switches.append((enabled, mark))
    }

    /// The levels of `kinds` that were published after `cursor`, as they are now, with their marks; before `enabled`,
    /// what the manual switch made of it meanwhile.
    func levels(_ kinds: EventKinds, after cursor: UInt64) -> [(change: HostEvent.Change, mark: Mark)] {
        let earlier = switches.filter { $0.mark.cursor != enabledMark.cursor }
            .map { (EventKinds.enabled, HostEvent.Change.enabled($0.enabled), $0.mark) }
        let now: [(EventKinds, HostEvent.Change, Mark)] = [
            (.executing, .executing(executing), executingMark), (.enabled, .enabled(enabled), enabledMark),
        ]
        return (earlier + now).filter { kinds.contains($0.0) && $0.2.cursor > cursor }.map { ($0.1, $0.2) }
    }
}
