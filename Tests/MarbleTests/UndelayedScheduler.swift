import Rx
import RxTest

/// The virtual time of a scheduler, with immediate work done at once: a driver then delivers when its source does.
struct UndelayedScheduler: SchedulerType {
    let scheduler: TestScheduler

    var now: RxTime { scheduler.now }

    func schedule<State: Sendable>(
        _ state: State, action: @escaping @Sendable (State) -> any Disposable
    ) -> any Disposable {
        action(state)
    }

    func scheduleRelative<State: Sendable>(
        _ state: State, dueTime: RxTimeInterval, action: @escaping @Sendable (State) -> any Disposable
    ) -> any Disposable {
        scheduler.scheduleRelative(state, dueTime: dueTime, action: action)
    }
}
