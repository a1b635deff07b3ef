public import Dispatch
internal import Synchronization

/// Runs actions on the main queue, one after the other.
///
/// An action that is scheduled on the main queue runs at once, unless another action of this scheduler is running or
/// waiting; then it follows in a turn of its own. `asyncInstance` never runs an action at once.
public final class MainScheduler: SerialDispatchQueueScheduler, @unchecked Sendable {
    // Unchecked: `pending` is atomic.
    /// The shared instance.
    public static let instance = MainScheduler()

    /// A scheduler that always runs actions in a turn of the main queue, never at once.
    public static let asyncInstance: SerialDispatchQueueScheduler = MainAsyncScheduler()

    /// The number of running and waiting actions.
    private let pending = Atomic<Int>(0)

    /// Creates a scheduler for the main queue with its own order of actions.
    public init() {
        super.init(serialQueue: .main)
    }

    /// Traps unless the caller is on the main queue.
    public static func ensureExecutingOnScheduler(errorMessage: String? = nil) {
        if MainQueue.shared.isCurrent { return }
        fatalError(
            errorMessage ?? "this must run on the main queue; `observe(on: MainScheduler.instance)` brings it there")
    }

    /// Traps unless the caller is on the main thread, or on the main queue if other threads serve it.
    public static func ensureRunningOnMainThread(errorMessage: String? = nil) {
        if MainQueue.shared.isCurrent { return }
        fatalError(errorMessage ?? "this must run on the main thread")
    }

    override func turn(_ body: @escaping @Sendable () -> Void) {
        _ = schedule(()) { _ in
            body()
            return Disposables.create()
        }
    }

    public override func schedule<State: Sendable>(
        _ state: State, action: @escaping @Sendable (State) -> any Disposable
    ) -> any Disposable {
        let others = pending.add(1, ordering: .acquiringAndReleasing).oldValue
        if others == 0, MainQueue.shared.isCurrent {
            defer { release() }
            return action(state)
        }
        // Counted until its turn, even if it is disposed earlier; this keeps the order.
        let item = ScheduledItem(state, action)
        _ = MainQueue.shared.schedule(self) { scheduler in
            defer { scheduler.release() }
            item.run()
            return Disposables.create()
        }
        return item
    }

    public override func scheduleRelative<State: Sendable>(
        _ state: State, dueTime: RxTimeInterval, action: @escaping @Sendable (State) -> any Disposable
    ) -> any Disposable {
        MainQueue.shared.schedule(state, after: dueTime, action)
    }

    public override func schedulePeriodic<State: Sendable>(
        _ state: State, startAfter: RxTimeInterval, period: RxTimeInterval,
        action: @escaping @Sendable (State) -> State
    ) -> any Disposable {
        MainQueue.shared.schedulePeriodic(state, after: startAfter, every: period, action)
    }

    private func release() { pending.subtract(1, ordering: .acquiringAndReleasing) }
}

/// The implementation of `MainScheduler.asyncInstance`.
private final class MainAsyncScheduler: SerialDispatchQueueScheduler, @unchecked Sendable {
    // Unchecked: immutable.
    init() {
        super.init(serialQueue: .main)
    }

    override func turn(_ body: @escaping @Sendable () -> Void) {
        _ = schedule(()) { _ in
            body()
            return Disposables.create()
        }
    }

    override func schedule<State: Sendable>(
        _ state: State, action: @escaping @Sendable (State) -> any Disposable
    ) -> any Disposable {
        MainQueue.shared.schedule(state, action)
    }

    override func scheduleRelative<State: Sendable>(
        _ state: State, dueTime: RxTimeInterval, action: @escaping @Sendable (State) -> any Disposable
    ) -> any Disposable {
        MainQueue.shared.schedule(state, after: dueTime, action)
    }

    override func schedulePeriodic<State: Sendable>(
        _ state: State, startAfter: RxTimeInterval, period: RxTimeInterval,
        action: @escaping @Sendable (State) -> State
    ) -> any Disposable {
        MainQueue.shared.schedulePeriodic(state, after: startAfter, every: period, action)
    }
}
