public import Rx

/// The time of a `TestScheduler`.
public typealias TestTime = Int

/// Virtual time for tests, counted in whole units from `initialClock`.
///
/// Subscribes and disposes at fixed times and records when what arrived:
///
/// ```
/// let scheduler = TestScheduler(initialClock: 0)
/// let source = scheduler.createHotObservable([.next(150, 1), .next(210, 2), .completed(220)])
/// let observer = scheduler.start { source.map { $0 * 10 } }
/// // observer.events == [.next(210, 20), .completed(220)]
/// // source.subscriptions == [Subscription(200, 220)]
/// ```
public final class TestScheduler: VirtualTimeScheduler<TestSchedulerVirtualTimeConverter>, @unchecked Sendable {
    // Unchecked: see `VirtualTimeScheduler`; what it adds is immutable.

    /// When `start` does what, unless told otherwise.
    public enum Defaults {
        /// When the sequence is made.
        public static let created: TestTime = 100
        /// When it is subscribed.
        public static let subscribed: TestTime = 200
        /// When that subscription is disposed.
        public static let disposed: TestTime = 1000
    }

    private let simulateProcessingDelay: Bool
    /// The seconds of a unit.
    let resolution: Double
    /// Of marble diagrams.
    let rounds = MarbleRounds()

    /// - Parameters:
    ///   - resolution: how many seconds of an `RxTimeInterval` are one unit of test time.
    ///   - simulateProcessingDelay: whether what is scheduled for now, or for the past, runs one unit later, so that each
    ///     passage through the scheduler shows in the times of events.
    public init(initialClock: TestTime, resolution: Double = 1.0, simulateProcessingDelay: Bool = true) {
        self.simulateProcessingDelay = simulateProcessingDelay
        self.resolution = resolution
        super.init(
            initialClock: initialClock, converter: TestSchedulerVirtualTimeConverter(resolution: resolution))
    }

    public override func adjustScheduledTime(_ time: TestTime) -> TestTime {
        simulateProcessingDelay && time <= clock ? clock + 1 : time
    }

    /// Runs `action` at `time`.
    public func scheduleAt(_ time: TestTime, action: @escaping @Sendable () -> Void) {
        _ = scheduleAbsoluteVirtual((), time: time) { _ in
            action()
            return Disposables.create()
        }
    }

    /// A sequence that sends its events at their times on the clock, whoever is subscribed then.
    public func createHotObservable<Element>(_ events: [Recorded<Event<Element>>]) -> TestableObservable<Element> {
        HotObservable(self, events)
    }

    /// A sequence that sends its events to each subscriber at their times after the subscription.
    public func createColdObservable<Element>(_ events: [Recorded<Event<Element>>]) -> TestableObservable<Element> {
        ColdObservable(self, events)
    }

    /// An observer that records what it receives, with the time.
    public func createObserver<Element>(_ type: Element.Type) -> TestableObserver<Element> {
        TestableObserver(self)
    }

    /// Makes a sequence at `created`, subscribes an observer at `subscribed`, disposes that at `disposed`, and runs the
    /// scheduler until nothing is left.
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

    /// As `start(created:subscribed:disposed:create:)`, made at 100 and subscribed at 200.
    public func start<Element, OutputSequence: ObservableConvertibleType>(
        disposed: TestTime, create: @escaping @Sendable () -> OutputSequence
    ) -> TestableObserver<Element> where OutputSequence.Element == Element {
        start(created: Defaults.created, subscribed: Defaults.subscribed, disposed: disposed, create: create)
    }

    /// As `start(created:subscribed:disposed:create:)`, made at 100, subscribed at 200, disposed at 1000.
    public func start<Element, OutputSequence: ObservableConvertibleType>(
        _ create: @escaping @Sendable () -> OutputSequence
    ) -> TestableObserver<Element> where OutputSequence.Element == Element {
        start(
            created: Defaults.created, subscribed: Defaults.subscribed, disposed: Defaults.disposed, create: create)
    }
}
