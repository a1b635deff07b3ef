public import Rx

/// A sequence of events at known times that records its subscriptions and their durations.
///
/// Created by `TestScheduler.createHotObservable(_:)` and `createColdObservable(_:)`.
///
/// An observer that subscribes directly gets every event unchanged, even those after an end, and its subscription lasts
/// until it is disposed. An operator, which subscribes to `asObservable()`, gets a sequence that keeps the grammar and
/// ends its subscription with the first end.
public class TestableObservable<Element: RxSendable>: Observable<Element>, @unchecked Sendable {
    // Unchecked: see `Observable`.

    /// The events and their times.
    public let recordedEvents: [Recorded<Event<Element>>]

    let scheduler: TestScheduler
    private let log = SubscriptionLog()

    init(_ scheduler: TestScheduler, _ events: [Recorded<Event<Element>>]) {
        self.scheduler = scheduler
        recordedEvents = events
        super.init()
    }

    /// The subscriptions so far, in order.
    public var subscriptions: [Subscription] { log.subscriptions }

    /// Returns a sequence of the same events that is another object: code under test cannot cast it back.
    public override consuming func asObservable() -> Observable<Element> {
        .create { [self] observer in subscribe(observer) }
    }

    public override func subscribe<Observer: ObserverType>(_ observer: Observer) -> any Disposable
    where Observer.Element == Element {
        begin { observer.on($0) }
    }

    public override func run(_ stage: Stage<Element>) {
        let upstream = SingleAssignmentDisposable()
        stage.attach(upstream)
        upstream.setDisposable(begin { stage.on($0) })
    }

    private func begin(_ observer: @escaping @Sendable (Event<Element>) -> Void) -> any Disposable {
        let end = log.begin(scheduler)
        let source = connect(observer)
        return Disposables.create {
            end()
            source.dispose()
        }
    }

    /// Sends the events to `observer` until the result is disposed.
    func connect(_ observer: @escaping @Sendable (Event<Element>) -> Void) -> any Disposable {
        preconditionFailure("hot and cold observables override connect(_:)")
    }
}

/// The times of subscriptions.
private final class SubscriptionLog: Sendable {
    private let list = Locked<[Subscription]>([])

    var subscriptions: [Subscription] { list.withLock { $0 } }

    /// Records a subscription at the current time. Call the result to record its end.
    func begin(_ scheduler: TestScheduler) -> @Sendable () -> Void {
        let begin = scheduler.clock
        let index = list.withLock {
            $0.append(Subscription(begin))
            return $0.count - 1
        }
        return { [self] in
            let end = scheduler.clock
            list.withLock { $0[index] = Subscription(begin, end) }
        }
    }
}

final class HotObservable<Element: RxSendable>: TestableObservable<Element>, @unchecked Sendable {
    // Unchecked: see `Observable`.
    private let audience = Audience<Element>()

    override init(_ scheduler: TestScheduler, _ events: [Recorded<Event<Element>>]) {
        super.init(scheduler, events)
        for event in events {
            scheduler.scheduleAt(event.time) { [audience] in audience.send(event.value) }
        }
    }

    /// Creates a sequence whose times are frames. It plays in each round from frame 0 of that round.
    ///
    /// Events are scheduled as late as possible, so a subscription at the same frame comes before an event.
    init(_ scheduler: TestScheduler, _ events: [Recorded<Event<Element>>], playedIn rounds: MarbleRounds) {
        let zero = rounds.zero(at: scheduler.clock)
        super.init(scheduler, events.map { Recorded(time: zero + $0.time, value: $0.value) })
        rounds.add(at: scheduler.clock) { [weak self, weak scheduler] zero in
            guard let audience = self?.audience, let scheduler else { return false }
            scheduler.scheduleAt(scheduler.clock) { [unowned scheduler] in
                for event in events {
                    scheduler.scheduleAt(zero + event.time) { audience.send(event.value) }
                }
            }
            return true
        }
    }

    override func connect(_ observer: @escaping @Sendable (Event<Element>) -> Void) -> any Disposable {
        audience.join(observer)
    }
}

/// The subscribers of a hot observable. Separate from it, so that pending actions do not retain the scheduler.
private final class Audience<Element: RxSendable>: Sendable {
    private struct Members {
        var observers: [(id: Int, observer: @Sendable (Event<Element>) -> Void)] = []
        var nextID = 0
    }

    private let members = Locked(Members())

    func join(_ observer: @escaping @Sendable (Event<Element>) -> Void) -> any Disposable {
        let id = members.withLock {
            $0.observers.append(($0.nextID, observer))
            $0.nextID += 1
            return $0.nextID - 1
        }
        return Disposables.create { [self] in
            let gone = members.withLock { members in
                members.observers.firstIndex { $0.id == id }.map { members.observers.remove(at: $0) }
            }
            _ = gone
        }
    }

    /// Sends an event to the current subscribers.
    func send(_ event: Event<Element>) {
        let present = members.withLock { $0.observers }
        for (_, observer) in present { observer(event) }
    }
}

final class ColdObservable<Element: RxSendable>: TestableObservable<Element>, @unchecked Sendable {
    // Unchecked: see `Observable`.
    override func connect(_ observer: @escaping @Sendable (Event<Element>) -> Void) -> any Disposable {
        let scheduled = recordedEvents.map { event in
            scheduler.scheduleRelativeVirtual((), dueTime: event.time) { _ in
                observer(event.value)
                return Disposables.create()
            }
        }
        return Disposables.create(scheduled)
    }
}
