internal import FoundationEssentials

extension ObservableType {
    /// The sequence later by `dueTime`, its spacing kept. An error is handed on at once.
    public func delay(_ dueTime: RxTimeInterval, scheduler: any SchedulerType) -> Observable<Element> {
        Delay(asObservable(), dueTime, scheduler)
    }
}

private final class Delay<Element: Sendable>: Producer<Element>, @unchecked Sendable {
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
        source.run(DelayLeg(hub))
    }
}

private final class DelayHub<Element: Sendable>: Hub<Element>, @unchecked Sendable {
    // Unchecked: see `Junction`; the queue is touched in turns only.
    private let dueTime: RxTimeInterval
    private let scheduler: any SchedulerType
    private let timer = SerialDisposable()
    private var queue: [(due: RxTime, event: Event<Element>)] = []

    init(_ downstream: Stage<Element>, _ parent: Delay<Element>) {
        self.dueTime = parent.dueTime
        self.scheduler = parent.scheduler
        super.init(downstream)
        insert(timer)
    }

    func enqueue(_ event: Event<Element>) {
        queue.append((scheduler.now.addingTimeInterval(dueTime.seconds), event))
        if queue.count == 1 { schedule(after: dueTime) }
    }

    private func schedule(after delay: RxTimeInterval) {
        let alarm = SingleAssignmentDisposable()
        timer.disposable = alarm
        alarm.setDisposable(
            scheduler.scheduleRelative(self, dueTime: delay) { hub in
                hub.turn { _ in hub.deliverNext() }
                return Disposables.create()
            })
    }

    /// The alarm is set for the first of the queue.
    private func deliverNext() {
        if isOver || queue.isEmpty { return }
        switch queue.removeFirst().event {
        case .next(let element): emit(element)
        case .completed: finish()
        case .error(let error): fail(error)
        }
        guard let next = queue.first, !isOver, !isDisposed else { return }
        let seconds = max(0, next.due.timeIntervalSince(scheduler.now))
        schedule(after: RxTimeInterval(seconds: seconds))
    }
}

private final class DelayLeg<Element: Sendable>: Leg<Element>, @unchecked Sendable {
    // Unchecked: see `Stage`.
    private let hub: DelayHub<Element>

    init(_ hub: DelayHub<Element>) {
        self.hub = hub
        super.init(hub)
    }

    override func take(_ element: Element) { hub.enqueue(.next(element)) }
    override func takeError(_ error: any Error) { hub.fail(error) }
    override func takeCompletion() { hub.enqueue(.completed) }
}
