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
        return timer
    }
}

/// Each tick schedules the next before it acts, so that a slow action does not make the period longer and, in virtual
/// time, ticks come at whole multiples of it. Ticks that come while one is acting, on a concurrent scheduler, are made up
/// for after it.
final class RelayedTimer<State: Sendable>: DisposeBase, @unchecked Sendable {
    // Unchecked: `state` is changed by the one who found no tick acting; the rest guards itself.
    private let scheduler: any SchedulerType
    private let period: RxTimeInterval
    private let action: @Sendable (State) -> State
    private let current = SerialDisposable()
    private let ticks = Atomic(0)
    @exclusivity(unchecked) private var state: State

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
            scheduler.scheduleRelative((), dueTime: due) { _ in
                self.tick()
                return Disposables.create()
            })
    }

    private func tick() {
        if current.isDisposed { return }
        schedule(after: period)
        if ticks.add(1, ordering: .acquiringAndReleasing).oldValue != 0 { return }
        repeat {
            if current.isDisposed { return }
            state = action(state)
        } while ticks.subtract(1, ordering: .acquiringAndReleasing).newValue != 0
    }

    override func dispose() { current.dispose() }
}
