internal import RxRecords
public import Rx
internal import RxAction
package import RxJSON

/// A named action: a gate that outlives reloads, and the definition its next execution will use.
// Unchecked: the event log's lock guards `levels`, and the gate's lock guards `briefCauses`; `action` and
// `unretainedAction` are set once, before anyone sees the object.
public final class HostedAction: Hosted, @unchecked Sendable {
    let services: HostServices
    // Its lock keeps accesses from overlapping too.
    @exclusivity(unchecked) var levels: LevelState
    private let current: Locked<SharedDefinition>
    /// What led to the brief execution in flight, which is in no list.
    @exclusivity(unchecked) private var briefCauses = Causes(.host)
    let switches: ActionSwitches
    let scheduler: QueueScheduler
    private var action: Action<HostedExecution, RawJSON>!
    /// `action`, not retained for each brief execution.
    @exclusivity(unchecked) private var unretainedAction: Unmanaged<Action<HostedExecution, RawJSON>>!

    /// - Parameters:
    ///   - definition: what the first execution uses.
    ///   - services: the host's.
    ///   - work: makes the work of an execution.
    ///   - onTransition: called with each transition of the gate except elements, in their order, with no lock held.
    ///   - onElement: called with each element in the same order, with no lock held.
    init(
        _ definition: ActionDefinition, _ services: HostServices,
        work: @escaping @Sendable (HostedExecution, WorkContext) -> Observable<RawJSON>,
        onTransition: @escaping @Sendable (HostedAction, ActionTransition<RawJSON>) -> Void,
        onElement: @escaping @Sendable (HostedAction, Execution<RawJSON>, RawJSON) -> Void
    ) {
        self.services = services
        current = Locked(SharedDefinition(definition))
        scheduler = QueueScheduler(services.platform, label: "rxd.action.\(definition.name)")
        let manual = services.manualSwitch(of: definition.name)
        switches = ActionSwitches(isSwitchedOff: manual != nil)
        levels = LevelState(manual: manual)
        super.init(
            name: definition.name, .action, EventRing(services.catchUp),
            isLogged: services.store != nil && definition.keepsHistory)
        action = Action(
            enabledIf: switches.allowsInput,
            overlap: definition.overlap,
            work: work,
            // Unsafe because a checked reference costs too much for each transition. The object outlives them all: its
            // condition, which it owns, and an execution, which retains it, are what makes a transition.
            onTransition: { [unowned(unsafe) self] in onTransition(self, $0) },
            onElement: { [unowned(unsafe) self] in onElement(self, $0, $1) })
        if definition.groups != nil { action.setOverlap(definition.overlap, isGrouped: true) }
        unretainedAction = .passUnretained(action)
    }

    var log: EventLog { services.log }

    /// The rights in the definition that the next execution uses.
    public override var access: Access { currentDefinition.value.access }

    override var snapshot: HostedLevels { .action(levels.value) }

    override func levels(_ kinds: EventKinds, after cursor: UInt64) -> [HostEvent] {
        levels.levels(kinds, after: cursor).map { change, mark in
            HostEvent(cursor: mark.cursor, time: mark.time, source: self, execution: nil, ordinal: 0, change: change)
        }
    }

    override func mark(_ change: HostEvent.Change, _ mark: Mark) { levels.mark(change, mark) }

    override func startOfFlight() -> FlightStart? {
        guard let first = levels.inFlight.first else { return nil }
        let kept = first.firstKept
        if let number = kept.isKnown ? kept.number : ring.first(of: first.id) { return .kept(number) }
        // The log has what memory has lost.
        guard first.isLogged, feed.isLogged else { return .expired }
        return first.firstRecord.map { .kept($0) } ?? .expired
    }

    /// The definition the next execution uses.
    public internal(set) var definition: ActionDefinition {
        get { currentDefinition.value }
        set {
            let before = current.withLock { current in
                defer { current = SharedDefinition(newValue) }
                return current.value
            }
            log.setLogged([(self, services.store != nil && newValue.keepsHistory)], at: services.time)
            let isGrouped = newValue.groups != nil
            guard action.overlap != newValue.overlap || isGrouped != (before.groups != nil) else { return }
            action.setOverlap(newValue.overlap, isGrouped: isGrouped)
            // The reason has the limit.
            log.update { updateEnabled(&$0, at: services.time) }
        }
    }

