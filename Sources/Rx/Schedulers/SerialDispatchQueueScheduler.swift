public import Dispatch
public import FoundationEssentials

/// Runs actions one after the other on a serial dispatch queue.
public class SerialDispatchQueueScheduler: SchedulerType, TurnQueue, @unchecked Sendable {
    // Unchecked, as subclassable: immutable, and so are the subclasses besides what is atomic.
    public typealias TimeInterval = FoundationEssentials.TimeInterval
    public typealias Time = Date

    private let timers: DispatchQueueTimers

    /// On `queue` itself, which is serial.
    init(serialQueue queue: DispatchQueue, leeway: DispatchTimeInterval = .nanoseconds(0)) {
        timers = DispatchQueueTimers(queue: queue, leeway: leeway)
    }

    /// On a serial queue of its own.
    ///
    /// - Parameter leeway: how late a timer may be, for the system's convenience.
    public init(
        internalSerialQueueName name: String,
        serialQueueConfiguration configure: ((DispatchQueue) -> Void)? = nil,
        leeway: DispatchTimeInterval = .nanoseconds(0)
    ) {
        let queue = DispatchQueue(label: name)
        configure?(queue)
        timers = DispatchQueueTimers(queue: queue, leeway: leeway)
    }

    /// On a serial queue of its own that runs on `queue`, be that serial or concurrent.
    public init(
        queue: DispatchQueue, internalSerialQueueName name: String, leeway: DispatchTimeInterval = .nanoseconds(0)
    ) {
        timers = DispatchQueueTimers(queue: DispatchQueue(label: name, target: queue), leeway: leeway)
    }

    /// On a serial queue of its own over the shared threads of that quality of service.
    public init(
        qos: DispatchQoS, internalSerialQueueName name: String = "rx.global_dispatch_queue.serial",
        leeway: DispatchTimeInterval = .nanoseconds(0)
    ) {
        timers = DispatchQueueTimers(queue: DispatchQueue(label: name, qos: qos), leeway: leeway)
    }

    public var now: RxTime { Date() }

    /// Makes known to `isCurrent` what runs here. Not by itself: it would cost each scheduler, and few are asked.
    package func markQueue() { timers.setMark() }

    /// Whether the caller runs on this scheduler, if its queue was marked. Never on the main queue, whose schedulers know
    /// themselves what they run at once.
    package var isCurrent: Bool { timers.isCurrent && timers.queue !== DispatchQueue.main }

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
