extension ObservableType {
    /// Delivers the events on `scheduler`, in order and never two at a time, whatever the scheduler.
    ///
    /// Each event takes a turn of the scheduler; on a dispatch queue, all that wait take one together.
    ///
    /// ```
    /// source          -1-2--3-|
    /// observe(on: s)  --1-2--3-|
    /// ```
    public func observe(on scheduler: any ImmediateSchedulerType) -> Observable<Element> {
        ObserveOn(asObservable(), scheduler)
    }
}

private final class ObserveOn<Element: Sendable>: Producer<Element>, @unchecked Sendable {
    // Unchecked: see `Observable`.
    let source: Observable<Element>
    let scheduler: any ImmediateSchedulerType

    init(_ source: Observable<Element>, _ scheduler: any ImmediateSchedulerType) {
        self.source = source
        self.scheduler = scheduler
        super.init()
        #if TRACE_RESOURCES
            if scheduler is SerialDispatchQueueScheduler { Resources.countSerialObserveOn(1) }
        #endif
    }

    #if TRACE_RESOURCES
        deinit {
            if scheduler is SerialDispatchQueueScheduler { Resources.countSerialObserveOn(-1) }
        }
    #endif

    override func run(_ stage: Stage<Element>) {
        let sink = ObserveOnSink(stage, scheduler)
        stage.attach(sink)
        source.run(sink)
    }
}

/// Queues the events and delivers them in turns of the scheduler. The source goes when its end is delivered.
///
/// Not a `Sink`: what is queued when the source ends is still delivered, so being ended and being disposed differ.
private final class ObserveOnSink<Element: Sendable>: Stage<Element>, @unchecked Sendable {
    // Unchecked: see `Stage`; `queue` and `hasTurn` are guarded by `lock`, the rest is atomic or belongs to the source.
    private let downstream: Stage<Element>
    private let scheduler: any ImmediateSchedulerType
    private let source = DisposableSlot()
    private let turn = SerialDisposable()
    private let lock = Lock()
    private var queue = Queue<Event<Element>>()
    /// What has waited on a dispatch queue is late already; a turn for each would only be slower.
    private let deliversAll: Bool
    private var hasTurn = false
    private var isEnded = false

    init(_ downstream: Stage<Element>, _ scheduler: any ImmediateSchedulerType) {
        self.downstream = downstream
        self.scheduler = scheduler
        deliversAll = scheduler is SerialDispatchQueueScheduler || scheduler is ConcurrentDispatchQueueScheduler
        super.init()
    }

    override func attach(_ upstream: DisposeBase) { _ = source.set(upstream) }

    override func next(_ element: Element) { enqueue(.next(element)) }

    override func error(_ error: any Error) { enqueue(.error(error)) }
    override func completed() { enqueue(.completed) }

    override func dispose() {
        turn.dispose()
        source.dispose()
    }

    private func enqueue(_ event: Event<Element>) {
        if isEnded || turn.isDisposed { return }
        isEnded = event.isStopEvent
        let needsTurn = lock.withLock {
            queue.append(event)
            defer { hasTurn = true }
            return !hasTurn
        }
        if needsTurn { scheduleTurn() }
    }

    private func scheduleTurn() {
        let item = SingleAssignmentDisposable()
        turn.disposable = item
        item.setDisposable(
            scheduler.schedule(self) { sink in
                sink.deliverBatch()
                return Disposables.create()
            })
    }

    private func deliverBatch() {
        let batch = lock.withLock {
            if deliversAll { return queue.removeAll() }
            return queue.removeFirst().map { [$0] } ?? []
        }
        for event in batch {
            if turn.isDisposed { return }
            downstream.on(event)
            if event.isStopEvent { return source.dispose() }
        }
        let needsTurn = lock.withLock {
            hasTurn = !queue.isEmpty
            return hasTurn
        }
        if needsTurn { scheduleTurn() }
    }
}
