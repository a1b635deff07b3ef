public import Dispatch
public import FoundationEssentials

/// Runs actions on a dispatch queue, at the same time where the queue allows.
public final class ConcurrentDispatchQueueScheduler: SchedulerType, TurnQueue {
    public typealias TimeInterval = FoundationEssentials.TimeInterval
    public typealias Time = Date

    private let timers: DispatchQueueTimers

    public init(queue: DispatchQueue, leeway: DispatchTimeInterval = .nanoseconds(0)) {
        timers = DispatchQueueTimers(queue: queue, leeway: leeway)
    }

    public init(qos: DispatchQoS, leeway: DispatchTimeInterval = .nanoseconds(0)) {
        let queue = DispatchQueue(label: "rx.global_dispatch_queue.concurrent", qos: qos, attributes: .concurrent)
        timers = DispatchQueueTimers(queue: queue, leeway: leeway)
    }

    public var now: RxTime { Date() }

    func turn(_ body: @escaping @Sendable () -> Void) { timers.queue.async(execute: body) }

    public func schedule<State: Sendable>(
        _ state: State, action: @escaping @Sendable (State) -> any Disposable
    ) -> any Disposable {
        timers.schedule(state, action)
    }

    public func scheduleRelative<State: Sendable>(
        _ state: State, dueTime: RxTimeInterval, action: @escaping @Sendable (State) -> any Disposable
    ) -> any Disposable {
        timers.schedule(state, after: dueTime, action)
    }

    public func schedulePeriodic<State: Sendable>(
        _ state: State, startAfter: RxTimeInterval, period: RxTimeInterval,
        action: @escaping @Sendable (State) -> State
    ) -> any Disposable {
        timers.schedulePeriodic(state, after: startAfter, every: period, action)
    }
}
