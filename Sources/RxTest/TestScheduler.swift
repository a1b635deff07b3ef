public import Rx

/// A scheduler with virtual time for tests, counted in whole units from `initialClock`.
///
/// Subscribes and disposes at fixed times, and records all events with their times:
///
/// ```
/// let scheduler = TestScheduler(initialClock: 0)
/// let source = scheduler.createHotObservable([.next(150, 1), .next(210, 2), .completed(220)])
/// let observer = scheduler.start { source.map { $0 * 10 } }
/// // observer.events == [.next(210, 20), .completed(220)]
/// // source.subscriptions == [Subscription(200, 220)]
/// ```
public final class TestScheduler: VirtualTimeScheduler<TestSchedulerVirtualTimeConverter>, @unchecked Sendable {
    // Unchecked: see `VirtualTimeScheduler`; the additions are immutable.

    /// The default times of `start`.
    public enum Defaults {
        /// When the sequence is created.
        public static let created: TestTime = 100
        /// When the observer subscribes.
        public static let subscribed: TestTime = 200
        /// When the subscription is disposed.
        public static let disposed: TestTime = 1000
    }

    private let simulateProcessingDelay: Bool
    /// The length of a unit in seconds.
    let resolution: Double
    /// The rounds of marble diagrams, each at least as long as the observation by `start`.
    let rounds = MarbleRounds(zero: Defaults.subscribed, length: Defaults.disposed - Defaults.subscribed)

    /// Creates a scheduler whose clock shows `initialClock`.
    ///
    /// - Parameters:
    ///   - initialClock: the first time, in units.
    ///   - resolution: the length of a unit of test time in seconds.
    ///   - simulateProcessingDelay: whether an action scheduled for the current time or the past runs one unit later,
    ///     so that each pass through the scheduler is visible in the times of events.
    public init(initialClock: TestTime, resolution: Double = 1.0, simulateProcessingDelay: Bool = true) {
        self.simulateProcessingDelay = simulateProcessingDelay
        self.resolution = resolution
        super.init(
            initialClock: initialClock, converter: TestSchedulerVirtualTimeConverter(resolution: resolution))
    }

    public override func adjustScheduledTime(_ time: TestTime) -> TestTime {
        simulateProcessingDelay && time <= clock ? clock + 1 : time
    }

    /// Schedules `action` at `time`.
    #if Migration
        @preconcurrency
    #endif
    public func scheduleAt(_ time: TestTime, action: @escaping @Sendable () -> Void) {
        _ = scheduleAbsoluteVirtual((), time: time) { _ in
            action()
            return Disposables.create()
        }
    }
}
