extension ObservableType {
    /// Delays the sequence by `dueTime` and keeps its spacing. An error is sent at once and drops waiting elements.
    ///
    /// Keeps the events of the last `dueTime`; only the rate of the source determines their number. Simultaneous events
    /// take one turn of the scheduler each.
    ///
    /// ```
    /// source    -1-2---3-|
    /// delay(2)  ---1-2---3-|
    /// ```
    public func delay(_ dueTime: RxTimeInterval, scheduler: any SchedulerType) -> Observable<Element> {
        Delay(asObservable(), dueTime, scheduler)
    }
}

private final class Delay<Element: RxSendable>: Producer<Element>, @unchecked Sendable {
    // Unchecked: see `Observable`.
    let source: Observable<Element>
    let dueTime: RxTimeInterval
    let scheduler: any SchedulerType

    init(_ source: Observable<Element>, _ dueTime: RxTimeInterval, _ scheduler: any SchedulerType) {
        self.source = source
        self.dueTime = dueTime
        self.scheduler = scheduler
        super.init()
    }

    override func run(_ stage: Stage<Element>) {
        let hub = DelayHub(stage, self)
        stage.attach(hub)
        source.run(DelayInlet(hub, scheduler))
    }
}

private final class DelayHub<Element: RxSendable>: Hub<Element>, @unchecked Sendable {
    // Unchecked: see `Junction`; the queue is touched in turns only.
    private let dueTime: RxTimeInterval
    private let scheduler: any SchedulerType
    private lazy var alarm = Alarm(self, scheduler)
    /// The waiting events with their arrival times. The alarm is set for the first.
    private var queue = Queue<(came: RxTime, event: Event<Element>)>()

    init(_ downstream: Stage<Element>, _ parent: Delay<Element>) {
        self.dueTime = parent.dueTime
        self.scheduler = parent.scheduler
        super.init(downstream)
    }

    func enqueue(_ event: Event<Element>, came: RxTime) {
        queue.append((came, event))
        if queue.count == 1 { setAlarm(after: rest(since: came)) }
    }

    private func setAlarm(after delay: RxTimeInterval) { alarm.set(after: delay) { self.deliverNext() } }

    private func deliverNext() {
        guard let event = queue.first?.event else { return }
        switch event {
        case .next(let element): emit(element)
        case .completed: finish()
        case .error(let error): fail(error)
        }
        // Removed only now: while the event is sent, nothing sets the alarm.
        queue.removeFirst()
        guard let next = queue.first else { return }
        setAlarm(after: rest(since: next.came))
    }

    private func rest(since time: RxTime) -> RxTimeInterval {
        dueTime.rest(since: time, now: scheduler.now) ?? .zero
    }
}

/// Records when an event arrives, not when its turn runs, so that the spacing is the source's even if the stages below
/// are slow. Releases the source at its end, not when the end is sent.
private final class DelayInlet<Element: RxSendable>: Stage<Element>, @unchecked Sendable {
    // Unchecked: see `Stage`.
    private let hub: DelayHub<Element>
    private let scheduler: any SchedulerType
    private let source = DisposableSlot()

    init(_ hub: DelayHub<Element>, _ scheduler: any SchedulerType) {
        self.hub = hub
        self.scheduler = scheduler
        super.init()
        hub.insert(self)
    }

    override func attach(_ upstream: DisposeBase) { _ = source.set(upstream) }

    override func next(_ element: Element) {
        if source.isDisposed { return }
        let now = scheduler.now
        hub.turn { _ in self.hub.enqueue(.next(element), came: now) }
    }

    override func error(_ error: any Error) {
        if source.isDisposed { return }
        source.dispose()
        hub.turn { $0.fail(error) }
    }

    override func completed() {
        if source.isDisposed { return }
        let now = scheduler.now
        source.dispose()
        hub.turn { _ in self.hub.enqueue(.completed, came: now) }
    }

    override func dispose() { source.dispose() }
}
