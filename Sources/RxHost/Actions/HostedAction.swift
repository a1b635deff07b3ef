internal import RxRecords
internal import Dispatch
internal import Rx
internal import RxAction
internal import RxJSON

/// A named action: a gate that outlives reloads, and the definition its next execution will use.
// Unchecked: `levels` is guarded by the event log's lock; `action` is set once, before anyone sees the object.
public final class HostedAction: Hosted, @unchecked Sendable {
    // Its lock keeps accesses from overlapping too.
    @exclusivity(unchecked) var levels = Levels()
    private let current: Locked<Definition>
    // The gate's lock guards it.
    /// Who asked for the brief execution in flight, which is in no list.
    @exclusivity(unchecked) private var briefOrigin = Origin.host
    private let isClosed = BehaviorSubject<Bool>(value: false)
    let isSwitchedOff: BehaviorSubject<Bool>
    let isUnmet = BehaviorSubject<Bool>(value: false)
    let switches = Locked(Switches())
    let scheduler: SerialDispatchQueueScheduler
    private var action: Action<HostedExecution, RawJSON>!
    /// The same, which is not retained for each brief execution.
    @exclusivity(unchecked) private var unretainedAction: Unmanaged<Action<HostedExecution, RawJSON>>!

    /// A definition that many executions share: one reference instead of a copy of all its parts for each.
    final class Definition: Sendable {
        let value: ActionDefinition
        /// Nil for what is not executed briefly.
        let brief: BriefWork?

        init(_ value: ActionDefinition) {
            self.value = value
            brief = BriefWork(value)
        }
    }

    /// What `EventLog.snapshot` tells of an action.
    struct Levels {
        /// When `executing` and `enabled` were told last.
        var executingMark = Mark()
        var enabledMark = Mark()
        var executing = false
        /// What the gate says, whatever its cause.
        var isOpen = true
        var conditionError: String?
        var manual: ManualSwitch?
        /// The condition that does not hold, if there is one.
        var unmet: UnmetCondition?
        var enabled = Enabled(reason: nil)
        var inFlight: [HostedExecution] = []
        /// Those that wait their turn.
        var queued = 0
        /// All that are accepted or about to be, the start of some of which may not be told yet.
        var accepted = 0
        /// Called when nothing is in flight and nothing waits.
        var idleObservers: [IdleObserver] = []

        var value: ActionLevels {
            ActionLevels(
                executing: executing, enabled: enabled, queued: queued, executions: inFlight.map(\.record))
        }

        mutating func takeIdleObservers() -> [IdleObserver] {
            guard !idleObservers.isEmpty, !executing, accepted == 0 else { return [] }
            defer { idleObservers = [] }
            return idleObservers
        }
    }

    final class IdleObserver: Sendable {
        let call: @Sendable () -> Void

        init(_ call: @escaping @Sendable () -> Void) { self.call = call }
    }

    init(_ definition: ActionDefinition, _ services: HostServices) {
        current = Locked(Definition(definition))
        scheduler = SerialDispatchQueueScheduler(
            qos: .default, internalSerialQueueName: "rxd.action.\(definition.name)")
        let manual = services.manualSwitch(of: definition.name)
        isSwitchedOff = BehaviorSubject(value: manual != nil)
        super.init(name: definition.name, services)
        levels.manual = manual
        levels.isOpen = manual == nil
        levels.enabled = Enabled(reason: manual.map { .manual($0) })
        action = Action(
            enabledIf: Observable.combineLatest(isClosed, isSwitchedOff, isUnmet) { !$0 && !$1 && !$2 },
            overlap: definition.overlap,
            work: { execution, context in execution.work(context) },
            // Unsafe because a checked reference costs too much for each transition; what can make one is the
            // condition, which this object owns, and an execution, which keeps it alive; and its host keeps it for good.
            onTransition: { [unowned(unsafe) self] in self.follow($0) })
        unretainedAction = .passUnretained(action)
    }

    /// Of the definition that the next execution uses.
    public override var access: Access { currentDefinition.value.access }

    override var snapshot: HostedLevels { .action(levels.value) }

