extension ObservableType {
    /// Emits the elements of the first `duration` after the subscription, then completes.
    ///
    /// ```
    /// source        -1-2--3-4--|
    /// take(for: 5)  -1-2-|
    /// ```
    public func take(for duration: RxTimeInterval, scheduler: any SchedulerType) -> Observable<Element> {
        TakeFor(asObservable(), duration, scheduler)
    }
}

private final class TakeFor<Element: RxSendable>: Producer<Element>, @unchecked Sendable {
    // Unchecked: see `Observable`.
    let source: Observable<Element>
    let duration: RxTimeInterval
    let scheduler: any SchedulerType

    init(_ source: Observable<Element>, _ duration: RxTimeInterval, _ scheduler: any SchedulerType) {
        self.source = source
        self.duration = duration
        self.scheduler = scheduler
        super.init()
    }

    override func run(_ stage: Stage<Element>) {
        let hub = Hub(stage)
        stage.attach(hub)
        let leg = TakeForLeg(hub)
        Alarm(hub, scheduler).set(after: duration) { hub.finish() }
        if leg.isOpen { source.run(leg) }
    }
}

private final class TakeForLeg<Element: RxSendable>: Leg<Element>, @unchecked Sendable {
    // Unchecked: see `Stage`.
    private let hub: Hub<Element>

    init(_ hub: Hub<Element>) {
        self.hub = hub
        super.init(hub)
    }

    override func take(_ element: Element) { hub.emit(element) }
    override func takeError(_ error: any Error) { hub.fail(error) }
    override func takeCompletion() { hub.finish() }
}
