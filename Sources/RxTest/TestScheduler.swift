public import Rx

/// The time of a `TestScheduler`, in units of its resolution.
public typealias TestTime = Int

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
    /// The rounds of marble diagrams.
    let rounds = MarbleRounds()

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
    public func scheduleAt(_ time: TestTime, action: @escaping @Sendable () -> Void) {
        _ = scheduleAbsoluteVirtual((), time: time) { _ in
            action()
            return Disposables.create()
        }
    }

    /// Creates a sequence that sends its events at their clock times to the subscribers present then.
    public func createHotObservable<Element>(_ events: [Recorded<Event<Element>>]) -> TestableObservable<Element> {
        HotObservable(self, events)
    }

    /// Creates a sequence that sends its events to each subscriber, at times relative to the subscription.
    public func createColdObservable<Element>(_ events: [Recorded<Event<Element>>]) -> TestableObservable<Element> {
        ColdObservable(self, events)
    }

    /// Creates an observer that records events with their times.
    public func createObserver<Element>(_ type: Element.Type) -> TestableObserver<Element> {
        TestableObserver(self)
    }

    /// Creates a sequence at `created`, subscribes an observer at `subscribed`, disposes the subscription at
    /// `disposed`, and runs the scheduler until no action is left.
    ///
    /// - Returns: the observer with the recorded events.
    public func start<Element, OutputSequence: ObservableConvertibleType>(
        created: TestTime, subscribed: TestTime, disposed: TestTime, create: @escaping @Sendable () -> OutputSequence
    ) -> TestableObserver<Element> where OutputSequence.Element == Element {
        let observer = createObserver(Element.self)
        let source = Locked<Observable<Element>?>(nil)
        let subscription = SingleAssignmentDisposable()
        scheduleAt(created) {
            let made = create().asObservable()
            source.withLock { $0 = made }
        }
        scheduleAt(subscribed) {
            guard let made = source.withLock({ $0 }) else {
                preconditionFailure("start: a sequence is made (\(created)) before it is subscribed (\(subscribed))")
            }
            subscription.setDisposable(made.subscribe(observer))
        }
        scheduleAt(disposed) { subscription.dispose() }
        start()
        return observer
    }

    /// Creates a sequence at 100, subscribes an observer at 200, disposes the subscription at `disposed`, and runs the
    /// scheduler until no action is left.
    ///
    /// - Returns: the observer with the recorded events.
    public func start<Element, OutputSequence: ObservableConvertibleType>(
        disposed: TestTime, create: @escaping @Sendable () -> OutputSequence
    ) -> TestableObserver<Element> where OutputSequence.Element == Element {
        start(created: Defaults.created, subscribed: Defaults.subscribed, disposed: disposed, create: create)
    }

    /// Creates a sequence at 100, subscribes an observer at 200, disposes the subscription at 1000, and runs the
    /// scheduler until no action is left.
    ///
    /// - Returns: the observer with the recorded events.
    public func start<Element, OutputSequence: ObservableConvertibleType>(
        _ create: @escaping @Sendable () -> OutputSequence
    ) -> TestableObserver<Element> where OutputSequence.Element == Element {
        start(
            created: Defaults.created, subscribed: Defaults.subscribed, disposed: Defaults.disposed, create: create)
    }
}
