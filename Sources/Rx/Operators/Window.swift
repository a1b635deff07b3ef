internal import Synchronization

extension ObservableType {
    /// Splits the elements into consecutive sequences. A window ends and the next begins when it has `count` elements
    /// or when `timeSpan` has passed since its start.
    ///
    /// The first window begins with the subscription. A window emits only to its current subscribers. An end of the
    /// source ends the current window and then the outer sequence. After the outer subscription is disposed, no more
    /// windows are emitted, but the source stays subscribed until the subscriptions to windows end as well: a
    /// subscriber of an open window gets its remaining elements and its end.
    ///
    /// ```
    /// source                         -1-2-3-----4--|
    /// window(timeSpan: 7, count: 2)  a--b------c---|
    ///   a                            -1-(2|)
    ///   b                               --3----|
    ///   c                                      -4--|
    /// ```
    ///
    /// - Parameters:
    ///   - timeSpan: the longest time that a window is open.
    ///   - count: the most elements of a window; 0 means no limit.
    ///   - scheduler: runs the timers.
    public func window(
        timeSpan: RxTimeInterval, count: Int, scheduler: any SchedulerType
    ) -> Observable<Observable<Element>> {
        precondition(count >= 0, "a count is not negative")
        return WindowByTimeOrCount(asObservable(), timeSpan, count, scheduler)
    }
}

private final class WindowByTimeOrCount<Element: RxSendable>: Producer<Observable<Element>>, @unchecked Sendable {
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

    override func run(_ stage: Stage<Observable<Element>>) {
        let outer = Forward(stage)
        let hub = WindowHub(outer, self)
        outer.attach(hub.lease)
        stage.attach(outer)
        let leg = WindowLeg(hub)
        hub.open()
        hub.setAlarm()
        if leg.isOpen { source.run(leg) }
    }
}

/// Keeps the source of windows subscribed until the outer subscription and those to windows have ended.
private final class WindowLease: DisposeBase, @unchecked Sendable {
    // Unchecked: atomic, except for `junction`, which is set before the lease is shared.
    private let holders = Atomic(1)
    private let isOuterOver = Atomic(false)
    /// Weak: retaining an ended window retains nothing else.
    weak var junction: Junction?

    /// Adds a holder. Returns false if the lease has ended.
    func hold() -> Bool {
        var count = holders.load(ordering: .relaxed)
        while count > 0 {
            let (done, found) = holders.compareExchange(
                expected: count, desired: count + 1, ordering: .acquiringAndReleasing)
            if done { return true }
            count = found
        }
        return false
    }

    func release() {
        if holders.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 { junction?.dispose() }
    }

    /// Handles the end of the outer subscription.
    override func dispose() {
        if !isOuterOver.exchange(true, ordering: .acquiringAndReleasing) { release() }
    }
}

private final class WindowHub<Element: RxSendable>: Hub<Observable<Element>>, @unchecked Sendable {
    // Unchecked: see `Junction`; once the source runs, mutable state is touched only in turns.
    let lease = WindowLease()
    private let timeSpan: RxTimeInterval
    private let count: Int
    private let scheduler: any SchedulerType
    private lazy var alarm = Alarm(self, scheduler)
    private var window = PublishSubject<Element>()
    private var elements = 0

    init(_ downstream: Stage<Observable<Element>>, _ parent: WindowByTimeOrCount<Element>) {
        timeSpan = parent.timeSpan
        count = parent.count
        scheduler = parent.scheduler
        super.init(downstream)
        lease.junction = self
    }

    func setAlarm() {
        alarm.set(after: timeSpan) { self.next() }
    }

    func open() { emit(Window(window, lease)) }

    func take(_ element: Element) {
        window.onNext(element)
        elements += 1
        if elements == count { next() }
    }

    private func next() {
        let previous = window
        window = PublishSubject()
        elements = 0
        previous.onCompleted()
        open()
        setAlarm()
    }

    func end() {
        window.onCompleted()
        finish()
    }

    func end(_ error: any Error) {
        window.onError(error)
        fail(error)
    }
}

private final class WindowLeg<Element: RxSendable>: Leg<Element>, @unchecked Sendable {
    // Unchecked: see `Stage`.
    private let hub: WindowHub<Element>

    init(_ hub: WindowHub<Element>) {
        self.hub = hub
        super.init(hub)
    }

    override func take(_ element: Element) { hub.take(element) }
    override func takeError(_ error: any Error) { hub.end(error) }
    override func takeCompletion() { hub.end() }
}

/// A window. Each subscription holds the lease until it ends.
private final class Window<Element: RxSendable>: Producer<Element>, @unchecked Sendable {
    // Unchecked: see `Observable`.
    let elements: PublishSubject<Element>
    let lease: WindowLease

    init(_ elements: PublishSubject<Element>, _ lease: WindowLease) {
        self.elements = elements
        self.lease = lease
        super.init()
    }

    override func run(_ stage: Stage<Element>) {
        let sink = WindowSink(stage, lease)
        stage.attach(sink)
        elements.run(sink)
    }
}

private final class WindowSink<Element: RxSendable>: Valve<Element, Element>, @unchecked Sendable {
    // Unchecked: see `Stage`.
    private let lease: WindowLease?

    init(_ downstream: Stage<Element>, _ lease: WindowLease) {
        self.lease = lease.hold() ? lease : nil
        super.init(downstream)
    }

    override func next(_ element: Element) {
        guard isOpen else { return }
        downstream.next(element)
    }

    override func closed() { lease?.release() }
}
