public import Dispatch
public import FoundationEssentials

/// Runs actions on a dispatch queue, concurrently if the queue is concurrent.
public final class ConcurrentDispatchQueueScheduler: SchedulerType, TurnQueue, Sendable {
    /// Seconds.
    public typealias TimeInterval = FoundationEssentials.TimeInterval
    /// A date.
    public typealias Time = Date

    private let timers: DispatchQueueTimers

    /// Creates a scheduler that uses `queue`. `leeway` is the permitted delay of timers.
    public init(queue: DispatchQueue, leeway: DispatchTimeInterval = .nanoseconds(0)) {
        timers = DispatchQueueTimers(queue: queue, leeway: leeway)
    }

    /// Creates a scheduler that uses a concurrent queue of the quality of service `qos`. `leeway` is the permitted
    /// delay of timers.
    public init(qos: DispatchQoS, leeway: DispatchTimeInterval = .nanoseconds(0)) {
        let queue = DispatchQueue(label: "rx.global_dispatch_queue.concurrent", qos: qos, attributes: .concurrent)
        timers = DispatchQueueTimers(queue: queue, leeway: leeway)
    }

    /// The current date.
    public var now: RxTime { Date() }

    func turn(_ body: @escaping @Sendable () -> Void) { timers.queue.async(execute: body) }

    /// Runs `action` with `state` on the queue. Disposing the result cancels the action.
    #if Migration
        @preconcurrency
    #endif
    public func schedule<State: RxSendable>(
        _ state: State, action: @escaping @Sendable (State) -> any Disposable
    ) -> any Disposable {
        timers.schedule(state, action)
    }

    /// Runs `action` with `state` on the queue after `dueTime`. Disposing the result cancels the action.
    #if Migration
        @preconcurrency
    #endif
    public func scheduleRelative<State: RxSendable>(
        _ state: State, dueTime: RxTimeInterval, action: @escaping @Sendable (State) -> any Disposable
    ) -> any Disposable {
        timers.schedule(state, after: dueTime, action)
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
        timers.schedulePeriodic(state, after: startAfter, every: period, action)
    }
}
