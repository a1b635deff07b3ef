internal import Rx
public import RxJSON
public import RxPlatform
public import RxStreams
public import RxTime

/// The source of `after`: emits a slot once a time has passed since the start, and then each time it has passed since
/// `settled`, which the binding calls when the execution has ended.
///
/// What counts is the time that passes: a clock that is set neither shortens nor lengthens it. Nothing is missed, and
/// there are no positions.
public final class AfterSource: StreamSource {
    private struct State {
        var isRunning = false
        /// When the next element is due, on the scale of `AlarmClock.elapsed`; nil while an element is not settled.
        var due: Duration?
        var alarm: Alarm?
        var observer: ClockObserver?
    }

    private let delay: Duration
    private let zone: SlotZone
    private let clock: any AlarmClock
    private let queue: WorkQueue
    private let gate = ReceiverGate()
    private let state = Locked(State())

    /// A source that calls its receiver on `queue`, which must be serial; `zone` is for `local` of its elements.
    public init(_ delay: Duration, zone: SlotZone, clock: any AlarmClock, queue: WorkQueue) {
        self.delay = delay
        self.zone = zone
        self.clock = clock
        self.queue = queue
    }

    /// When the next element is due if the clock is not set; nil while the last one is not settled. Any thread.
    public var upcoming: Instant? {
        let (now, elapsed) = (clock.now, clock.elapsed)
        return state.withLock { $0.due }.map { now.adding($0 - elapsed) }
    }

    /// What the source would emit if the time had just passed. Any thread.
    public var elementOfNow: RawJSON { SlotElement.ofNow(clock.now, in: zone.rules).json }

    public func start(after position: RawJSON?, into receiver: any SourceReceiver) {
        gate.open(receiver)
        let observer = clock.observeChanges(on: queue) { [weak self] in self?.turn() }
        state.withLock { state in
            state.isRunning = true
            state.observer = observer
        }
        begin()
    }

    public func settled(through position: RawJSON?) { begin() }

    public func stop() {
        let ended = state.withLock { state in
            defer { state = State() }
            return state
        }
        if let alarm = ended.alarm { clock.cancel(alarm) }
        if let observer = ended.observer { clock.remove(observer) }
        gate.close()
    }

    private func begin() {
        let due = clock.elapsed + delay
        state.withLock { if $0.isRunning { $0.due = due } }
        // Alarms are set on the queue only, one at a time.
        queue.async { [weak self] in self?.turn() }
    }

    /// Emits if the time has passed; otherwise waits for the rest of it, since the clock was set meanwhile.
    private func turn() {
        let (now, elapsed) = (clock.now, clock.elapsed)
        let rest = state.withLock { state -> Duration? in
            guard let due = state.due else { return nil }
            // An alarm at a microsecond may be a fraction of it early on the other clock.
            if due - elapsed < .milliseconds(1) { state.due = nil }
            return due - elapsed
        }
        guard let rest else { return }
        guard rest < .milliseconds(1) else { return wake(at: now.adding(rest)) }
        let scheduled = now.adding(rest)
        let element = SlotElement(scheduled: scheduled, zone: zone.rules, fired: now, missed: 0)
        gate.call { $0.receive([SourceElement(value: element.json, time: scheduled, scheduled: scheduled)]) }
    }

    private func wake(at instant: Instant) {
        let alarm = clock.schedule(at: instant, on: queue) { [weak self] in self?.turn() }
        let unused = state.withLock { state -> Alarm? in
            guard state.isRunning else { return alarm }
            defer { state.alarm = alarm }
            return state.alarm
        }
        if let unused { clock.cancel(unused) }
    }
}
