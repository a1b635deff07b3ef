extension ObservableType {
    /// Fails with `RxError.timeout` if no event arrives within `dueTime` of the previous element or of the
    /// subscription.
    ///
    /// An event exactly at the end of the time counts if the scheduler processes it before the alarm. A virtual
    /// scheduler runs simultaneous actions in the order of scheduling, and the alarm is set before the source is
    /// subscribed to and again after each element. A hot source is therefore in time; so is a cold one, except for its
    /// first event.
    ///
    /// ```
    /// source      -1-2-------3-|
    /// timeout(4)  -1-2---#
    /// ```
    public func timeout(_ dueTime: RxTimeInterval, scheduler: any SchedulerType) -> Observable<Element> {
        Timeout(asObservable(), dueTime, .error(RxError.timeout), scheduler)
    }

    /// Continues with `other` if no event arrives within `dueTime` of the previous element or of the subscription.
    ///
    /// An event exactly at the end of the time counts if the scheduler processes it before the alarm. `other` has no
    /// time limit.
    ///
    /// ```
    /// source                    -1-2-------3-|
    /// other                            -7---8|
    /// timeout(4, other: other)  -1-2----7---8|
    /// ```
    public func timeout<Source: ObservableConvertibleType>(
        _ dueTime: RxTimeInterval, other: Source, scheduler: any SchedulerType
    ) -> Observable<Element> where Source.Element == Element {
        Timeout(asObservable(), dueTime, other.asObservable(), scheduler)
    }
}

private final class Timeout<Element: RxSendable>: Producer<Element>, @unchecked Sendable {
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

private final class TimeoutHub<Element: RxSendable>: Hub<Element>, @unchecked Sendable {
    // Unchecked: see `Junction`; once the source runs, `alarms` and `hasSwitched` are touched only in turns.
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

    /// Sets the alarm for the next element, which replaces the previous alarm.
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

    /// Handles the alarm. Subscribes to the other sequence after the turn, so that elements sent at once are passed
    /// down immediately.
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

    /// Subscribes to `other`, then releases the source, whose events are ignored from the switch on.
    private func subscribeOther() {
        other.subscribe(into: TimeoutOtherLeg(self))
        if let source {
            remove(source)
            source.dispose()
        }
    }
}

private final class TimeoutLeg<Element: RxSendable>: Leg<Element>, @unchecked Sendable {
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

private final class TimeoutOtherLeg<Element: RxSendable>: Leg<Element>, @unchecked Sendable {
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