    override func levels(_ kinds: EventKinds, after cursor: UInt64) -> [HostEvent] {
        let all = [
            (EventKinds.executing, HostEvent.Change.executing(levels.executing), levels.executingMark),
            (.enabled, .enabled(levels.enabled), levels.enabledMark),
        ]
        return all.filter { kinds.contains($0.0) && $0.2.cursor > cursor }.map { _, change, mark in
            HostEvent(cursor: mark.cursor, time: mark.time, source: self, execution: nil, ordinal: 0, change: change)
        }
    }

    override func mark(_ change: HostEvent.Change, _ mark: Mark) {
        if case .executing = change { levels.executingMark = mark } else { levels.enabledMark = mark }
    }

    override func startOfFlight() -> FlightStart? {
        guard let first = levels.inFlight.first else { return nil }
        return feed.ring.first(of: first.id).map { .kept($0) } ?? .expired
    }

    /// The definition the next execution uses.
    public internal(set) var definition: ActionDefinition {
        get { currentDefinition.value }
        set {
            current.withLock { $0 = Definition(newValue) }
            if action.overlap != newValue.overlap { action.overlap = newValue.overlap }
        }
    }

    var currentDefinition: Definition { current.withLock { $0 } }

    enum Start {
        case started
        case queued
        case joined(ExecutionID)
        case refused(Refusal)
    }

    func start(_ execution: HostedExecution) -> Start {
        switch action.startKeepingNothing(execution, id: execution.id) {
        case .failure(let refusal):
            .refused(refusal)
        case .success(let started) where started.id != execution.id:
            .joined(started.id)
        case .success(let started):
            started.state == .queued ? .queued : .started
        }
    }

    /// What the next execution needs if it may be a brief one. Holds until the definition changes.
    public var briefWork: BriefWork? { currentDefinition.brief }

    /// Begins a brief execution, if it may start at once.
    func beginBrief(_ id: ExecutionID, by origin: Origin) -> Bool {
        unretainedAction._withUnsafeGuaranteedRef { $0.beginBrief(id) { briefOrigin = origin } }
    }

    func endBrief() { unretainedAction._withUnsafeGuaranteedRef { $0.endBrief() } }

    /// What `start` would do.
    func outlook() -> Result<Outlook, Refusal> { action.check() }

    /// Starts what an earlier host has accepted as soon as it may start, whatever the queue's limit.
    func resume(_ execution: HostedExecution) { action.resume(execution, id: execution.id) }

    /// What the gate's refusal is to clients. The levels may be a step behind the gate, or ahead of this refusal: they
    /// may say that the action is enabled. Called with the log's lock held.
    func reason(of refusal: Refusal, _ state: EventLog.State) -> DisabledReason {
        if state.isStopping { return .stopping }
        switch refusal {
        case .executing(let ids):
            guard let id = ids.first else { return .condition(error: levels.conditionError) }
            if let by = action.ifBrief(id, { briefOrigin }) {
                return .executing(id, since: id.milliseconds, by: by)
            }
            // What has ended since, a thousand executions ago, is known by its id alone.
            let record = state.execution(id)?.record
            return .executing(id, since: record?.startedAt ?? id.milliseconds, by: record?.by ?? .host)
        case .condition, .queueFull, .released:
            return levels.manual.map { .manual($0) } ?? levels.unmet.map { .unmet($0) }
                ?? .condition(error: levels.conditionError)
        }
    }

    /// Closes the gate: executions in flight go on, what waits is held.
    func close() { isClosed.onNext(true) }

    func open() { isClosed.onNext(false) }

    /// Calls `body` when nothing is in flight and nothing waits.
    ///
    /// - Returns: takes it back.
    public func whenIdle(_ body: @escaping @Sendable () -> Void) -> Observation {
        let observer = IdleObserver(body)
        let idle = log.change { _ in
            levels.idleObservers.append(observer)
            return levels.takeIdleObservers()
        }
        for observer in idle { observer.call() }
        return Observation { [self] in log.change { _ in levels.idleObservers.removeAll { $0 === observer } } }
    }
}

/// A moment in the log. Time is in milliseconds since 1970.
struct Mark: Sendable, Hashable {
    var cursor: UInt64 = 0
    var time: Int64 = 0
}
