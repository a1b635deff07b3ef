extension ObservableType {
    /// Subscribes to the source on `scheduler`, and disposes it there. A source that ends is released at once, where it
    /// ended.
    ///
    /// ```
    /// source             --1--2--|
    /// subscribe(on: s)  ---1--2--|
    /// ```
    public func subscribe(on scheduler: any ImmediateSchedulerType) -> Observable<Element> {
        SubscribeOn(asObservable(), scheduler)
    }
}

private final class SubscribeOn<Element: RxSendable>: Producer<Element>, @unchecked Sendable {
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

private final class SubscribeOnSink<Element: RxSendable>: Stage<Element>, @unchecked Sendable {
    // Unchecked: see `Stage`.
    private let downstream: Stage<Element>
    private let scheduler: any ImmediateSchedulerType
    /// The turn that makes the subscription.
    let waiting = SingleAssignmentDisposable()
    /// The subscription to the source, once made.
    private let source = SingleAssignmentDisposable()
    /// The content of `source`. Touched only by the source's serial calls.
    private var disposal: ScheduledDisposable?

    init(_ downstream: Stage<Element>, _ scheduler: any ImmediateSchedulerType) {
        self.downstream = downstream
        self.scheduler = scheduler
        super.init()
    }

    var isOpen: Bool { !waiting.isDisposed }

    override func attach(_ upstream: DisposeBase) {
        let disposal = ScheduledDisposable(scheduler: scheduler, disposable: upstream)
        self.disposal = disposal
        source.setDisposable(disposal)
    }

    override func next(_ element: Element) { downstream.next(element) }

    override func error(_ error: any Error) {
        downstream.error(error)
        release()
    }

    override func completed() {
        downstream.completed()
        release()
    }

    /// The source has ended.
    private func release() {
        disposal?.settleHere()
        dispose()
    }

    override func dispose() {
        waiting.dispose()
        source.dispose()
    }
}
