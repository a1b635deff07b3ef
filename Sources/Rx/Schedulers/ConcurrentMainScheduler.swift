public import Dispatch
public import FoundationEssentials

/// Runs actions on the main queue: at once if the caller is on it, otherwise in a turn of their own.
///
/// Intended for `subscribe(on:)`. For `observe(on:)` use `MainScheduler`, which keeps the order.
public final class ConcurrentMainScheduler: MainSchedulerType, TurnQueue, Sendable {
    /// Seconds.
    public typealias TimeInterval = FoundationEssentials.TimeInterval
    /// A date.
    public typealias Time = Date

    /// The shared instance.
    public static let instance = ConcurrentMainScheduler()

    private init() {}

    /// The current date.
    public var now: RxTime { Date() }

    /// Runs `action` with `state` at once on the main queue, otherwise in a turn of it. Disposing the result cancels
    /// the action.
    #if Migration
        @preconcurrency
    #endif
    public func schedule<State: RxSendable>(
        _ state: State, action: @escaping @Sendable (State) -> any Disposable
    ) -> any Disposable {
        MainQueue.shared.isCurrent ? action(state) : MainQueue.shared.schedule(state, action)
    }

    func turnLater(_ body: @escaping @Sendable () -> Void) {
        _ = MainQueue.shared.schedule(()) { _ in
            body()
            return Disposables.create()
        }
    }

    /// Runs `action` with `state` on the main queue after `dueTime`. Disposing the result cancels the action.
    #if Migration
        @preconcurrency
    #endif
    public func scheduleRelative<State: RxSendable>(
        _ state: State, dueTime: RxTimeInterval, action: @escaping @Sendable (State) -> any Disposable
    ) -> any Disposable {
        MainQueue.shared.schedule(state, after: dueTime, action)
    }

    /// Runs `action` after `startAfter` and then once per `period`, with the state that the previous run returned,
    /// until the result is disposed.
    #if Migration
        @preconcurrency
    #endif
    public func schedulePeriodic<State: RxSendable>(
        _ state: State, startAfter: RxTimeInterval, period: RxTimeInterval,
        action: @escaping @Sendable (State) -> State
    ) -> any Disposable {
        MainQueue.shared.schedulePeriodic(state, after: startAfter, every: period, action)
    }
}
