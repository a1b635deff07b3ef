import Dispatch
import Rx
import RxTest
import Testing
import TestSupport

@Suite("timeout", .leakFree)
struct TimeoutTests {
    private func events(
        _ source: [Recorded<Event<Int>>], _ dueTime: Int = 50, disposed: TestTime = 1000
    ) -> (events: [Recorded<Event<Int>>], subscriptions: [Subscription]) {
        let scheduler = TestScheduler(initialClock: 0)
        let source = scheduler.createHotObservable(source)
        let observer = scheduler.start(disposed: disposed) { source.timeout(.seconds(dueTime), scheduler: scheduler) }
        return (observer.events, source.subscriptions)
    }

    @Test("a sequence in time passes")
    func inTime() {
        let result = events([.next(210, 1), .next(250, 2), .completed(290)])
        #expect(result.events == [.next(210, 1), .next(250, 2), .completed(290)])
        #expect(result.subscriptions == [Subscription(200, 290)])
        #expect(events([.next(210, 1), .error(250, Oops())]).events == [.next(210, 1), .error(250, Oops())])
    }

    @Test("a late event is an error, after the time, and the source goes")
    func late() {
        let result = events([.next(210, 1), .next(300, 2)])
        #expect(result.events == [.next(210, 1), .error(260, RxError.timeout)])
        #expect(result.subscriptions == [Subscription(200, 260)])
        #expect(events([.completed(300)]).events == [.error(250, RxError.timeout)])
        #expect(events([]).events == [.error(250, RxError.timeout)])
        #expect(events([], 0).events == [.error(201, RxError.timeout)])
    }

    @Test("a hot source is in time at the very end of the time")
    func hotTie() {
        let result = events([.next(250, 1), .next(300, 2), .completed(350)])
        #expect(result.events == [.next(250, 1), .next(300, 2), .completed(350)])
        #expect(events([.error(250, Oops())]).events == [.error(250, Oops())])
    }

    @Test("a cold source is in time at the very end of the time, but for its first event")
    func coldTie() {
        let scheduler = TestScheduler(initialClock: 0)
        let first = scheduler.createColdObservable([.next(50, 1), .completed(60)])
        let second = scheduler.createColdObservable([.next(10, 1), .next(60, 2), .completed(110)])
        let ofFirst = scheduler.createObserver(Int.self), ofSecond = scheduler.createObserver(Int.self)
        scheduler.scheduleAt(200) {
            _ = first.timeout(.seconds(50), scheduler: scheduler).subscribe(ofFirst)
            _ = second.timeout(.seconds(50), scheduler: scheduler).subscribe(ofSecond)
        }
        scheduler.start()
        #expect(ofFirst.events == [.error(250, RxError.timeout)])
        #expect(ofSecond.events == [.next(210, 1), .next(260, 2), .completed(310)])
    }

    @Test("another sequence takes over, in its own time, and the source counts no more")
    func other() {
        let scheduler = TestScheduler(initialClock: 0)
        let source = scheduler.createHotObservable([.next(210, 1), .next(270, 2), .completed(280)])
        let other = scheduler.createColdObservable([.next(90, 8), .next(190, 9), .completed(200)])
        let observer = scheduler.start { source.timeout(.seconds(50), other: other, scheduler: scheduler) }
        #expect(observer.events == [.next(210, 1), .next(350, 8), .next(450, 9), .completed(460)])
        #expect(source.subscriptions == [Subscription(200, 260)])
        #expect(other.subscriptions == [Subscription(260, 460)])
    }

    @Test("the other sequence is not subscribed when it is not needed")
    func otherNotNeeded() {
        let scheduler = TestScheduler(initialClock: 0)
        let source = scheduler.createHotObservable([.next(210, 1), .completed(220)])
        let other = scheduler.createColdObservable([.next(90, 8)])
        let observer = scheduler.start { source.timeout(.seconds(50), other: other, scheduler: scheduler) }
        #expect(observer.events == [.next(210, 1), .completed(220)])
        #expect(other.subscriptions == [])
    }

    @Test("an error of the other sequence is the error, and disposal lets go of it")
    func otherFails() {
        let scheduler = TestScheduler(initialClock: 0)
        let failing = scheduler.createColdObservable([.error(30, Oops(), Int.self)])
        let silent = scheduler.createColdObservable([Recorded<Event<Int>>]())
        let source = scheduler.createHotObservable([Recorded<Event<Int>>]())
        let failed = scheduler.createObserver(Int.self), disposed = scheduler.createObserver(Int.self)
        let subscription = SingleAssignmentDisposable()
        scheduler.scheduleAt(200) {
            _ = source.timeout(.seconds(50), other: failing, scheduler: scheduler).subscribe(failed)
            subscription.setDisposable(
                source.timeout(.seconds(60), other: silent, scheduler: scheduler).subscribe(disposed))
        }
        scheduler.scheduleAt(300) { subscription.dispose() }
        scheduler.start()
        #expect(failed.events == [.error(280, Oops())])
        #expect(disposed.events == [])
        #expect(silent.subscriptions == [Subscription(260, 300)])
        #expect(source.subscriptions == [Subscription(200, 250), Subscription(200, 260)])
    }

    @Test("the other sequence is subscribed before the source is let go of")
    func order() {
        let scheduler = TestScheduler(initialClock: 0)
        let log = Locked<[String]>([])
        let note: @Sendable (String) -> Void = { text in log.withLock { $0.append(text) } }
        _ = scheduler.start {
            Observable<Int>.never().do(onDispose: { note("source disposed") })
                .timeout(
                    .seconds(50), other: Observable.of(1).do(onSubscribe: { note("other subscribed") }),
                    scheduler: scheduler
                ).do(onNext: { _ in note("next") })
        }
        #expect(log.withLock { $0 } == ["other subscribed", "next", "source disposed"])
    }

    @Test("disposed in time, nothing goes off")
    func disposed() {
        let result = events([.next(210, 1)], disposed: 255)
        #expect(result.events == [.next(210, 1)])
        #expect(result.subscriptions == [Subscription(200, 255)])
    }

    @Test("the time of the next event runs from when an element was handed on")
    func slowObserver() {
        let scheduler = TestScheduler(initialClock: 0)
        let source = scheduler.createHotObservable([.next(210, 1), .next(275, 2), .completed(400)])
        let observer = scheduler.createObserver(Int.self)
        scheduler.scheduleAt(200) {
            _ = source.timeout(.seconds(50), scheduler: scheduler)
                .do(onNext: { if $0 == 1 { scheduler.sleep(20) } }).subscribe(observer)
        }
        scheduler.start()
        #expect(observer.events == [.next(230, 1), .next(275, 2), .error(325, RxError.timeout)])
    }
}
