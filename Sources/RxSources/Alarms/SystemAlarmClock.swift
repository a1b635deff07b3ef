internal import Rx
public import RxLoop
public import RxPlatform
public import RxTime

/// The system's clock, served by a loop: one timer of the kernel for all alarms.
///
/// A pending alarm takes less than 100 bytes, and to set or to cancel one takes less than a microsecond. An alarm is
/// never early; on an idle machine its body is on its queue a fraction of a millisecond after the instant.
public final class SystemAlarmClock: AlarmClock {
    /// Alarms that are taken at a time when many are due, so that others can set alarms meanwhile.
    private static let batch = 64

    private struct State {
        var heap = AlarmHeap()
        var observers = ClockObservers()
        /// The instant for which the kernel's timer is set, in microseconds.
        var armed = Int64.max
    }

    private let state = Locked(State())
    private let timer: WallTimer
    private let loop: EventLoop

    /// A clock that `loop` serves as long as it runs. Loop thread only, or before the loop runs.
    ///
    /// - Throws: the error of making the kernel's timer.
    public init(loop: EventLoop) throws(SystemCallError) {
        self.loop = loop
        timer = try WallTimer(loop: loop)
        try timer.watch { [weak self] wasSet in self?.turn(wasSet: wasSet) }
        state.withLock { _ = arm(&$0) }
    }

    public var now: Instant { Instant(microseconds: WallTimer.now) }

    public var elapsed: Duration { WallTimer.elapsed }

    @discardableResult
    public func schedule(
        at instant: Instant, on queue: WorkQueue, _ body: @escaping @Sendable () -> Void
    ) -> Alarm {
        let due = instant.microseconds
        let (alarm, wasSet) = state.withLock { state in
            let alarm = state.heap.insert(due: due, AlarmHeap.Call(body: body, queue: queue))
            return (alarm, due < state.armed && arm(&state))
        }
        if wasSet { loop.execute { [weak self] in self?.turn(wasSet: true) } }
        return alarm
    }

    public func cancel(_ alarm: Alarm) {
        // Released after the lock. The timer stays as it is: at worst the loop wakes up once for nothing.
        _ = state.withLock { $0.heap.remove(alarm) }
    }

    public func observeChanges(on queue: WorkQueue, _ body: @escaping @Sendable () -> Void) -> ClockObserver {
        state.withLock { $0.observers.add(AlarmHeap.Call(body: body, queue: queue)) }
    }

    public func remove(_ observer: ClockObserver) { _ = state.withLock { $0.observers.remove(observer) } }

    /// Hands what is due to its queues, and sets the timer for the rest. On the loop.
    func turn(wasSet: Bool) {
        var wasSet = wasSet
        repeat {
            if wasSet {
                for call in state.withLock({ $0.observers.all }) { call.queue.async(call.body) }
            }
            while case let calls = takeDue(), !calls.isEmpty {
                for call in calls { call.queue.async(call.body) }
            }
            wasSet = state.withLock { arm(&$0) }
        } while wasSet
    }

    private func takeDue() -> [AlarmHeap.Call] {
        let now = WallTimer.now
        return state.withLock { state in
            var calls: [AlarmHeap.Call] = []
            while calls.count < Self.batch, let call = state.heap.removeDue(at: now) { calls.append(call) }
            return calls
        }
    }

    /// Sets the timer for the first alarm; without one, for a time that does not come, so that it reports changes of
    /// the clock. Returns whether the clock was set meanwhile. The call of the kernel is made with the lock held, since
    /// the last one of two must be the one for the earlier instant.
    private func arm(_ state: inout State) -> Bool {
        state.armed = state.heap.firstDue ?? .max
        return timer.set(min(state.armed, Instant.horizon.microseconds))
    }
}
