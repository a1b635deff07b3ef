import Rx
import RxTest
import Testing
import TestSupport

@Suite("Sharing: multicast, publish, replay, refCount", .leakFree)
struct SharingTests {
    /// How often a sequence was subscribed and disposed, and what was heard, in order.
    private final class Log: Sendable {
        private let lines = Locked<[String]>([])
        var text: String { lines.withLock { $0.joined(separator: " ") } }
        func note(_ line: String) { lines.withLock { $0.append(line) } }
        func count(_ line: String) -> Int { lines.withLock { $0.count { $0 == line } } }
    }

    private func connectable(
        _ scheduler: TestScheduler, _ make: (Observable<Int>) -> ConnectableObservable<Int>
    ) -> (TestableObservable<Int>, ConnectableObservable<Int>) {
        let source = scheduler.createHotObservable([
            .next(210, 1), .next(220, 2), .next(230, 3), .next(240, 4), .next(250, 5), .completed(260),
        ])
        return (source, make(source))
    }

    @Test("nothing is subscribed before connect, and a disposed connection sends nothing, not even an end")
    func connectAndDispose() {
        let scheduler = TestScheduler(initialClock: 0)
        let (source, shared) = connectable(scheduler) { $0.publish() }
        let connection = SerialDisposable()
        scheduler.scheduleAt(215) { connection.disposable = shared.connect() }
        scheduler.scheduleAt(235) { connection.dispose() }
        let observer = scheduler.start { shared }
        #expect(observer.events == [.next(220, 2), .next(230, 3)])
        #expect(source.subscriptions == [Subscription(215, 235)])
    }

    @Test("publish gives late subscribers what comes later; replay what it kept, first")
    func replayed() {
        let scheduler = TestScheduler(initialClock: 0)
        for (make, expected) in [
            ({ $0.publish() }, [.next(240, 4), .next(250, 5), .completed(260)]),
            (
                { $0.replay(2) },
                [.next(235, 2), .next(235, 3), .next(240, 4), .next(250, 5), .completed(260)]
            ),
            (
                { $0.replayAll() },
                [
                    .next(235, 1), .next(235, 2), .next(235, 3), .next(240, 4), .next(250, 5), .completed(260),
                ]
            ),
        ] as [((Observable<Int>) -> ConnectableObservable<Int>, [Recorded<Event<Int>>])] {
            let scheduler = TestScheduler(initialClock: scheduler.clock)
            let (source, shared) = connectable(scheduler, make)
            let observer = scheduler.createObserver(Int.self)
            scheduler.scheduleAt(200) { _ = shared.connect() }
            scheduler.scheduleAt(235) { _ = shared.subscribe(observer) }
            scheduler.start()
            #expect(observer.events == expected)
            #expect(source.subscriptions == [Subscription(200, 260)])
        }
    }

    @Test("connecting twice gives the same connection while it lasts, and another when it is over")
    func sameConnection() {
        let source = PublishSubject<Int>()
        let shared = source.publish()
        let first = shared.connect()
        let firstObject = ObjectIdentifier(first as AnyObject)
        #expect(ObjectIdentifier(shared.connect() as AnyObject) == firstObject)
        first.dispose()
        #expect(!source.hasObservers)
        let second = shared.connect()
        #expect(ObjectIdentifier(second as AnyObject) != firstObject)
        #expect(source.hasObservers)
        second.dispose()
    }

    @Test("a subject is made once a connection, when it is first needed")
    func subjectPerConnection() {
        let source = PublishSubject<Int>()
        let made = Locked(0)
        let shared = source.multicast {
            made.withLock { $0 += 1 }
            return ReplaySubject<Int>.create(bufferSize: 1)
        }
        #expect(made.withLock { $0 } == 0)
        let first = Recorder<Int>(), second = Recorder<Int>(), third = Recorder<Int>()
        let subscriptions = [shared.subscribe(first), shared.subscribe(second)]
        #expect(made.withLock { $0 } == 1)
        let connection = shared.connect()
        source.onNext(1)
        #expect(made.withLock { $0 } == 1)
        connection.dispose()
        // Those of the connection that is over hear nothing any more.
        let later = shared.subscribe(third)
        #expect(made.withLock { $0 } == 2)
        let again = shared.connect()
        source.onNext(2)
        #expect(first.text == "1")
        #expect(second.text == "1")
        #expect(third.text == "2")
        source.onCompleted()
        #expect(third.text == "2 |")
        #expect(made.withLock { $0 } == 2)
        for disposable in subscriptions + [later, again] { disposable.dispose() }
    }

