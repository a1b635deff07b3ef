public import Dispatch
internal import Synchronization

/// Runs actions on the main queue, one after the other.
///
/// What is scheduled on the main queue runs at once, unless something scheduled here runs or waits: then after that, in a
/// turn of its own. `asyncInstance` never runs anything at once.
public final class MainScheduler: SerialDispatchQueueScheduler, @unchecked Sendable {
    // Unchecked: `pending` is atomic.
    public static let instance = MainScheduler()

    /// The main queue without the short way: every action has its turn of the queue.
    public static let asyncInstance: SerialDispatchQueueScheduler = MainAsyncScheduler()

    /// How many of the actions scheduled here run or wait.
    private let pending = Atomic<Int>(0)

    public init() {
        super.init(serialQueue: .main)
    }

    /// Traps unless it is called on the main queue.
    public static func ensureExecutingOnScheduler(errorMessage: String? = nil) {
        if MainQueue.shared.isCurrent { return }
        fatalError(
            errorMessage ?? "this must run on the main queue; `observe(on: MainScheduler.instance)` brings it there")
    }

    /// Traps unless it is called on the main thread, or on the main queue where that is served by others.
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
        // Counted until its turn, also when it is disposed before: order is kept either way.
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

/// `MainScheduler.asyncInstance`.
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
