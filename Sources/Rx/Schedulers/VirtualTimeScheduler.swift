public import Dispatch
public import FoundationEssentials

/// A scheduler whose clock moves only as it runs what was scheduled: time passes at once and exactly.
///
/// Actions run in the order of their times, those of one time in the order in which they were scheduled, each on the
/// thread that runs the scheduler by `start()` or `advanceTo(_:)`. Scheduling, disposing and stopping are possible from
/// any thread and from within an action.
///
/// ```
/// let scheduler = HistoricalScheduler()
/// let subscription = Observable<Int>.interval(.seconds(60), scheduler: scheduler).subscribe(onNext: { print($0) })
/// scheduler.advanceTo(Date(timeIntervalSince1970: 3600))  // prints 0 to 59
/// ```
open class VirtualTimeScheduler<Converter: VirtualTimeConverterType>: SchedulerType, CustomDebugStringConvertible,
    @unchecked Sendable
{
    // Unchecked: `state` is guarded by `lock`.
    public typealias VirtualTime = Converter.VirtualTimeUnit
    public typealias VirtualTimeInterval = Converter.VirtualTimeIntervalUnit

    private struct State {
        var clock: VirtualTime
        var isRunning = false
        var isStopping = false
        /// How many actions were scheduled.
        var count = 0
        /// Scheduled, and not yet seen by whoever runs.
        var arrived: [VirtualTimeQueue<Converter>.Entry] = []
        /// Empty while whoever runs works on it: times are compared without the lock.
        var queue: VirtualTimeQueue<Converter>
    }

    private let converter: Converter
    private let lock = Lock()
    private var state: State

    public init(initialClock: VirtualTime, converter: Converter) {
        self.converter = converter
        state = State(clock: initialClock, queue: VirtualTimeQueue(converter))
    }

    /// The clock, as a date.
    public var now: RxTime { converter.convertFromVirtualTime(clock) }

    /// The time of what ran last, or where `sleep` or `advanceTo` went since.
    public var clock: VirtualTime { lock.withLock { state.clock } }

    /// As `scheduleRelative` with no delay: at the time that `adjustScheduledTime(_:)` makes of now.
    public func schedule<ActionState: Sendable>(
        _ state: ActionState, action: @escaping @Sendable (ActionState) -> any Disposable
    ) -> any Disposable {
        scheduleRelative(state, dueTime: .microseconds(0), action: action)
    }

    /// Runs `action` at now + `dueTime`, adjusted by `adjustScheduledTime(_:)`; with `.never` it does not run.
    public func scheduleRelative<ActionState: Sendable>(
        _ state: ActionState, dueTime: RxTimeInterval, action: @escaping @Sendable (ActionState) -> any Disposable
    ) -> any Disposable {
        if dueTime == .never { return Disposables.create() }
        let due = converter.convertToVirtualTime(now.addingTimeInterval(dueTime.seconds))
        return scheduleAbsoluteVirtual(state, time: adjustScheduledTime(due), action: action)
    }

    /// Runs `action` at clock + `dueTime`, which is not adjusted.
    public func scheduleRelativeVirtual<ActionState: Sendable>(
        _ state: ActionState, dueTime: VirtualTimeInterval,
        action: @escaping @Sendable (ActionState) -> any Disposable
    ) -> any Disposable {
        scheduleAbsoluteVirtual(state, time: converter.offsetVirtualTime(clock, offset: dueTime), action: action)
    }

    /// Runs `action` at `time`, which is not adjusted; when that has passed, next, and the clock does not go back.
    public func scheduleAbsoluteVirtual<ActionState: Sendable>(
        _ state: ActionState, time: VirtualTime, action: @escaping @Sendable (ActionState) -> any Disposable
    ) -> any Disposable {
        let item = VirtualTimeItem { action(state) }
        lock.withLock {
            self.state.arrived.append(.init(time: time, number: self.state.count, item: item))
            self.state.count += 1
        }
        return item
    }

    /// Where `schedule` and `scheduleRelative` put what is due at `time`: `time` itself, unless a subclass says otherwise.
    open func adjustScheduledTime(_ time: VirtualTime) -> VirtualTime { time }

    /// Runs what is scheduled, and what that schedules, until nothing is left or `stop()` is called.
    ///
    /// Called while the scheduler runs it only takes back a `stop()`.
    public func start() {
        let isMine = lock.withLock {
            defer { state.isRunning = true }
            state.isStopping = false
            return !state.isRunning
        }
        guard isMine else { return }
        while let item = takeNext(until: nil) { item.run() }
        lock.withLock { state.isRunning = false }
    }

    /// Runs what is due until `time`, that included, then sets the clock there. Not for use while the scheduler runs.
    public func advanceTo(_ time: VirtualTime) {
        precondition(
            converter.compareVirtualTime(time, clock) != .lessThan,
            "advanceTo: the clock is at \(clock) and does not go back to \(time)")
        let isMine = lock.withLock {
            defer { state.isRunning = true }
            if !state.isRunning { state.isStopping = false }
            return !state.isRunning
        }
        precondition(isMine, "advanceTo: the scheduler is already running")
        while let item = takeNext(until: time) { item.run() }
        lock.withLock {
            state.clock = time
            state.isRunning = false
        }
    }

    /// Lets time pass without running anything: what was due meanwhile runs next, late.
    public func sleep(_ interval: VirtualTimeInterval) {
        let clock = clock
        let time = converter.offsetVirtualTime(clock, offset: interval)
        precondition(
            converter.compareVirtualTime(time, clock) != .lessThan,
            "sleep: the clock is at \(clock) and does not go back to \(time)")
        lock.withLock { state.clock = time }
    }

    /// Makes the scheduler stop after the action that runs. What is scheduled stays.
    public func stop() {
        lock.withLock { state.isStopping = state.isRunning }
    }

    /// The clock and the times of what is scheduled, in order.
    public var debugDescription: String {
        let (clock, entries) = lock.withLock { (state.clock, state.queue.entries + state.arrived) }
        let times = VirtualTimeQueue(converter, entries).times.map { "\($0)" }
        return "\(type(of: self)) at \(clock), due: [\(times.joined(separator: ", "))]"
    }

    /// Takes what is due first, the clock set to its time; nil when nothing is due until `limit`, or on `stop()`.
    private func takeNext(until limit: VirtualTime?) -> VirtualTimeItem? {
        var queue = VirtualTimeQueue(converter)
        var arrived: [VirtualTimeQueue<Converter>.Entry] = []
        var now = lock.withLock {
            swap(&queue, &state.queue)
            swap(&arrived, &state.arrived)
            return state.clock
        }
        for entry in arrived { queue.insert(entry) }
        let next = queue.takeFirst(until: limit)
        if let next, converter.compareVirtualTime(next.time, now) == .greaterThan { now = next.time }
        return lock.withLock {
            swap(&queue, &state.queue)
            guard let next else { return nil }
            if state.isStopping {
                state.arrived.append(next)
                return nil
            }
            state.clock = now
            return next.item
        }
    }
}