    @Test("multicast with a subject feeds that subject, also after it has ended")
    func givenSubject() {
        let source = PublishSubject<Int>()
        let subject = PublishSubject<Int>()
        let shared = source.multicast(subject)
        let early = Recorder<Int>(), late = Recorder<Int>()
        _ = subject.subscribe(early)
        _ = shared.connect()
        source.onNext(1)
        source.onCompleted()
        _ = shared.subscribe(late)
        #expect(early.text == "1 |")
        #expect(late.text == "|")
    }

    @Test("the connection of a source that has ended is stopped before its end is handed on")
    func orderOfTheEnd() {
        let log = Log()
        let shared = Observable<Int>.create { observer in
            observer.onNext(1)
            observer.onCompleted()
            return Disposables.create { log.note("stopped") }
        }.publish()
        _ = shared.subscribe(
            onNext: { log.note("\($0)") }, onCompleted: { log.note("|") }, onDisposed: { log.note("disposed") })
        let connection = shared.connect()
        #expect(log.text == "1 | disposed stopped" || log.text == "1 stopped | disposed")
        #expect(log.count("stopped") == 1)
        connection.dispose()
        #expect(log.count("stopped") == 1)
    }

    @Test("multicast with a selector subscribes once for all uses, for each subscriber anew")
    func selector() {
        let scheduler = TestScheduler(initialClock: 0)
        let source = scheduler.createHotObservable([.next(210, 1), .next(220, 2), .next(230, 3), .completed(240)])
        let observer = scheduler.start {
            source.multicast(
                { PublishSubject<Int>() }, selector: { shared in shared.flatMap { _ in shared.take(1) } })
        }
        #expect(observer.events == [.next(220, 2), .next(230, 3), .completed(240)])
        #expect(source.subscriptions == [Subscription(200, 240)])
    }

    @Test("what the closures of multicast throw is the subscriber's error, and nothing is subscribed", arguments: 0...1)
    func selectorThrows(which: Int) {
        let source = PublishSubject<Int>()
        let failing = source.multicast(
            { () throws -> PublishSubject<Int> in
                if which == 0 { throw Oops() }
                return PublishSubject()
            },
            selector: { (_: Observable<Int>) throws -> Observable<Int> in throw Oops() })
        #expect(marbles(of: failing) == "x")
        #expect(!source.hasObservers)
    }

    @Test("disposing what multicast's selector made disposes the source")
    func selectorDisposed() {
        let scheduler = TestScheduler(initialClock: 0)
        let source = scheduler.createHotObservable([.next(210, 1), .next(390, 2)])
        let observer = scheduler.start(disposed: 300) {
            source.multicast({ PublishSubject<Int>() }, selector: { $0.map { $0 * 10 } })
        }
        #expect(observer.events == [.next(210, 10)])
        #expect(source.subscriptions == [Subscription(200, 300)])
    }

    // MARK: - refCount

    @Test("refCount connects with the first and disconnects with the last")
    func refCount() {
        let scheduler = TestScheduler(initialClock: 0)
        let source = scheduler.createHotObservable([
            .next(210, 1), .next(220, 2), .next(230, 3), .next(240, 4), .next(250, 5), .next(260, 6),
        ])
        let shared = source.publish().refCount()
        let first = scheduler.createObserver(Int.self), second = scheduler.createObserver(Int.self)
        let third = scheduler.createObserver(Int.self)
        let subscriptions = (0..<3).map { _ in SerialDisposable() }
        scheduler.scheduleAt(205) { subscriptions[0].disposable = shared.subscribe(first) }
        scheduler.scheduleAt(215) { subscriptions[1].disposable = shared.subscribe(second) }
        scheduler.scheduleAt(225) { subscriptions[0].dispose() }
        scheduler.scheduleAt(235) { subscriptions[1].dispose() }
        scheduler.scheduleAt(245) { subscriptions[2].disposable = shared.subscribe(third) }
        scheduler.scheduleAt(255) { subscriptions[2].dispose() }
        scheduler.start()
        #expect(first.events == [.next(210, 1), .next(220, 2)])
        #expect(second.events == [.next(220, 2), .next(230, 3)])
        #expect(third.events == [.next(250, 5)])
        #expect(source.subscriptions == [Subscription(205, 235), Subscription(245, 255)])
    }

    @Test("refCount over a source that ends while connecting: each subscriber gets all of it")
    func endsDuringConnect() {
        let subscribed = Locked(0)
        let source = Observable<Int>.create { observer in
            subscribed.withLock { $0 += 1 }
            observer.onNext(1)
            observer.onNext(2)
            observer.onCompleted()
            return Disposables.create()
        }
        let shared = source.publish().refCount()
        #expect(marbles(of: shared) == "1 2 |")
        #expect(marbles(of: shared) == "1 2 |")
        #expect(subscribed.withLock { $0 } == 2)
    }

