import Dispatch
import Rx
import RxTest
import Testing
import TestSupport

@Suite("delay and delaySubscription", .leakFree)
struct DelayTests {
    private func events(
        _ source: [Recorded<Event<Int>>], _ dueTime: RxTimeInterval = .seconds(100), disposed: TestTime = 1000
    ) -> (events: [Recorded<Event<Int>>], subscriptions: [Subscription]) {
        let scheduler = TestScheduler(initialClock: 0)
        let source = scheduler.createHotObservable(source)
        let observer = scheduler.start(disposed: disposed) { source.delay(dueTime, scheduler: scheduler) }
        return (observer.events, source.subscriptions)
    }

    @Test("everything comes later by the time, its spacing kept; the source goes at its end")
    func spacing() {
        let result = events([.next(150, 1), .next(250, 2), .next(260, 3), .next(450, 4), .completed(550)])
        #expect(result.events == [.next(350, 2), .next(360, 3), .next(550, 4), .completed(650)])
        #expect(result.subscriptions == [Subscription(200, 550)])
    }

    @Test("without a time, or a negative one, everything takes a turn of the scheduler")
    func zero() {
        let correct: [Recorded<Event<Int>>] = [.next(251, 2), .next(261, 3), .completed(551)]
        #expect(events([.next(250, 2), .next(260, 3), .completed(550)], .seconds(0)).events == correct)
        #expect(events([.next(250, 2), .next(260, 3), .completed(550)], .seconds(-9)).events == correct)
    }

    @Test("what came at one time takes a turn each")
    func burst() {
        let scheduler = TestScheduler(initialClock: 0)
        let observer = scheduler.start { Observable.of(1, 2, 3).delay(.seconds(10), scheduler: scheduler) }
        #expect(observer.events == [.next(210, 1), .next(211, 2), .next(212, 3), .completed(213)])
    }

    @Test("an error comes at once and drops what waits")
    func failing() {
        let result = events([.next(250, 2), .next(300, 3), .error(360, Oops())])
        #expect(result.events == [.next(350, 2), .error(360, Oops())])
        #expect(result.subscriptions == [Subscription(200, 360)])
        // Also what is due at that very time.
        #expect(events([.next(250, 2), .error(350, Oops())]).events == [.error(350, Oops())])
        #expect(events([.error(350, Oops())]).events == [.error(350, Oops())])
    }

    @Test("an error sent while an element is handed on comes after that one")
    func failingWithin() {
        let scheduler = TestScheduler(initialClock: 0)
        let subject = PublishSubject<Int>()
        let observer = scheduler.createObserver(Int.self)
        scheduler.scheduleAt(200) {
            _ = subject.delay(.seconds(50), scheduler: scheduler)
                .do(onNext: { _ in subject.onError(Oops()) }).subscribe(observer)
        }
        scheduler.scheduleAt(210) { subject.onNext(1) }
        scheduler.scheduleAt(220) { subject.onNext(2) }
        scheduler.start()
        #expect(observer.events == [.next(260, 1), .error(260, Oops())])
    }

    @Test("the source is let go of before its error is handed on")
    func order() {
        let scheduler = TestScheduler(initialClock: 0)
        let log = Locked<[String]>([])
        let note: @Sendable (String) -> Void = { text in log.withLock { $0.append("\(text) \(scheduler.clock)") } }
        let source = scheduler.createHotObservable([.next(210, 1), .error(300, Oops())])
        _ = scheduler.start {
            source.do(onDispose: { note("source disposed") }).delay(.seconds(20), scheduler: scheduler)
                .do(onNext: { _ in note("next") }, onError: { _ in note("error") })
        }
        #expect(log.withLock { $0 } == ["next 230", "source disposed 300", "error 300"])
    }

    @Test("empty comes late, never does not come")
    func nothing() {
        #expect(events([.completed(250)]).events == [.completed(350)])
        #expect(events([.completed(250)]).subscriptions == [Subscription(200, 250)])
        #expect(events([]).events == [])
        #expect(events([.next(250, 1), .completed(300)], .never).events == [])
    }

    @Test("disposed, what waits does not come")
    func disposed() {
        let result = events([.next(250, 2), .next(300, 3), .completed(320)], disposed: 380)
        #expect(result.events == [.next(350, 2)])
        #expect(result.subscriptions == [Subscription(200, 320)])
    }

    @Test("an observer that is slow does not change what comes when, as far as that is possible")
    func slowObserver() {
        let scheduler = TestScheduler(initialClock: 0)
        let source = scheduler.createHotObservable([.next(210, 1), .next(220, 2), .next(260, 3), .completed(300)])
        let observer = scheduler.createObserver(Int.self)
        scheduler.scheduleAt(200) {
            _ = source.delay(.seconds(100), scheduler: scheduler)
                .do(onNext: { if $0 == 1 { scheduler.sleep(20) } }).subscribe(observer)
        }
        scheduler.start()
        #expect(observer.events == [.next(330, 1), .next(331, 2), .next(360, 3), .completed(400)])
    }

    @Test("delaySubscription subscribes later and changes nothing else")
    func subscription() {
        let scheduler = TestScheduler(initialClock: 0)
        let source = scheduler.createColdObservable([.next(50, 1), .next(60, 2), .completed(100)])
        let observer = scheduler.start { source.delaySubscription(.seconds(30), scheduler: scheduler) }
        #expect(observer.events == [.next(280, 1), .next(290, 2), .completed(330)])
        #expect(source.subscriptions == [Subscription(230, 330)])
    }

    @Test("delaySubscription hands on an error at once; without a time it takes a turn")
    func subscriptionFailing() {
        let scheduler = TestScheduler(initialClock: 0)
        let source = scheduler.createColdObservable([.next(50, 1), .error(60, Oops())])
        let observer = scheduler.start { source.delaySubscription(.seconds(0), scheduler: scheduler) }
        #expect(observer.events == [.next(251, 1), .error(261, Oops())])
        #expect(source.subscriptions == [Subscription(201, 261)])
    }

    @Test("delaySubscription disposed before its time subscribes never, and disposed later lets go")
    func subscriptionDisposed() {
        let scheduler = TestScheduler(initialClock: 0)
        let source = scheduler.createColdObservable([.next(50, 1), .next(90, 2)])
        let early = scheduler.start(disposed: 220) { source.delaySubscription(.seconds(30), scheduler: scheduler) }
        #expect(early.events == [])
        #expect(source.subscriptions == [])
        let other = TestScheduler(initialClock: 0)
        let second = other.createColdObservable([.next(50, 1), .next(90, 2)])
        let late = other.start(disposed: 300) { second.delaySubscription(.seconds(30), scheduler: other) }
        #expect(late.events == [.next(280, 1)])
        #expect(second.subscriptions == [Subscription(230, 300)])
    }
}
