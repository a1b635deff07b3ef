extension ObservableType {
    /// Subscribes to the sequence after `dueTime`.
    ///
    /// ```
    /// source                    -1-2-3-|
    /// delaySubscription(4)  -----1-2-3-|
    /// ```
    public func delaySubscription(_ dueTime: RxTimeInterval, scheduler: any SchedulerType) -> Observable<Element> {
        DelaySubscription(asObservable(), dueTime, scheduler)
    }
}

private final class DelaySubscription<Element: RxSendable>: Producer<Element>, @unchecked Sendable {
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
        let timer = SingleAssignmentDisposable()
        let sink = Forward(stage)
        stage.attach(CompositeDisposable(timer, sink))
        timer.setDisposable(
            scheduler.scheduleRelative((source, sink), dueTime: dueTime) { source, sink in
                if sink.isOpen { source.subscribe(into: sink) }
                return Disposables.create()
            })
    }
}
