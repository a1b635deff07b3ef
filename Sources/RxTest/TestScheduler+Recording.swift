public import Rx

// The sequences, the observers, and the runs of a scheduler.
extension TestScheduler {
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
    #if Migration
        @preconcurrency
    #endif
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
    #if Migration
        @preconcurrency
    #endif
    public func start<Element, OutputSequence: ObservableConvertibleType>(
        disposed: TestTime, create: @escaping @Sendable () -> OutputSequence
    ) -> TestableObserver<Element> where OutputSequence.Element == Element {
        start(created: Defaults.created, subscribed: Defaults.subscribed, disposed: disposed, create: create)
    }

    /// Creates a sequence at 100, subscribes an observer at 200, disposes the subscription at 1000, and runs the
    /// scheduler until no action is left.
    ///
    /// - Returns: the observer with the recorded events.
    #if Migration
        @preconcurrency
    #endif
    public func start<Element, OutputSequence: ObservableConvertibleType>(
        _ create: @escaping @Sendable () -> OutputSequence
    ) -> TestableObserver<Element> where OutputSequence.Element == Element {
        start(
            created: Defaults.created, subscribed: Defaults.subscribed, disposed: Defaults.disposed, create: create)
    }
}
