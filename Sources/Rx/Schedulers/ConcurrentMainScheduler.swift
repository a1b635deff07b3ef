public import Dispatch
public import FoundationEssentials

/// Runs actions on the main queue: at once when scheduled there, whatever runs or waits, else in a turn of their own.
///
/// Meant for `subscribe(on:)`; `observe(on:)` is better served by `MainScheduler`, which keeps the order.
public final class ConcurrentMainScheduler: SchedulerType, TurnQueue {
    public typealias TimeInterval = FoundationEssentials.TimeInterval
    public typealias Time = Date

    public static let instance = ConcurrentMainScheduler()

    private init() {}

    public var now: RxTime { Date() }

    public func schedule<State: Sendable>(
        _ state: State, action: @escaping @Sendable (State) -> any Disposable
    ) -> any Disposable {
        MainQueue.shared.isCurrent ? action(state) : MainQueue.shared.schedule(state, action)
    }

    public func scheduleRelative<State: Sendable>(
        _ state: State, dueTime: RxTimeInterval, action: @escaping @Sendable (State) -> any Disposable
    ) -> any Disposable {
        MainQueue.shared.schedule(state, after: dueTime, action)
    }

    public func schedulePeriodic<State: Sendable>(
        _ state: State, startAfter: RxTimeInterval, period: RxTimeInterval,
        action: @escaping @Sendable (State) -> State
    ) -> any Disposable {
        MainQueue.shared.schedulePeriodic(state, after: startAfter, every: period, action)
    }
}
