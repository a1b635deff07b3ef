/// `observe(on:)` with a hop of the scheduler for each event, or with a bounded buffer: there what waits is the buffer.
final class HopSink<Element: Sendable>: ObserveOnSink<Element>, @unchecked Sendable {
    // Unchecked: see `ObserveOnSink`; `waiting` is guarded by `lock`.
    private let scheduler: any ImmediateSchedulerType
    private let buffering: Buffering
    private let turn = SerialDisposable()
    @exclusivity(unchecked) private var waiting = Ring<Element>()

    init(_ downstream: Stage<Element>, _ scheduler: any ImmediateSchedulerType, _ buffering: Buffering) {
        self.scheduler = scheduler
        self.buffering = buffering
        super.init(downstream)
    }

    override func dispose() {
        super.dispose()
        turn.dispose()
        var dropped = Ring<Element>()
        // Not released with the lock held.
        lock.withLock { swap(&waiting, &dropped) }
    }

    override func next(_ element: Element) {
        if isDisposed { return }
        lock.lock()
        if end != nil { return lock.unlock() }
        switch buffering {
        case .unbounded: break
        case .bounded(let limit, let whenFull):
            if waiting.count >= limit { return overflow(element, whenFull) }
        }
        waiting.append(element)
        unlockAndTakeTurn()
    }

    /// With the lock held, which it releases.
    private func overflow(_ element: Element, _ whenFull: Buffering.Overflow) {
        switch whenFull {
        case .dropNewest:
            lock.unlock()
        case .dropOldest:
            let oldest = waiting.removeFirst()
            waiting.append(element)
            lock.unlock()
            withExtendedLifetime(oldest) {}
        case .error:
            unlockAndFail(RxError.overflow)
        }
    }

    override func takeTurn() {
        let item = SingleAssignmentDisposable()
        turn.disposable = item
        item.setDisposable(
            scheduler.schedule(self) { sink in
                sink.deliverOne()
                return Disposables.create()
            })
    }

    private func deliverOne() {
        lock.lock()
        if waiting.isEmpty {
            if !deliverEnd() { giveTurnBack() }
            return
        }
        let element = waiting.removeFirst()
        lock.unlock()
        deliver(element)
        lock.lock()
        giveTurnBack()
    }

    /// With the lock held, which it releases: asks for another turn when something waits.
    private func giveTurnBack() {
        hasTurn = false
        if waiting.isEmpty, end == nil { lock.unlock() } else { unlockAndTakeTurn() }
    }
}
