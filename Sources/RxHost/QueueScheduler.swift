internal import Dispatch
internal import FoundationEssentials
internal import Rx
internal import RxPlatform

/// An Rx scheduler that runs actions on a serial queue of the platform.
final class QueueScheduler: SchedulerType {
    private let queue: WorkQueue
    private let clock: WallClock

    /// - Parameter label: the queue's name, for people who debug.
    init(_ platform: Platform, label: String) {
        queue = platform.queues.serial(label)
        clock = platform.wallClock
    }

    var now: RxTime { Date(timeIntervalSince1970: Double(clock.milliseconds) / 1000) }

    func schedule<State: Sendable>(
        _ state: State, action: @escaping @Sendable (State) -> any Disposable
    ) -> any Disposable {
        let turn = SingleAssignmentDisposable()
        queue.async {
            if !turn.isDisposed { turn.setDisposable(action(state)) }
        }
        return turn
    }

    func scheduleRelative<State: Sendable>(
        _ state: State, dueTime: RxTimeInterval, action: @escaping @Sendable (State) -> any Disposable
    ) -> any Disposable {
        guard let delay = dueTime.duration else { return Disposables.create() }
        if delay <= .zero { return schedule(state, action: action) }
        let turn = SingleAssignmentDisposable()
        let timer = queue.async(after: delay) {
            if !turn.isDisposed { turn.setDisposable(action(state)) }
        }
        return Disposables.create(turn, Disposables.create { timer.cancel() })
    }

    func schedulePeriodic<State: Sendable>(
        _ state: State, startAfter: RxTimeInterval, period: RxTimeInterval,
        action: @escaping @Sendable (State) -> State
    ) -> any Disposable {
        guard let delay = startAfter.duration else { return Disposables.create() }
        let current = Locked(state)
        let isOver = BooleanDisposable()
        let timer = queue.timer(after: delay, every: period.duration, leeway: .zero) {
            if isOver.isDisposed { return }
            let next = action(current.withLock { $0 })
            current.withLock { $0 = next }
        }
        return Disposables.create(isOver, Disposables.create { timer.cancel() })
    }
}
