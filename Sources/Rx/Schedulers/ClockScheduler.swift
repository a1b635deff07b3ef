public import FoundationEssentials

/// Runs actions at times of a `Clock`, one after the other, in tasks of Swift's concurrency pool.
///
/// It sleeps with the clock itself, so whoever controls the clock controls the scheduler: with a clock of a test, time
/// passes when the test advances it.
///
/// ```
/// let clock = ManualClock()  // of a test
/// let scheduler = ClockScheduler(clock: clock)
/// let subscription = Observable<Int>.interval(.seconds(1), scheduler: scheduler).subscribe(onNext: { print($0) })
/// clock.advance(by: .seconds(3))  // soon prints 0, 1, 2
/// ```
///
/// - Actions run in the order of their times, and those of one time in the order of scheduling. No two run at once. An
///   action scheduled without a time has the current one, so it follows everything that is due.
/// - An action never runs within the call that schedules it.
/// - Disposing what scheduling returned cancels the action. When nothing is left to wait for, the scheduler does not
///   sleep on the clock.
/// - Actions must not block: they use the threads of Swift's concurrency pool.
public final class ClockScheduler<ClockType: Clock>: SchedulerType, Sendable where ClockType.Duration == Duration {
    /// The clock that the scheduler sleeps with.
    public let clock: ClockType
    private let driver: ClockDriver<ClockType>

    /// Creates a scheduler.
    ///
    /// - Parameters:
    ///   - clock: the clock to sleep with.
    ///   - date: the date of the clock's current instant, from which `now` counts on.
    ///   - tolerance: the permitted delay of each sleep; nil leaves it to the clock.
    public init(clock: ClockType, date: RxTime = Date(), tolerance: Duration? = nil) {
        self.clock = clock
        driver = ClockDriver(clock, ClockTime(origin: clock.now, date: date), tolerance)
    }

    /// The clock's current instant as a date.
    public var now: RxTime { driver.time.convertFromVirtualTime(clock.now) }

    /// Runs `action` with `state` at the current instant, after everything that is due. Disposing the result cancels
    /// the action or disposes what it returned.
    #if Migration
        @preconcurrency
    #endif
    public func schedule<State: RxSendable>(
        _ state: State, action: @escaping @Sendable (State) -> any Disposable
    ) -> any Disposable {
        scheduleAbsolute(state, time: clock.now, action: action)
    }

    /// Runs `action` with `state` after `dueTime`, at most 100 years; never with `.never`. Disposing the result cancels
    /// the action or disposes what it returned.
    #if Migration
        @preconcurrency
    #endif
    public func scheduleRelative<State: RxSendable>(
        _ state: State, dueTime: RxTimeInterval, action: @escaping @Sendable (State) -> any Disposable
    ) -> any Disposable {
        guard let delay = dueTime.duration else { return Disposables.create() }
        return scheduleAbsolute(state, time: clock.now.advanced(by: max(delay, .zero)), action: action)
    }

    /// Runs `action` with `state` at `time`, or as soon as possible if that has passed. Disposing the result cancels
    /// the action or disposes what it returned.
    #if Migration
        @preconcurrency
    #endif
    public func scheduleAbsolute<State: RxSendable>(
        _ state: State, time: ClockType.Instant, action: @escaping @Sendable (State) -> any Disposable
    ) -> any Disposable {
        driver.schedule(at: time) { action(state) }
    }

    /// Runs `action` after `startAfter` and then once per `period`, with the state that the previous run returned,
    /// until the result is disposed.
    ///
    /// The times do not drift. Late runs are made up for, unless more than 1,000 are missing; then the period starts
    /// anew at the current time. A period of zero or less counts as a nanosecond.
    #if Migration
        @preconcurrency
    #endif
    public func schedulePeriodic<State: RxSendable>(
        _ state: State, startAfter: RxTimeInterval, period: RxTimeInterval,
        action: @escaping @Sendable (State) -> State
    ) -> any Disposable {
        guard let delay = startAfter.duration else { return Disposables.create() }
        let ticker = ClockTicker(state, driver, period: period.duration, action)
        ticker.arm(at: clock.now.advanced(by: max(delay, .zero)))
        // Not the ticker, which holds the action.
        return ticker.current
    }
}
