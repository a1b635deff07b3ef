public import Rx

/// A sequence of events at known times, which records when it was subscribed and for how long.
///
/// Made by `TestScheduler.createHotObservable(_:)` and `createColdObservable(_:)`.
///
/// An observer that subscribes directly, not through an operator, is handed every event as it is: also those after an end,
/// and the subscription lasts until it is disposed.
public class TestableObservable<Element: Sendable>: Observable<Element>, @unchecked Sendable {
    // Unchecked: see `Observable`.

    /// What is sent, and when.
    public let recordedEvents: [Recorded<Event<Element>>]

    let scheduler: TestScheduler
    private let log = SubscriptionLog()

    init(_ scheduler: TestScheduler, _ events: [Recorded<Event<Element>>]) {
        self.scheduler = scheduler
        recordedEvents = events
        super.init()
    }

    /// The subscriptions made so far, in their order.
    public var subscriptions: [Subscription] { log.subscriptions }

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

    /// Lets the events go to `observer` until the result is disposed.
    func connect(_ observer: @escaping @Sendable (Event<Element>) -> Void) -> any Disposable {
        preconditionFailure("hot and cold observables override connect(_:)")
    }
}

/// The times of subscriptions.
private final class SubscriptionLog: Sendable {
    private let list = Locked<[Subscription]>([])

    var subscriptions: [Subscription] { list.withLock { $0 } }

    /// Notes a subscription now; the result notes its end.
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

final class HotObservable<Element: Sendable>: TestableObservable<Element>, @unchecked Sendable {
    // Unchecked: see `Observable`.
    private let audience = Audience<Element>()

    override init(_ scheduler: TestScheduler, _ events: [Recorded<Event<Element>>]) {
        super.init(scheduler, events)
        for event in events {
            scheduler.scheduleAt(event.time) { [audience] in audience.send(event.value) }
        }
    }

    /// Its times being frames, played in each round from its frame 0 on.
    ///
    /// Events are scheduled as late as the scheduler runs: who subscribes at the frame of one comes before it.
    init(_ scheduler: TestScheduler, _ events: [Recorded<Event<Element>>], playedIn rounds: MarbleRounds) {
        let zero = rounds.zero(scheduler)
        super.init(scheduler, events.map { Recorded(time: zero + $0.time, value: $0.value) })
        rounds.add(scheduler) { [weak self, weak scheduler] zero in
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

/// Who is subscribed to a hot observable. Apart from it, so that what is scheduled does not hold the scheduler.
private final class Audience<Element: Sendable>: Sendable {
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

    /// To those who are there now.
    func send(_ event: Event<Element>) {
        let present = members.withLock { $0.observers }
        for (_, observer) in present { observer(event) }
    }
}

final class ColdObservable<Element: Sendable>: TestableObservable<Element>, @unchecked Sendable {
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
