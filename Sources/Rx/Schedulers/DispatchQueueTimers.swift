internal import Dispatch
internal import FoundationEssentials

/// The common part of the schedulers that use a dispatch queue.
struct DispatchQueueTimers: Sendable {
    /// Replaces a zero or negative period: one tick per turn of the queue, which leaves turns for others.
    private static let shortestPeriod = DispatchTimeInterval.nanoseconds(1)

    /// Identifies the queue that the caller runs on.
    private static let mark = DispatchSpecificKey<ObjectIdentifier>()

    let queue: DispatchQueue
    let leeway: DispatchTimeInterval

    init(queue: DispatchQueue, leeway: DispatchTimeInterval) {
        self.queue = queue
        self.leeway = leeway
    }

    /// Enables `isCurrent` for this queue and queues that target it.
    func setMark() { queue.setSpecific(key: DispatchQueueTimers.mark, value: ObjectIdentifier(queue)) }

    /// Whether the caller is on this queue, which must be marked, or on one that targets it and has no mark of its own.
    var isCurrent: Bool { DispatchQueue.getSpecific(key: DispatchQueueTimers.mark) == ObjectIdentifier(queue) }

    func schedule<State: RxSendable>(
        _ state: State, _ action: @escaping @Sendable (State) -> any Disposable
    ) -> any Disposable {
        let item = ScheduledItem(state, action)
        queue.async { item.run() }
        return item
    }

    func schedule<State: RxSendable>(
        _ state: State, after due: DispatchTimeInterval, _ action: @escaping @Sendable (State) -> any Disposable
    ) -> any Disposable {
        if due.seconds <= 0 { return schedule(state, action) }
        let item = ScheduledItem(state, action)
        let timer = QueueTimer(queue)
        timer.start(after: due, repeating: .never, leeway: leeway) { [timer] in
            item.run()
            timer.dispose()
        }
        return CompositeDisposable(timer, item)
    }

    func schedulePeriodic<State: RxSendable>(
        _ state: State, after due: DispatchTimeInterval, every period: DispatchTimeInterval,
        _ action: @escaping @Sendable (State) -> State
    ) -> any Disposable {
        let timer = QueueTimer(queue)
        let current = Locked(state)
        let period = period.seconds > 0 ? period : DispatchQueueTimers.shortestPeriod
        timer.start(after: due, repeating: period, leeway: leeway) { [timer] in
            if timer.isDisposed { return }
            let next = action(current.withLock { $0 })
            current.withLock { $0 = next }
        }
        return timer
    }
}

/// A dispatch timer that is canceled when disposed.
private final class QueueTimer: DisposeBase, Cancelable, @unchecked Sendable {
    // Unchecked: `source` is configured before it is shared, and dispatch sources are thread-safe.
    private let source: any DispatchSourceTimer

    init(_ queue: DispatchQueue) {
        source = DispatchSource.makeTimerSource(queue: queue)
    }

    func start(
        after due: DispatchTimeInterval, repeating period: DispatchTimeInterval, leeway: DispatchTimeInterval,
        _ handler: @escaping @Sendable () -> Void
    ) {
        source.setEventHandler(handler: DispatchWorkItem(block: handler))
        source.schedule(deadline: .now() + due, repeating: period, leeway: leeway)
        source.resume()
    }

    var isDisposed: Bool { source.isCancelled }

    override func dispose() {
        // Canceling releases the handler and its captures.
        source.cancel()
    }
}