    @Test("who subscribes from within a delivery while connecting shares that connection")
    func subscribesDuringConnect() {
        let subscribed = Locked(0)
        let source = Observable<Int>.create { observer in
            subscribed.withLock { $0 += 1 }
            for element in 1...3 { observer.onNext(element) }
            observer.onCompleted()
            return Disposables.create()
        }
        let shared = source.publish().refCount()
        let inner = Recorder<Int>()
        _ = shared.subscribe(onNext: { if $0 == 2 { _ = shared.subscribe(inner) } })
        #expect(inner.text == "3 |")
        #expect(subscribed.withLock { $0 } == 1)
    }

    @Test("who leaves from within a delivery while connecting stops the source")
    func leavesDuringConnect() {
        let log = Log()
        let source = Observable<Int>.create { observer in
            for element in 1...3 { observer.onNext(element) }
            return Disposables.create { log.note("stopped") }
        }
        let recorder = Recorder<Int>()
        _ = source.share().take(1).subscribe(recorder)
        #expect(recorder.text == "1 |")
        #expect(log.text == "stopped")
    }

    @Test("who subscribes again at the end gets a new connection", arguments: [0, 1, 2])
    func resubscribesAtTheEnd(replay: Int) {
        let source = ReplaySubject<Int>.create(bufferSize: 1)
        let subscribed = Locked(0)
        let shared = Observable<Int>.deferred {
            let count = subscribed.withLock {
                $0 += 1
                return $0
            }
            return count == 1 ? Observable.just(1).concat(Observable.error(Oops())) : source
        }.share(replay: replay)
        let recorder = Recorder<Int>()
        let subscription = shared.catch { _ in shared }.subscribe(recorder)
        source.onNext(2)
        #expect(recorder.text == "1 2")
        #expect(subscribed.withLock { $0 } == 2)
        #expect(source.hasObservers)
        subscription.dispose()
        #expect(!source.hasObservers)
    }

    @Test("refCount of a client's own connectable")
    func foreign() {
        struct Counted: ConnectableObservableType {
            typealias Element = Int
            let shared: ConnectableObservable<Int>
            let log: Log

            func subscribe<Observer: ObserverType>(_ observer: Observer) -> any Disposable
            where Observer.Element == Int {
                shared.subscribe(observer)
            }

            func connect() -> any Disposable {
                log.note("connect")
                let connection = shared.connect()
                return Disposables.create { [log] in
                    log.note("disconnect")
                    connection.dispose()
                }
            }
        }
        let log = Log()
        let source = PublishSubject<Int>()
        let shared = Counted(shared: source.publish(), log: log).refCount()
        let first = Recorder<Int>(), second = Recorder<Int>()
        let subscriptions = [shared.subscribe(first), shared.subscribe(second)]
        source.onNext(1)
        for subscription in subscriptions { subscription.dispose() }
        source.onNext(2)
        let third = Recorder<Int>()
        _ = shared.subscribe(third)
        source.onNext(3)
        source.onCompleted()
        #expect(first.text == "1")
        #expect(second.text == "1")
        #expect(third.text == "3 |")
        #expect(log.text == "connect disconnect connect disconnect")
    }

    @Test("the subscription alone keeps a shared source that only its work holds")
    func heldBySubscription() {
        let log = Log()
        let subscription = Observable<Int>.create { _ in Disposables.create { log.note("stopped") } }
            .share().subscribe()
        #expect(log.text == "")
        subscription.dispose()
        #expect(log.text == "stopped")
    }

    @Test("a bag forgets a connection that is over")
    func bagForgetsConnection() {
        let source = PublishSubject<Int>()
        let bag = DisposeBag()
        let shared = source.publish()
        shared.connect().disposed(by: bag)
        source.onCompleted()
        withExtendedLifetime(bag) {}
        let open = PublishSubject<Int>()
        do {
            let bag = DisposeBag()
            open.publish().connect().disposed(by: bag)
            #expect(open.hasObservers)
        }
        #expect(!open.hasObservers)
    }

    // MARK: - share

