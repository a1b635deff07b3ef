internal import Synchronization

/// A scheduler with a clock.
public protocol SchedulerType: ImmediateSchedulerType {
    var now: RxTime { get }

    /// Runs `action` with `state` after `dueTime`. Disposing the result stops it, and what it returned.
    func scheduleRelative<State: Sendable>(
        _ state: State, dueTime: RxTimeInterval, action: @escaping @Sendable (State) -> any Disposable
    ) -> any Disposable

    /// Runs `action` after `startAfter` and then every `period`, each time with the state it returned before.
    func schedulePeriodic<State: Sendable>(
        _ state: State, startAfter: RxTimeInterval, period: RxTimeInterval,
        action: @escaping @Sendable (State) -> State
    ) -> any Disposable
}

extension SchedulerType {
    /// By repeated `scheduleRelative`, for schedulers without periodic timers of their own.
    public func schedulePeriodic<State: Sendable>(
        _ state: State, startAfter: RxTimeInterval, period: RxTimeInterval,
        action: @escaping @Sendable (State) -> State
    ) -> any Disposable {
        let timer = RelayedTimer(state, scheduler: self, period: period, action: action)
        timer.schedule(after: startAfter)
        // Not the timer, which holds the action.
        return timer.current
    }
}

/// Each turn schedules the next before it runs the action, so the period does not stretch by what the action takes and, in
/// virtual time, the next turn comes before whatever the action schedules for the same time.
///
/// A turn that comes while the action still runs, on a concurrent scheduler, leaves its share to the one that runs it.
final class RelayedTimer<State: Sendable>: @unchecked Sendable {
    // Unchecked: `state` belongs to whoever raised `pending` from zero; `current` and `pending` guard themselves.
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
