public import Dispatch
public import FoundationEssentials

/// Runs actions on a serial dispatch queue, one after the other.
public class SerialDispatchQueueScheduler: SchedulerType, TurnQueue, @unchecked Sendable {
    // Unchecked because it can be subclassed: it is immutable, and so are its subclasses, except for atomics.
    /// Seconds.
    public typealias TimeInterval = FoundationEssentials.TimeInterval
    /// A date.
    public typealias Time = Date

    private let timers: DispatchQueueTimers

    /// Creates a scheduler that uses the serial `queue` itself.
    init(serialQueue queue: DispatchQueue, leeway: DispatchTimeInterval = .nanoseconds(0)) {
        timers = DispatchQueueTimers(queue: queue, leeway: leeway)
    }

    /// Creates a scheduler with its own serial queue.
    ///
    /// - Parameters:
    ///   - name: the label of the queue.
    ///   - configure: called once with the new queue, before it is used.
    ///   - leeway: the permitted delay of timers.
    public init(
        internalSerialQueueName name: String,
        serialQueueConfiguration configure: ((DispatchQueue) -> Void)? = nil,
        leeway: DispatchTimeInterval = .nanoseconds(0)
    ) {
        let queue = DispatchQueue(label: name)
        configure?(queue)
        timers = DispatchQueueTimers(queue: queue, leeway: leeway)
    }

    /// Creates a scheduler with its own serial queue that targets `queue`, which may be serial or concurrent.
    public init(
        queue: DispatchQueue, internalSerialQueueName name: String, leeway: DispatchTimeInterval = .nanoseconds(0)
    ) {
        timers = DispatchQueueTimers(queue: DispatchQueue(label: name, target: queue), leeway: leeway)
    }

    /// Creates a scheduler with its own serial queue that targets the global queue of the quality of service `qos`.
    public init(
        qos: DispatchQoS, internalSerialQueueName name: String = "rx.global_dispatch_queue.serial",
        leeway: DispatchTimeInterval = .nanoseconds(0)
    ) {
        let queue = DispatchQueue(label: name, target: .global(qos: qos.qosClass))
        timers = DispatchQueueTimers(queue: queue, leeway: leeway)
    }

    /// The current date.
    public var now: RxTime { Date() }

    /// Enables `isCurrent`. Not done by default, because it costs each scheduler and few need it.
    package func markQueue() { timers.setMark() }

    /// Whether the caller runs on this scheduler, whose queue must be marked. Always false for the main queue, whose
    /// schedulers track what they run at once.
    package var isCurrent: Bool { timers.isCurrent && timers.queue !== DispatchQueue.main }

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
