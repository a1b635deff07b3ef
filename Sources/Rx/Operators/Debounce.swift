extension ObservableType {
    /// Emits each element that no other follows within `dueTime`, at the end of that time.
    ///
    /// Completion emits the waiting element at once, then completes; an error drops it. Keeps at most one element. An
    /// element that arrives exactly at the end of the time replaces the waiting one if the scheduler processes it
    /// before the alarm; a virtual scheduler keeps the order of scheduling.
    ///
    /// ```
    /// source       -1-2----3--|
    /// debounce(3)  ------2----(3|)
    /// ```
    public func debounce(_ dueTime: RxTimeInterval, scheduler: any SchedulerType) -> Observable<Element> {
        Debounce(asObservable(), dueTime, scheduler)
    }
}

private final class Debounce<Element: RxSendable>: Producer<Element>, @unchecked Sendable {
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
        let hub = DebounceHub(stage, self)
        stage.attach(hub)
        source.run(DebounceLeg(hub))
    }
}

private final class DebounceHub<Element: RxSendable>: Hub<Element>, @unchecked Sendable {
    // Unchecked: see `Junction`; `waiting` is touched in turns only.
    private let dueTime: RxTimeInterval
    private let scheduler: any SchedulerType
    private lazy var alarm = Alarm(self, scheduler)
    private var waiting: Element?

    init(_ downstream: Stage<Element>, _ parent: Debounce<Element>) {
        dueTime = parent.dueTime
        scheduler = parent.scheduler
        super.init(downstream)
    }

    func take(_ element: Element) {
        waiting = element
        alarm.set(after: dueTime) { self.sendWaiting() }
    }

    func end() {
        sendWaiting()
        finish()
    }

    private func sendWaiting() {
        guard let element = waiting else { return }
        waiting = nil
        emit(element)
    }
}

private final class DebounceLeg<Element: RxSendable>: Leg<Element>, @unchecked Sendable {
    // Unchecked: see `Stage`.
    private let hub: DebounceHub<Element>

    init(_ hub: DebounceHub<Element>) {
        self.hub = hub
        super.init(hub)
    }

    override func take(_ element: Element) { hub.take(element) }
    override func takeError(_ error: any Error) { hub.fail(error) }
    override func takeCompletion() { hub.end() }
}
