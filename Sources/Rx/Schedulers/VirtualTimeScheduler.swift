public import Dispatch
public import FoundationEssentials

/// A scheduler whose clock advances only when it runs scheduled actions: time passes instantly and exactly.
///
/// Actions run in order of their times, simultaneous ones in order of scheduling, on the thread that calls `start()` or
/// `advanceTo(_:)`. Scheduling, disposing, and stopping are possible from any thread and from within an action.
///
/// ```
/// let scheduler = HistoricalScheduler()
/// let subscription = Observable<Int>.interval(.seconds(60), scheduler: scheduler).subscribe(onNext: { print($0) })
/// scheduler.advanceTo(Date(timeIntervalSince1970: 3600))  // prints 0 to 59
/// ```
open class VirtualTimeScheduler<Converter: VirtualTimeConverterType>: SchedulerType, CustomDebugStringConvertible,
    @unchecked Sendable
{
    // Unchecked: `lock` guards `state`.
    /// A point in virtual time.
    public typealias VirtualTime = Converter.VirtualTimeUnit
    /// A span of virtual time.
    public typealias VirtualTimeInterval = Converter.VirtualTimeIntervalUnit

    private struct State {
        var clock: VirtualTime
        var isRunning = false
        var isStopping = false
        /// The number of actions scheduled so far.
        var count = 0
        /// Scheduled actions that the running thread has not taken over yet.
        var arrived: [VirtualTimeQueue<Converter>.Entry] = []
        /// Empty while the running thread uses it, so that times are compared without the lock.
        var queue: VirtualTimeQueue<Converter>
    }

    private let converter: Converter
    private let lock = Lock()
    private var state: State

    /// Creates a scheduler whose clock shows `initialClock`.
    public init(initialClock: VirtualTime, converter: Converter) {
        self.converter = converter
        state = State(clock: initialClock, queue: VirtualTimeQueue(converter))
    }

    /// The clock as a date.
    public var now: RxTime { converter.convertFromVirtualTime(clock) }

    /// The time of the last action, or the later time that `sleep` or `advanceTo` has set.
    public var clock: VirtualTime { lock.withLock { state.clock } }

    /// Schedules `action` at the current time as adjusted by `adjustScheduledTime(_:)`.
    #if Migration
        @preconcurrency
    #endif
    public func schedule<ActionState: RxSendable>(
        _ state: ActionState, action: @escaping @Sendable (ActionState) -> any Disposable
    ) -> any Disposable {
        scheduleRelative(state, dueTime: .microseconds(0), action: action)
    }

    /// Schedules `action` at now + `dueTime` as adjusted by `adjustScheduledTime(_:)`. With `.never` it does not run.
    #if Migration
        @preconcurrency
    #endif
    public func scheduleRelative<ActionState: RxSendable>(
        _ state: ActionState, dueTime: RxTimeInterval, action: @escaping @Sendable (ActionState) -> any Disposable
    ) -> any Disposable {
        if dueTime == .never { return Disposables.create() }
        let due = converter.convertToVirtualTime(now.addingTimeInterval(dueTime.seconds))
        return scheduleAbsoluteVirtual(state, time: adjustScheduledTime(due), action: action)
    }

    /// Schedules `action` at clock + `dueTime`, without adjustment.
    #if Migration
        @preconcurrency
    #endif
    public func scheduleRelativeVirtual<ActionState: RxSendable>(
        _ state: ActionState, dueTime: VirtualTimeInterval,
        action: @escaping @Sendable (ActionState) -> any Disposable
    ) -> any Disposable {
        scheduleAbsoluteVirtual(state, time: converter.offsetVirtualTime(clock, offset: dueTime), action: action)
    }

    /// Schedules `action` at `time`, without adjustment. If that has passed, the action runs next, and the clock does
    /// not go back.
    #if Migration
        @preconcurrency
    #endif
    public func scheduleAbsoluteVirtual<ActionState: RxSendable>(
        _ state: ActionState, time: VirtualTime, action: @escaping @Sendable (ActionState) -> any Disposable
    ) -> any Disposable {
        let item = VirtualTimeItem { action(state) }
        lock.withLock {
            self.state.arrived.append(.init(time: time, number: self.state.count, item: item))
            self.state.count += 1
        }
        return item
    }

    /// Returns when `schedule` and `scheduleRelative` run an action that is due at `time`; by default, at `time`.
    /// Subclasses can override it.
    open func adjustScheduledTime(_ time: VirtualTime) -> VirtualTime { time }

    /// Runs all scheduled actions, including those they schedule, until none is left or `stop()` is called.
    ///
    /// While the scheduler is running, this only revokes a `stop()`.
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

    /// Runs the actions due up to and including `time`, then sets the clock to it. Do not call it while the scheduler
    /// runs.
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

    /// Advances the clock without running actions. Actions that were due meanwhile run next, late.
    public func sleep(_ interval: VirtualTimeInterval) {
        let clock = clock
        let time = converter.offsetVirtualTime(clock, offset: interval)
        precondition(
            converter.compareVirtualTime(time, clock) != .lessThan,
            "sleep: the clock is at \(clock) and does not go back to \(time)")
        lock.withLock { state.clock = time }
    }

    /// Stops the scheduler after the current action. Scheduled actions are kept.
    public func stop() {
        lock.withLock { state.isStopping = state.isRunning }
    }

    /// The clock and the times of scheduled actions, in order.
    public var debugDescription: String {
        let (clock, entries) = lock.withLock { (state.clock, state.queue.entries + state.arrived) }
        let times = VirtualTimeQueue(converter, entries).times.map { "\($0)" }
        return "\(type(of: self)) at \(clock), due: [\(times.joined(separator: ", "))]"
    }

    /// Sets the clock to the time of the next action and returns that; nil if none is due until `limit`, or after
    /// `stop()`.
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
