public import Rx

/// Records what it receives, with the time of its scheduler.
public final class TestableObserver<Element: Sendable>: ObserverType {
    private let scheduler: TestScheduler
    private let received = Locked<[Recorded<Event<Element>>]>([])

    init(_ scheduler: TestScheduler) {
        self.scheduler = scheduler
    }

    /// Everything received so far.
    public var events: [Recorded<Event<Element>>] { received.withLock { $0 } }

    public func on(_ event: Event<Element>) {
        let time = scheduler.clock
        received.withLock { $0.append(Recorded(time: time, value: event)) }
    }
}
