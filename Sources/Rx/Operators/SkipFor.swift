internal import Synchronization

extension ObservableType {
    /// Drops the elements of the first `duration` after the subscription. An end is always passed on.
    ///
    /// ```
    /// source   -1-2--3-4--|
    /// skip(5)  ------3-4--|
    /// ```
    public func skip(_ duration: RxTimeInterval, scheduler: any SchedulerType) -> Observable<Element> {
        SkipFor(asObservable(), duration, scheduler)
    }
}

private final class SkipFor<Element: RxSendable>: Producer<Element>, @unchecked Sendable {
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
        let sink = SkipForSink(stage)
        stage.attach(sink)
        sink.timer.setDisposable(
            scheduler.scheduleRelative(sink, dueTime: duration) { sink in
                sink.letThrough()
                return Disposables.create()
            })
        if sink.isOpen { source.run(sink) }
    }
}

private final class SkipForSink<Element: RxSendable>: Valve<Element, Element>, @unchecked Sendable {
    // Unchecked: see `Stage`; the flag is atomic because the timer may run on another thread.
    let timer = SingleAssignmentDisposable()
    private let isOver = Atomic(false)

    func letThrough() { isOver.store(true, ordering: .releasing) }

    override func next(_ element: Element) {
        guard isOpen, isOver.load(ordering: .acquiring) else { return }
        downstream.next(element)
    }

    override func closed() { timer.dispose() }
}
