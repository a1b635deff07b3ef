public import Dispatch
internal import Synchronization

/// Runs actions on the main queue, one after the other.
///
/// An action that is scheduled on the main queue runs at once, unless another action of this scheduler is running or
/// waiting; then it follows in a turn of its own. `asyncInstance` never runs an action at once.
public final class MainScheduler: SerialDispatchQueueScheduler, MainSchedulerType, @unchecked Sendable {
    // Unchecked: `pending` is atomic.
    /// The shared instance.
    public static let instance = MainScheduler()

    /// A scheduler that always runs actions in a turn of the main queue, never at once.
    public static let asyncInstance = MainAsyncScheduler()

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

    #if Migration
        @preconcurrency
    #endif
    public override func schedule<State: RxSendable>(
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

    #if Migration
        @preconcurrency
    #endif
    public override func scheduleRelative<State: RxSendable>(
        _ state: State, dueTime: RxTimeInterval, action: @escaping @Sendable (State) -> any Disposable
    ) -> any Disposable {
        MainQueue.shared.schedule(state, after: dueTime, action)
    }

    #if Migration
        @preconcurrency
    #endif
    public override func schedulePeriodic<State: RxSendable>(
        _ state: State, startAfter: RxTimeInterval, period: RxTimeInterval,
        action: @escaping @Sendable (State) -> State
    ) -> any Disposable {
        MainQueue.shared.schedulePeriodic(state, after: startAfter, every: period, action)
    }

    private func release() { pending.subtract(1, ordering: .acquiringAndReleasing) }
}

/// A scheduler that always runs actions in a turn of the main queue, never at once: `MainScheduler.asyncInstance`.
public final class MainAsyncScheduler: SerialDispatchQueueScheduler, MainSchedulerType, @unchecked Sendable {
    // Unchecked: immutable.
    fileprivate init() {
        super.init(serialQueue: .main)
    }

    override func turn(_ body: @escaping @Sendable () -> Void) {
        _ = schedule(()) { _ in
            body()
            return Disposables.create()
        }
    }

    /// Runs `action` with `state` in a turn of the main queue. Disposing the result cancels the action.
    #if Migration
        @preconcurrency
    #endif
    public override func schedule<State: RxSendable>(
        _ state: State, action: @escaping @Sendable (State) -> any Disposable
    ) -> any Disposable {
        MainQueue.shared.schedule(state, action)
    }

    /// Runs `action` with `state` on the main queue after `dueTime`. Disposing the result cancels the action.
    #if Migration
        @preconcurrency
    #endif
    public override func scheduleRelative<State: RxSendable>(
        _ state: State, dueTime: RxTimeInterval, action: @escaping @Sendable (State) -> any Disposable
    ) -> any Disposable {
        MainQueue.shared.schedule(state, after: dueTime, action)
    }

    /// Runs `action` after `startAfter` and then once per `period`, with the state that the previous run returned,
    /// until the result is disposed.
    #if Migration
        @preconcurrency
    #endif
    public override func schedulePeriodic<State: RxSendable>(
        _ state: State, startAfter: RxTimeInterval, period: RxTimeInterval,
        action: @escaping @Sendable (State) -> State
    ) -> any Disposable {
        MainQueue.shared.schedulePeriodic(state, after: startAfter, every: period, action)
    }
}
