extension ObservableType {
    /// Fails with `RxError.timeout` when no event has come within `dueTime` of the element before, or of the subscription.
    ///
    /// An event that comes at the very end of the time counts when the scheduler has it before the alarm. A virtual
    /// scheduler does things of one time in the order in which they were scheduled, and the alarm is set before the source
    /// is subscribed, then after each element: a hot source is in time; so is a cold one, but for its first event.
    ///
    /// ```
    /// source     -1-2-------3-|
    /// timeout(4) -1-2---x
    /// ```
    public func timeout(_ dueTime: RxTimeInterval, scheduler: any SchedulerType) -> Observable<Element> {
        Timeout(asObservable(), dueTime, .error(RxError.timeout), scheduler)
    }

    /// Goes on with `other` when no event has come within `dueTime` of the element before, or of the subscription.
    ///
    /// As for the other form, at the very end of the time. `other` may take as long as it likes.
    ///
    /// ```
    /// source                -1-2-------3-|
    /// other                         7---8|
    /// timeout(4, other:)    -1-2---7---8|
    /// ```
    public func timeout<Source: ObservableConvertibleType>(
        _ dueTime: RxTimeInterval, other: Source, scheduler: any SchedulerType
    ) -> Observable<Element> where Source.Element == Element {
        Timeout(asObservable(), dueTime, other.asObservable(), scheduler)
    }
}

private final class Timeout<Element: Sendable>: Producer<Element>, @unchecked Sendable {
    // Unchecked: see `Observable`.
    let source: Observable<Element>
    let dueTime: RxTimeInterval
    let other: Observable<Element>
    let scheduler: any SchedulerType

    init(
        _ source: Observable<Element>, _ dueTime: RxTimeInterval, _ other: Observable<Element>,
        _ scheduler: any SchedulerType
    ) {
        self.source = source
        self.dueTime = dueTime
        self.other = other
        self.scheduler = scheduler
        super.init()
    }

    override func run(_ stage: Stage<Element>) {
        let hub = TimeoutHub(stage, self)
        stage.attach(hub)
        let leg = TimeoutLeg(hub)
        hub.source = leg
        hub.setAlarm()
        if leg.isOpen { source.run(leg) }
    }
}

private final class TimeoutHub<Element: Sendable>: Hub<Element>, @unchecked Sendable {
    // Unchecked: see `Junction`; `alarms` and `hasSwitched` are touched in turns only, once the source runs.
    private let dueTime: RxTimeInterval
    private let other: Observable<Element>
    private let scheduler: any SchedulerType
    private let timer = SerialDisposable()
    private var alarms = 0
    private(set) var hasSwitched = false
    weak var source: TimeoutLeg<Element>?

    init(_ downstream: Stage<Element>, _ parent: Timeout<Element>) {
        self.dueTime = parent.dueTime
        self.other = parent.other
        self.scheduler = parent.scheduler
        super.init(downstream)
        insert(timer)
    }

    /// For the element after this one; the alarm set before counts no more.
    func setAlarm() {
        alarms += 1
        let number = alarms
        let alarm = SingleAssignmentDisposable()
        timer.disposable = alarm
        alarm.setDisposable(
            scheduler.scheduleRelative(self, dueTime: dueTime) { hub in
                hub.alarmWentOff(number)
                return Disposables.create()
            })
    }

    /// What takes over is subscribed after the turn, so that what it sends at once is handed down as it comes.
    private func alarmWentOff(_ number: Int) {
        guard enter() else {
            return park(ClosureTurn { if self.switches(at: number) { self.subscribeOther() } })
        }
        let switches = switches(at: number)
        leave()
        if switches { subscribeOther() }
    }

    private func switches(at number: Int) -> Bool {
        if number != alarms || hasSwitched || isOver || isDisposed { return false }
        hasSwitched = true
        return true
    }

    /// The source is let go of once `other` is subscribed; its events count no more from the switch on.
    private func subscribeOther() {
        other.subscribe(into: TimeoutOtherLeg(self))
        if let source {
            remove(source)
            source.dispose()
        }
    }
}

private final class TimeoutLeg<Element: Sendable>: Leg<Element>, @unchecked Sendable {
    // Unchecked: see `Stage`.
    private let hub: TimeoutHub<Element>

    init(_ hub: TimeoutHub<Element>) {
        self.hub = hub
        super.init(hub)
    }

    override func take(_ element: Element) {
        if hub.hasSwitched { return }
        hub.emit(element)
        hub.setAlarm()
    }

    override func takeError(_ error: any Error) { if !hub.hasSwitched { hub.fail(error) } }
    override func takeCompletion() { if !hub.hasSwitched { hub.finish() } }
}

private final class TimeoutOtherLeg<Element: Sendable>: Leg<Element>, @unchecked Sendable {
    // Unchecked: see `Stage`.
    private let hub: TimeoutHub<Element>

    init(_ hub: TimeoutHub<Element>) {
        self.hub = hub
        super.init(hub)
    }

    override func take(_ element: Element) { hub.emit(element) }
    override func takeError(_ error: any Error) { hub.fail(error) }
    override func takeCompletion() { hub.finish() }
}
