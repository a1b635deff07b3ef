internal import Synchronization

/// A scheduler with a clock.
#if Migration
    @preconcurrency
#endif
public protocol SchedulerType: ImmediateSchedulerType {
    /// The current time of the scheduler.
    var now: RxTime { get }

    /// Runs `action` with `state` after `dueTime`. Disposing the result cancels the action or disposes what it
    /// returned.
    #if Migration
        @preconcurrency
    #endif
    func scheduleRelative<State: RxSendable>(
        _ state: State, dueTime: RxTimeInterval, action: @escaping @Sendable (State) -> any Disposable
    ) -> any Disposable

    /// Runs `action` after `startAfter` and then once per `period`, with the state that the previous run returned,
    /// until the result is disposed.
    #if Migration
        @preconcurrency
    #endif
    func schedulePeriodic<State: RxSendable>(
        _ state: State, startAfter: RxTimeInterval, period: RxTimeInterval,
        action: @escaping @Sendable (State) -> State
    ) -> any Disposable
}

extension SchedulerType {
    /// Runs `action` periodically by repeated `scheduleRelative`, for schedulers without periodic timers.
    #if Migration
        @preconcurrency
    #endif
    public func schedulePeriodic<State: RxSendable>(
        _ state: State, startAfter: RxTimeInterval, period: RxTimeInterval,
        action: @escaping @Sendable (State) -> State
    ) -> any Disposable {
        let timer = RelayedTimer(state, scheduler: self, period: period, action: action)
        timer.schedule(after: startAfter)
        // Not the timer, which holds the action.
        return timer.current
    }
}

/// Periodic runs by repeated scheduling. Each turn schedules the next one before it runs the action, so the action's
/// duration does not lengthen the period. In virtual time, the next turn precedes everything that the action schedules
/// for the same time.
///
/// On a concurrent scheduler, a turn that comes while the action is running leaves its run to that turn.
final class RelayedTimer<State: RxSendable>: @unchecked Sendable {
    // Unchecked: `state` belongs to the caller that raised `pending` from zero; `current` and `pending` are
    // thread-safe.
    private let scheduler: any SchedulerType
    private let period: RxTimeInterval
    private let action: @Sendable (State) -> State
    let current = SerialDisposable()
    private let pending = Atomic<Int>(0)
    private var state: State

    init(
        _ state: State, scheduler: any SchedulerType, period: RxTimeInterval,
        action: @escaping @Sendable (State) -> State
    ) {
        self.state = state
        self.scheduler = scheduler
        self.period = period
        self.action = action
    }

    func schedule(after due: RxTimeInterval) {
        let turn = SingleAssignmentDisposable()
        current.disposable = turn
        turn.setDisposable(
            scheduler.scheduleRelative(self, dueTime: due) { timer in
                timer.takeTurn()
                return Disposables.create()
            })
    }

    private func takeTurn() {
        if current.isDisposed { return }
        schedule(after: period)
        guard pending.add(1, ordering: .acquiringAndReleasing).oldValue == 0 else { return }
        repeat {
            if !current.isDisposed { state = action(state) }
        } while pending.subtract(1, ordering: .acquiringAndReleasing).newValue > 0
    }
}
