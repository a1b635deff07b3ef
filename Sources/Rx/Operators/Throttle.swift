extension ObservableType {
    /// Emits at most one element per `dueTime`: the first at once; of those that follow within `dueTime`, the latest at
    /// the end of that time, or none.
    ///
    /// Completion waits for a waiting element, but the source is released at once; an error drops the element. Keeps at
    /// most one element. An element that arrives exactly at the end of the time is emitted at once and replaces the
    /// waiting one.
    ///
    /// ```
    /// source                      -1-2--------3--|
    /// throttle(4)                 -1---2------3--|
    /// throttle(4, latest: false)  -1----------3--|
    /// ```
    ///
    /// - Parameters:
    ///   - dueTime: the shortest time between two elements.
    ///   - latest: whether to emit the latest early element later.
    ///   - scheduler: measures the time and emits the later elements.
    public func throttle(
        _ dueTime: RxTimeInterval, latest: Bool = true, scheduler: any SchedulerType
    ) -> Observable<Element> {
        Throttle(asObservable(), dueTime, latest, scheduler)
    }
}

private final class Throttle<Element: RxSendable>: Producer<Element>, @unchecked Sendable {
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
        source.run(ThrottleLeg(hub))
    }
}

private final class ThrottleHub<Element: RxSendable>: Hub<Element>, @unchecked Sendable {
    // Unchecked: see `Junction`; mutable state is touched only in turns.
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

    /// Emits an element. The time starts when the element is emitted, however long that takes.
    private func send(_ element: Element) {
        waiting = nil
        emit(element)
        lastSent = scheduler.now
    }
}

private final class ThrottleLeg<Element: RxSendable>: Leg<Element>, @unchecked Sendable {
    // Unchecked: see `Stage`.
    private let hub: ThrottleHub<Element>

    init(_ hub: ThrottleHub<Element>) {
        self.hub = hub
        super.init(hub)
    }

    override func take(_ element: Element) { hub.take(element) }
    override func takeError(_ error: any Error) { hub.fail(error) }

    override func takeCompletion() {
        hub.remove(self)
        hub.end()
    }
}
