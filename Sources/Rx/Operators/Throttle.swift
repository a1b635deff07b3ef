extension ObservableType {
    /// Never two elements within `dueTime`: the first is handed on at once; of those that follow within `dueTime` of it,
    /// the latest when that time is over, or none.
    ///
    /// A completion waits for an element that waits; an error drops it. At most one element is kept. An element that
    /// comes at the very end of the time is handed on at once, in place of the one that waits.
    ///
    /// ```
    /// source                     -1-2-3------4--|
    /// throttle(4)                -1---3------4--|
    /// throttle(4, latest: false) -1----------4--|
    /// ```
    ///
    /// - Parameter latest: whether the latest element that came too early is handed on later.
    public func throttle(
        _ dueTime: RxTimeInterval, latest: Bool = true, scheduler: any SchedulerType
    ) -> Observable<Element> {
        Throttle(asObservable(), dueTime, latest, scheduler)
    }
}

private final class Throttle<Element: Sendable>: Producer<Element>, @unchecked Sendable {
    // Unchecked: see `Observable`.
    let source: Observable<Element>
    let dueTime: RxTimeInterval
    let latest: Bool
    let scheduler: any SchedulerType

    init(_ source: Observable<Element>, _ dueTime: RxTimeInterval, _ latest: Bool, _ scheduler: any SchedulerType) {
        self.source = source
        self.dueTime = dueTime
        self.latest = latest
        self.scheduler = scheduler
        super.init()
    }

    override func run(_ stage: Stage<Element>) {
        let hub = ThrottleHub(stage, self)
        stage.attach(hub)
        source.run(ThrottleInlet(hub))
    }
}

private final class ThrottleHub<Element: Sendable>: Hub<Element>, @unchecked Sendable {
    // Unchecked: see `Junction`; what changes is touched in turns only.
    private let dueTime: RxTimeInterval
    private let latest: Bool
    private let scheduler: any SchedulerType
    private lazy var alarm = Alarm(self, scheduler)
    private var lastSent: RxTime?
    private var waiting: Element?
    private var isEnding = false

    init(_ downstream: Stage<Element>, _ parent: Throttle<Element>) {
        dueTime = parent.dueTime
        latest = parent.latest
        scheduler = parent.scheduler
        super.init(downstream)
    }

    func take(_ element: Element) {
        guard let wait = lastSent.flatMap({ dueTime.rest(since: $0, now: scheduler.now) }) else { return send(element) }
        if !latest { return }
        let hasAlarm = waiting != nil
        waiting = element
        if !hasAlarm { alarm.set(after: wait) { self.sendWaiting() } }
    }

    func end() {
        if waiting == nil { finish() } else { isEnding = true }
    }

    private func sendWaiting() {
        if let waiting { send(waiting) }
        if isEnding { finish() }
    }

    /// The time runs from when the element was handed on, however long that took.
    private func send(_ element: Element) {
        waiting = nil
        emit(element)
        lastSent = scheduler.now
    }
}

/// An inlet, since the source stays subscribed while an element waits.
private final class ThrottleInlet<Element: Sendable>: Inlet<Element>, @unchecked Sendable {
    // Unchecked: see `Stage`.
    private let hub: ThrottleHub<Element>

    init(_ hub: ThrottleHub<Element>) {
        self.hub = hub
        super.init(hub)
    }

    override func take(_ element: Element) { hub.take(element) }
    override func takeError(_ error: any Error) { hub.fail(error) }
    override func takeCompletion() { hub.end() }
}
