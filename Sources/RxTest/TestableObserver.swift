public import Rx

/// Records events with the times of its scheduler.
public final class TestableObserver<Element: RxSendable>: ObserverType, Sendable {
    private let scheduler: TestScheduler
    private let received = Locked<[Recorded<Event<Element>>]>([])

    init(_ scheduler: TestScheduler) {
        self.scheduler = scheduler
    }

    /// All events so far.
    public var events: [Recorded<Event<Element>>] { received.withLock { $0 } }

    /// Records `event` with the current time.
    public func on(_ event: Event<Element>) {
        let time = scheduler.clock
        received.withLock { $0.append(Recorded(time: time, value: event)) }
    }
}
