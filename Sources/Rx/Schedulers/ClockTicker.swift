internal import Dispatch

/// The runs of a periodic action on a clock. Each turn schedules the next one before it runs the action, at a time that
/// follows from its own time, so that neither delays nor the action's duration shift the period.
final class ClockTicker<State: RxSendable, ClockType: Clock>: @unchecked Sendable where ClockType.Duration == Duration {
    // Unchecked: `state` is touched only by the actions of the driver, which run one at a time.

    /// Replaces a period of zero or less.
    private static var shortestPeriod: Duration { .nanoseconds(1) }
    /// The number of late runs that are made up for. A step of a test's clock rarely has more, and a program that was
    /// asleep for a day does not begin with a day of runs.
    private static var latePeriods: Int { 1_000 }

    let current = SerialDisposable()
    private let driver: ClockDriver<ClockType>
    /// Nil runs the action once.
    private let period: Duration?
    private let action: @Sendable (State) -> State
    private var state: State

    init(
        _ state: State, _ driver: ClockDriver<ClockType>, period: Duration?,
        _ action: @escaping @Sendable (State) -> State
    ) {
        self.state = state
        self.driver = driver
        self.period = period.map { max($0, ClockTicker.shortestPeriod) }
        self.action = action
    }

    func arm(at due: ClockType.Instant) {
        let turn = SingleAssignmentDisposable()
        current.disposable = turn
        turn.setDisposable(
            driver.schedule(at: due) {
                self.run(due)
                return Disposables.create()
            })
    }

    private func run(_ due: ClockType.Instant) {
        if current.isDisposed { return }
        if let period { arm(at: next(after: due, period)) }
        state = action(state)
    }

    private func next(after due: ClockType.Instant, _ period: Duration) -> ClockType.Instant {
        let now = driver.clock.now
        return due.duration(to: now) > period * ClockTicker.latePeriods ? now : due.advanced(by: period)
    }
}
