/// `observe(on:)` with one turn of the scheduler per event, or with a bounded buffer of waiting elements.
final class HopSink<Element: RxSendable>: ObserveOnSink<Element>, @unchecked Sendable {
    // Unchecked: see `ObserveOnSink`; `lock` guards `waiting`.
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
        // Released outside the lock.
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

    /// Handles an element that finds the buffer full. Called with the lock held; releases it.
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

    /// Ends the turn and requests another one if events wait. Called with the lock held; releases it.
    private func giveTurnBack() {
        hasTurn = false
        if waiting.isEmpty, end == nil { lock.unlock() } else { unlockAndTakeTurn() }
    }
}