    /// Whether the end of each execution is logged: see `ActionDefinition.logsEnds`.
    public var logsEnds: Bool { currentDefinition.value.logsEnds }

    /// The schema of inputs in the definition that the next execution uses.
    package var schema: JSONSchema? { currentDefinition.value.schema }

    var currentDefinition: SharedDefinition { current.withLock { $0 } }

    enum Start {
        case started
        case queued
        case joined(ExecutionID)
        case refused(Refusal)
    }

    func start(_ execution: HostedExecution) -> Start {
        switch action.startKeepingNothing(execution, id: execution.id, in: execution.group) {
        case .failure(let refusal):
            .refused(refusal)
        case .success(let started) where started.id != execution.id:
            .joined(started.id)
        case .success(let started):
            started.state == .queued ? .queued : .started
        }
    }

    /// The work of a brief execution; nil if the action is not executed briefly. Valid until the definition changes.
    public var briefWork: BriefWork? { currentDefinition.brief }

    /// Begins a brief execution and holds the gate until `endBrief`; false if it may not start at once.
    func beginBrief(_ id: ExecutionID, _ causes: Causes) -> Bool {
        unretainedAction._withUnsafeGuaranteedRef {
            $0.beginBrief(id) {
                // Requests of one client follow each other: counting the references of each would cost more.
                if briefCauses.identity != causes.identity { briefCauses = causes }
            }
        }
    }

    func endBrief() { unretainedAction._withUnsafeGuaranteedRef { $0.endBrief() } }

    /// What `start` would do with an input of a group.
    func outlook(in group: String?) -> Result<Outlook, Refusal> { action.check(in: group) }

    /// Starts an execution that an earlier host accepted as soon as it may start, whatever the queue's limit.
    func resume(_ execution: HostedExecution) { action.resume(execution, id: execution.id, in: execution.group) }

    /// The gate's refusal as clients see it. With the log's lock held.
    func explain(_ refusal: Refusal, _ state: HostState) -> ExecutionRefusal {
        if !state.isStopping {
            if case .queueFull(let limit) = refusal { return .queueFull(limit: limit) }
            if case .tooManyGroups(let limit) = refusal { return .tooManyGroups(limit: limit) }
        }
        return .notEnabled(Enabled(reason: reason(of: refusal, state)))
    }

    /// Why the gate refused. The levels may be a step behind the gate, or ahead of this refusal, and report the action
    /// as enabled. With the log's lock held.
    private func reason(of refusal: Refusal, _ state: HostState) -> DisabledReason {
        if state.isStopping { return .stopping }
        switch refusal {
        case .executing(let ids, let limit):
            guard let id = ids.first else { return levels.conditionReason }
            if let by = action.ifBrief(id, { briefCauses.by }) {
                return .executing(id, since: id.milliseconds, by: by, inFlight: ids.count, limit: limit)
            }
            // An execution that ended a thousand executions ago is known by its id alone.
            let record = state.execution(id)?.record
            return .executing(
                id, since: record?.startedAt ?? id.milliseconds, by: record?.by ?? .host, inFlight: ids.count,
                limit: limit)
        case .condition, .queueFull, .tooManyGroups, .released:
            return levels.closedReason
        }
    }

    /// Publishes `enabled` if it or its reason changed. With the log's lock held.
    func updateEnabled(_ state: inout HostState, at time: Int64) {
        let limit = currentDefinition.value.overlap.width
        let before = levels.enabled
        guard let enabled = levels.updateEnabled(isStopping: state.isStopping, limit: limit) else { return }
        let event = state.publish(.enabled(enabled), of: self, at: time)
        guard enabled.isSwitched(since: before) else { return }
        levels.note(switched: enabled, Mark(cursor: event.cursor, time: time))
        if feed.isLogged { state.keep(switch: event, enabled) }
    }

    /// Calls `body` once, when nothing is in flight and nothing is queued; before this returns if that is so now.
    ///
    /// - Returns: removes `body` when it is disposed.
    public func whenIdle(_ body: @escaping @Sendable () -> Void) -> any Disposable {
        let observer = IdleObserver(body)
        for observer in log.update({ _ in levels.add(observer) }) { observer.call() }
        return Disposables.create { [self] in log.update { _ in levels.remove(observer) } }
    }
}
