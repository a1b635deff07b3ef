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
        let timer = RelayedTimer(scheduler: self, period: period, action: action)
        timer.schedule(state, after: startAfter)
        return timer
    }
}

final class RelayedTimer<State: Sendable>: DisposeBase, @unchecked Sendable {
    // Unchecked: immutable besides `current`, which guards itself.
    private let scheduler: any SchedulerType
    private let period: RxTimeInterval
    private let action: @Sendable (State) -> State
    private let current = SerialDisposable()

    init(scheduler: any SchedulerType, period: RxTimeInterval, action: @escaping @Sendable (State) -> State) {
        self.scheduler = scheduler
        self.period = period
        self.action = action
    }

    func schedule(_ state: State, after due: RxTimeInterval) {
        let turn = SingleAssignmentDisposable()
        current.disposable = turn
        turn.setDisposable(
            scheduler.scheduleRelative(state, dueTime: due) { state in
                guard !self.current.isDisposed else { return Disposables.create() }
                let next = self.action(state)
                self.schedule(next, after: self.period)
                return Disposables.create()
            })
    }

    override func dispose() { current.dispose() }
}