    @Test(
        "share starts anew when all have left: what it replayed is gone", arguments: [0, 1, 2])
    func whileConnected(replay: Int) {
        let scheduler = TestScheduler(initialClock: 0)
        let source = scheduler.createHotObservable([
            .next(210, 1), .next(220, 2), .next(230, 3), .next(250, 5), .completed(260), .next(270, 7),
        ])
        let shared = source.share(replay: replay)
        let observers = (0..<4).map { _ in scheduler.createObserver(Int.self) }
        let subscriptions = (0..<4).map { _ in SerialDisposable() }
        scheduler.scheduleAt(205) { subscriptions[0].disposable = shared.subscribe(observers[0]) }
        scheduler.scheduleAt(225) { subscriptions[1].disposable = shared.subscribe(observers[1]) }
        scheduler.scheduleAt(235) { subscriptions[0].dispose() }
        scheduler.scheduleAt(237) { subscriptions[1].dispose() }
        scheduler.scheduleAt(240) { subscriptions[2].disposable = shared.subscribe(observers[2]) }
        scheduler.scheduleAt(265) { subscriptions[3].disposable = shared.subscribe(observers[3]) }
        scheduler.scheduleAt(280) { subscriptions[3].dispose() }
        scheduler.start()
        let kept: [Recorded<Event<Int>>] = [.next(225, 1), .next(225, 2)].suffix(replay)
        #expect(observers[0].events == [.next(210, 1), .next(220, 2), .next(230, 3)])
        #expect(observers[1].events == kept + [.next(230, 3)])
        #expect(observers[2].events == [.next(250, 5), .completed(260)])
        #expect(observers[3].events == [.next(270, 7)])
        #expect(
            source.subscriptions == [Subscription(205, 237), Subscription(240, 260), Subscription(265, 280)])
    }

    @Test(
        "share forever replays to who comes after all have left, and the end to who comes after it",
        arguments: [0, 1, 2])
    func forever(replay: Int) {
        let scheduler = TestScheduler(initialClock: 0)
        let source = scheduler.createHotObservable([
            .next(210, 1), .next(220, 2), .next(230, 3), .next(250, 5), .completed(260), .next(270, 7),
        ])
        let shared = source.share(replay: replay, scope: .forever)
        let observers = (0..<3).map { _ in scheduler.createObserver(Int.self) }
        let subscriptions = (0..<3).map { _ in SerialDisposable() }
        scheduler.scheduleAt(205) { subscriptions[0].disposable = shared.subscribe(observers[0]) }
        scheduler.scheduleAt(225) { subscriptions[0].dispose() }
        scheduler.scheduleAt(240) { subscriptions[1].disposable = shared.subscribe(observers[1]) }
        scheduler.scheduleAt(265) { subscriptions[2].disposable = shared.subscribe(observers[2]) }
        scheduler.start()
        let keptFirst: [Recorded<Event<Int>>] = [.next(240, 1), .next(240, 2)].suffix(replay)
        let keptLast: [Recorded<Event<Int>>] = [.next(265, 2), .next(265, 5)].suffix(replay)
        #expect(observers[0].events == [.next(210, 1), .next(220, 2)])
        #expect(observers[1].events == keptFirst + [.next(250, 5), .completed(260)])
        #expect(observers[2].events == keptLast + [.completed(265)])
        #expect(source.subscriptions == [Subscription(205, 225), Subscription(240, 260)])
    }

    @Test("share forever replays the error too")
    func foreverError() {
        let subscribed = Locked(0)
        let source = Observable<Int>.deferred {
            subscribed.withLock { $0 += 1 }
            return Observable.of(1, 2).concat(Observable.error(Oops()))
        }
        let shared = source.share(replay: 1, scope: .forever)
        #expect(marbles(of: shared) == "1 2 x")
        #expect(marbles(of: shared) == "2 x")
        #expect(subscribed.withLock { $0 } == 1)
    }

    @Test("events sent from within a delivery come after it for all who share", arguments: [0, 1, 2, -1])
    func reentrant(replay: Int) {
        let source = PublishSubject<Int>()
        let shared = replay < 0 ? source.share(replay: 1, scope: .forever) : source.share(replay: replay)
        let first = Recorder<Int>(), second = Recorder<Int>()
        let subscriptions = [
            shared.subscribe(onNext: { if $0 < 3 { source.onNext($0 + 1) } else { source.onCompleted() } }),
            shared.subscribe(first), shared.subscribe(second),
        ]
        source.onNext(1)
        #expect(first.text == "1 2 3 |")
        #expect(second.text == "1 2 3 |")
        for subscription in subscriptions { subscription.dispose() }
    }

    @Test("who joins from within a delivery gets that element by replay, once")
    func joinsWithin() {
        let source = PublishSubject<Int>()
        let shared = source.share(replay: 1)
        let inner = Recorder<Int>()
        let subscriptions = CompositeDisposable()
        _ = subscriptions.insert(
            shared.subscribe(onNext: { if $0 == 1 { _ = subscriptions.insert(shared.subscribe(inner)) } }))
        source.onNext(1)
        source.onNext(2)
        #expect(inner.text == "1 2")
        subscriptions.dispose()
        #expect(!source.hasObservers)
    }

    @Test("what share replays is let go with the connection")
    func letsGo() {
        final class Held: Sendable {}
        weak var held: Held?
        let source = PublishSubject<Held>()
        let shared = source.share(replay: 3)
        let subscription = shared.subscribe()
        do {
            let object = Held()
            held = object
            source.onNext(object)
        }
        #expect(held != nil)
        subscription.dispose()
        #expect(held == nil)
    }
}
