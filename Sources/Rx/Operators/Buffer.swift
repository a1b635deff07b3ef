extension ObservableType {
    /// Collects elements in arrays. Emits an array when it has `count` elements or when `timeSpan` has passed since the
    /// previous array, even if it is empty.
    ///
    /// The time starts with the subscription and restarts with each array. Completion emits the current array, even if
    /// it is empty, then completes; an error drops it. Keeps at most `count` elements.
    ///
    /// ```
    /// source                         -1-2-3------4-|
    /// buffer(timeSpan: 6, count: 2)  ---[1,2]-[3]--([4]|)
    /// ```
    ///
    /// - Parameters:
    ///   - timeSpan: the longest time between two arrays.
    ///   - count: the most elements of an array; 0 means no limit.
    ///   - scheduler: runs the timers and emits the arrays that they end.
    public func buffer(
        timeSpan: RxTimeInterval, count: Int, scheduler: any SchedulerType
    ) -> Observable<[Element]> {
        precondition(count >= 0, "a count is not negative")
        return BufferByTimeOrCount(asObservable(), timeSpan, count, scheduler)
    }
}

private final class BufferByTimeOrCount<Element: RxSendable>: Producer<[Element]>, @unchecked Sendable {
    // Unchecked: see `Observable`.
    let source: Observable<Element>
    let timeSpan: RxTimeInterval
    let count: Int
    let scheduler: any SchedulerType

    init(_ source: Observable<Element>, _ timeSpan: RxTimeInterval, _ count: Int, _ scheduler: any SchedulerType) {
        self.source = source
        self.timeSpan = timeSpan
        self.count = count
        self.scheduler = scheduler
        super.init()
    }

    override func run(_ stage: Stage<[Element]>) {
        let hub = BufferHub(stage, self)
        stage.attach(hub)
        let leg = BufferLeg(hub)
        hub.setAlarm()
        if leg.isOpen { source.run(leg) }
    }
}

private final class BufferHub<Element: RxSendable>: Hub<[Element]>, @unchecked Sendable {
    // Unchecked: see `Junction`; `buffer` is touched in turns only.
    private let timeSpan: RxTimeInterval
    private let count: Int
    private let scheduler: any SchedulerType
    private lazy var alarm = Alarm(self, scheduler)
    private var buffer: [Element] = []

    init(_ downstream: Stage<[Element]>, _ parent: BufferByTimeOrCount<Element>) {
        timeSpan = parent.timeSpan
        count = parent.count
        scheduler = parent.scheduler
        super.init(downstream)
    }

    func setAlarm() { alarm.set(after: timeSpan) { self.send() } }

    func take(_ element: Element) {
        buffer.append(element)
        if buffer.count == count { send() }
    }

    /// Emits the array and restarts the time.
    private func send() {
        emit(takeBuffer())
        setAlarm()
    }

    func end() {
        emit(takeBuffer())
        finish()
    }

    private func takeBuffer() -> [Element] {
        defer { buffer = [] }
        return buffer
    }
}

private final class BufferLeg<Element: RxSendable>: Leg<Element>, @unchecked Sendable {
    // Unchecked: see `Stage`.
    private let hub: BufferHub<Element>

    init(_ hub: BufferHub<Element>) {
        self.hub = hub
        super.init(hub)
    }

    override func take(_ element: Element) { hub.take(element) }
    override func takeError(_ error: any Error) { hub.fail(error) }
    override func takeCompletion() { hub.end() }
}
