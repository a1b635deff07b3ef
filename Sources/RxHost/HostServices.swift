internal import RxAction
internal import RxPlatform
internal import RxRecords
internal import RxStore
internal import Rx
internal import RxJSON

/// The objects that all actions and reactors of a host share.
final class HostServices: Sendable {
    let platform: Platform
    private let clock: WallClock
    let ids: ExecutionIDGenerator
    let log: EventLog
    let catchUp: CatchUpLimits
    let memory = UserMemoryTable()
    let store: ExecutionStore?
    private let states: Locked<StateStore?>
    let onEnd: (@Sendable (ExecutionRecord) -> Void)?
    let onRetry: (@Sendable (RetryNote) -> Void)?
    let onReactorFault: (@Sendable (String, ReactorFault) -> Void)?
    let elementListeners = Listeners<RawJSON>()
    let stateListeners = Listeners<PublishedState>()
    let drains: EngineDrains
    let scheduled: ScheduledExecutions
    let conditionParts = Locked<[String: [ConditionPart]]>([:])
    /// The manual switches by action name; the actions need not be configured at present.
    private let switches: Locked<[String: ManualSwitch]>

    init(
        platform: Platform, catchUp: CatchUpLimits, store: ExecutionStore?, stateStore: StateStore?,
        switches: [String: ManualSwitch], keys: ExecutionKeys,
        onEnd: (@Sendable (ExecutionRecord) -> Void)?, onRetry: (@Sendable (RetryNote) -> Void)?,
        onReactorFault: (@Sendable (String, ReactorFault) -> Void)?
    ) {
        self.platform = platform
        clock = platform.wallClock
        ids = ExecutionIDGenerator(seed: platform.entropy.next(), clock: platform.wallClock.source)
        self.catchUp = catchUp
        drains = EngineDrains(queues: platform.queues)
        scheduled = ScheduledExecutions(keys, platform)
        self.store = store
        log = EventLog(store.map { LogWriter($0, platform) }, catchUp)
        states = Locked(stateStore)
        self.switches = Locked(switches)
        self.onEnd = onEnd
        self.onRetry = onRetry
        self.onReactorFault = onReactorFault
    }

    /// Milliseconds since 1970.
    var time: Int64 { clock.milliseconds }

    var stateStore: StateStore? {
        get { states.withLock { $0 } }
        set { states.withLock { $0 = newValue } }
    }

    func manualSwitch(of action: String) -> ManualSwitch? { switches.withLock { $0[action] } }

    func set(_ manual: ManualSwitch?, of action: String) { switches.withLock { $0[action] = manual } }
}
