internal import Synchronization

extension ObservableType {
    /// Delivers the events on `scheduler`, in order and one at a time, even if the scheduler is concurrent.
    ///
    /// Each event takes a turn of the scheduler; on a dispatch queue, all waiting events share one. The source is
    /// released when it ends, before its end is delivered. Disposing the subscription drops waiting events.
    ///
    /// ```
    /// source          --1--2--|
    /// observe(on: s)  ---1--2--|
    /// ```
    @_disfavoredOverload
    public func observe(on scheduler: any ImmediateSchedulerType) -> Observable<Element> {
        observe(on: scheduler, buffering: .unbounded)
    }

    /// Delivers the events on `scheduler`, in order and one at a time, with a limit on waiting elements for a source
    /// that is faster than its observer.
    ///
    /// ```
    /// source                                                            -1-2-3-4----|
    /// observe(on: slow, buffering: .bounded(1, whenFull: .dropOldest))  ----2---4------|
    /// ```
    ///
    /// - Parameters:
    ///   - scheduler: where the observer is called.
    ///   - buffering: the limit and the treatment of excess elements.
    @_disfavoredOverload
    public func observe(on scheduler: any ImmediateSchedulerType, buffering: Buffering) -> Observable<Element> {
        buffering.check()
        return ObserveOn(asObservable(), scheduler, buffering)
    }
}

private final class ObserveOn<Element: RxSendable>: Producer<Element>, @unchecked Sendable {
    // Unchecked: see `Observable`.
    let source: Observable<Element>
    let scheduler: any ImmediateSchedulerType
    let buffering: Buffering

    init(_ source: Observable<Element>, _ scheduler: any ImmediateSchedulerType, _ buffering: Buffering) {
        self.source = source
        self.scheduler = scheduler
        self.buffering = buffering
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
        let sink = makeSink(stage)
        stage.attach(sink)
        source.run(sink)
    }

    private func makeSink(_ stage: Stage<Element>) -> ObserveOnSink<Element> {
        guard let queue = scheduler as? any TurnQueue else { return HopSink(stage, scheduler, buffering) }
        switch buffering {
        case .unbounded: return BatchSink(stage, queue)
        case .bounded: return HopSink(stage, queue, buffering)
        }
    }
}

/// The common part of both implementations of `observe(on:)`: the end, stored separately, and turns, requested one at a
/// time.
///
/// Not a `Sink`: elements that wait when the source ends are still delivered, so the ended and disposed states differ.
class ObserveOnSink<Element: RxSendable>: Stage<Element>, @unchecked Sendable {
    // Unchecked: see `Stage`; `end` and `hasTurn` are guarded by `lock`.
    private let downstream: Stage<Element>
    private let source = DisposableSlot()
    private let disposed = Atomic(false)
    /// Padding between cache lines: the turn reads the properties above for each element, and the source writes those
    /// below.
    private let apart: (Int, Int, Int, Int, Int, Int, Int, Int) = (0, 0, 0, 0, 0, 0, 0, 0)
    final let lock = Lock()
    @exclusivity(unchecked) final private(set) var end: ObservedEnd?
    /// Whether a turn is requested or under way. It stays set once the end is delivered.
    @exclusivity(unchecked) final var hasTurn = false

    init(_ downstream: Stage<Element>) {
        self.downstream = downstream
        super.init()
    }

    final var isDisposed: Bool { disposed.load(ordering: .acquiring) }

    final override func attach(_ upstream: DisposeBase) { _ = source.set(upstream) }

    override func dispose() {
        disposed.store(true, ordering: .releasing)
        source.dispose()
    }

    final override func error(_ error: any Error) { finish(.error(error)) }
    final override func completed() { finish(.completed) }

    private func finish(_ end: ObservedEnd) {
        lock.lock()
        if self.end == nil { self.end = end }
        unlockAndTakeTurn()
        releaseSource()
    }

    /// Releases the source at its end. A source that is about to dispose itself does that.
    private func releaseSource() {
        if let upstream = source.close() { upstream?.settle() }
    }

    /// Adds an error of this operator after the waiting elements. Called with the lock held; releases it.
    final func unlockAndFail(_ error: any Error) {
        end = .error(error)
        lock.unlock()
        source.dispose()
    }

    /// Ensures that a turn handles the waiting events. Called with the lock held; releases it.
    final func unlockAndTakeTurn() {
        let needsTurn = !hasTurn
        hasTurn = true
        lock.unlock()
        if needsTurn { takeTurn() }
    }

    /// Requests a turn from the scheduler.
    func takeTurn() { preconditionFailure("an observe(on:) takes its turns somewhere") }

    /// Delivers an element. Called in a turn.
    final func deliver(_ element: Element) {
        if !isDisposed { downstream.next(element) }
    }

    /// Delivers the end, if there is one, when nothing else waits. Called in a turn with the lock held; releases it if
    /// it delivers.
    final func deliverEnd() -> Bool {
        guard let end else { return false }
        lock.unlock()
        if isDisposed { return true }
        switch end {
        case .completed: downstream.completed()
        case .error(let error): downstream.error(error)
        }
        return true
    }
}

enum ObservedEnd {
    case completed
    case error(any Error)
}
