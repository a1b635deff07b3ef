internal import Rx
public import RxPlatform
public import RxTime

/// A clock of which a test is the time: nothing happens, and no time passes, but in `run` and in the functions that
/// move the clock. They are called from one thread at a time, and not by what they call.
///
/// A function returns when everything has been done that is due then.
public final class SimulatedAlarmClock: AlarmClock {
    private struct State {
        var now: Instant
        var elapsed = Duration.zero
        var heap = AlarmHeap()
        var observers = ClockObservers()
    }

    private let state: Locked<State>
    private let ready = SimulatedQueue()

    /// A clock that shows `now`.
    public init(at now: Instant) { state = Locked(State(now: now)) }

    /// A serial queue whose work runs in `run` and in the functions that move the clock. It has no timers.
    public var queue: WorkQueue { ready }

    public var now: Instant { state.withLock { $0.now } }

    public var elapsed: Duration { state.withLock { $0.elapsed } }

    /// How many alarms are pending.
    public var pending: Int { state.withLock { $0.heap.count } }

    /// The instant of the first pending alarm; it may have passed.
    public var firstAlarm: Instant? { state.withLock { $0.heap.firstDue.map { Instant(microseconds: $0) } } }

    @discardableResult
    public func schedule(
        at instant: Instant, on queue: WorkQueue, _ body: @escaping @Sendable () -> Void
    ) -> Alarm {
        state.withLock { $0.heap.insert(due: instant.microseconds, AlarmHeap.Call(body: body, queue: queue)) }
    }

    public func cancel(_ alarm: Alarm) { _ = state.withLock { $0.heap.remove(alarm) } }

    public func observeChanges(on queue: WorkQueue, _ body: @escaping @Sendable () -> Void) -> ClockObserver {
        state.withLock { $0.observers.add(AlarmHeap.Call(body: body, queue: queue)) }
    }

    public func remove(_ observer: ClockObserver) { _ = state.withLock { $0.observers.remove(observer) } }

    // MARK: Its time

    /// Does what is due now.
    public func run() {
        ready.drain()
        while let call = takeDue() {
            call.queue.async(call.body)
            ready.drain()
        }
    }

    /// Lets time pass up to an instant; each alarm is called at its own.
    public func advance(to end: Instant) {
        run()
        while let due = firstAlarm, due <= end {
            pass(to: due)
            run()
        }
        pass(to: end)
    }

    /// Lets time pass; each alarm is called at its instant.
    public func advance(by time: Duration) { advance(to: now.adding(time)) }

    /// Lets time pass in which nothing runs: everything that came due is late.
    public func stall(for time: Duration) {
        pass(to: now.adding(time))
        run()
    }

    /// Suspends the machine for a time.
    public func suspend(for time: Duration) {
        pass(to: now.adding(time))
        reportChange()
    }

    /// Sets the clock, forward or back, without any time passing.
    public func set(to instant: Instant) {
        state.withLock { $0.now = instant }
        reportChange()
    }

    private func reportChange() {
        for call in state.withLock({ $0.observers.all }) { call.queue.async(call.body) }
        run()
    }

    private func pass(to instant: Instant) {
        state.withLock { state in
            guard instant > state.now else { return }
            state.elapsed += .microseconds(instant.microseconds - state.now.microseconds)
            state.now = instant
        }
    }

    private func takeDue() -> AlarmHeap.Call? { state.withLock { $0.heap.removeDue(at: $0.now.microseconds) } }
}

// Unchecked: the work is locked.
/// The queue of a simulated clock.
private final class SimulatedQueue: WorkQueue, @unchecked Sendable {
    private let waiting = Locked<[@Sendable () -> Void]>([])

    override func async(_ body: @escaping @Sendable () -> Void) { waiting.withLock { $0.append(body) } }

    override func run(_ body: () -> Void) { body() }

    func drain() {
        while true {
            let bodies = waiting.withLock { waiting in
                defer { waiting = [] }
                return waiting
            }
            if bodies.isEmpty { return }
            for body in bodies { body() }
        }
    }
}
