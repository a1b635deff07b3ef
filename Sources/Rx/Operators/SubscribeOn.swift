extension ObservableType {
    /// Subscribes to the source on `scheduler`, and disposes it there.
    ///
    /// ```
    /// source (cold)    1-2-|
    /// subscribe(on: s) -1-2-|   (one turn of s later)
    /// ```
    public func subscribe(on scheduler: any ImmediateSchedulerType) -> Observable<Element> {
        SubscribeOn(asObservable(), scheduler)
    }
}

private final class SubscribeOn<Element: Sendable>: Producer<Element>, @unchecked Sendable {
    // Unchecked: see `Observable`.
    let source: Observable<Element>
    let scheduler: any ImmediateSchedulerType

    init(_ source: Observable<Element>, _ scheduler: any ImmediateSchedulerType) {
        self.source = source
        self.scheduler = scheduler
        super.init()
    }

    override func run(_ stage: Stage<Element>) {
        let sink = SubscribeOnSink(stage, scheduler)
        stage.attach(sink)
        let turn = scheduler.schedule((source, sink)) { source, sink in
            if sink.isOpen { source.subscribe(into: sink) }
            return Disposables.create()
        }
        sink.waiting.setDisposable(turn)
    }
}

private final class SubscribeOnSink<Element: Sendable>: Stage<Element>, @unchecked Sendable {
    // Unchecked: see `Stage`.
    private let downstream: Stage<Element>
    private let scheduler: any ImmediateSchedulerType
    /// The turn that makes the subscription.
    let waiting = SingleAssignmentDisposable()
    /// The subscription to the source, once made.
    private let source = SingleAssignmentDisposable()

    init(_ downstream: Stage<Element>, _ scheduler: any ImmediateSchedulerType) {
        self.downstream = downstream
        self.scheduler = scheduler
        super.init()
    }

    var isOpen: Bool { !waiting.isDisposed }

    override func attach(_ upstream: DisposeBase) {
        source.setDisposable(ScheduledDisposable(scheduler: scheduler, disposable: upstream))
    }

    override func next(_ element: Element) { downstream.next(element) }

    override func error(_ error: any Error) {
        downstream.error(error)
        dispose()
    }

    override func completed() {
        downstream.completed()
        dispose()
    }

    override func dispose() {
        waiting.dispose()
        source.dispose()
    }
}
