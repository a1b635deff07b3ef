import Rx
import RxTest
import Testing
import TestSupport

@Suite("The turns of subscribe(on:) and observe(on:)", .leakFree)
struct SchedulerHopTests {
    @Test("subscribe(on:) subscribes a turn later, and lets go of the source a turn after its end")
    func subscribeOn() {
        let scheduler = TestScheduler(initialClock: 0)
        let source = scheduler.createColdObservable([.next(50, 1), .completed(100)])
        let observer = scheduler.start { source.subscribe(on: scheduler) }
        #expect(observer.events == [.next(251, 1), .completed(301)])
        #expect(source.subscriptions == [Subscription(201, 302)])
        let other = TestScheduler(initialClock: 0)
        let failing = other.createHotObservable([.next(210, 1), .error(300, Oops())])
        let failed = other.start { failing.subscribe(on: other) }
        #expect(failed.events == [.next(210, 1), .error(300, Oops())])
        #expect(failing.subscriptions == [Subscription(201, 301)])
    }

    @Test("subscribe(on:) disposed lets go of the source a turn later")
    func subscribeOnDisposed() {
        let scheduler = TestScheduler(initialClock: 0)
        let source = scheduler.createHotObservable([.next(210, 1)])
        let observer = scheduler.start { source.subscribe(on: scheduler) }
        #expect(observer.events == [.next(210, 1)])
        #expect(source.subscriptions == [Subscription(201, 1001)])
    }

    @Test("subscribe(on:) disposed before its turn does not subscribe")
    func subscribeOnEarly() {
        let scheduler = TestScheduler(initialClock: 0)
        let source = scheduler.createHotObservable([.next(210, 1)])
        let observer = scheduler.start(disposed: 201) { source.subscribe(on: scheduler) }
        #expect(observer.events == [])
        #expect(source.subscriptions == [])
    }

    @Test("observe(on:) hands on each event a turn later, and lets go of the source when the end is handed on")
    func observeOn() {
        let scheduler = TestScheduler(initialClock: 0)
        let source = scheduler.createHotObservable([.next(210, 1), .next(220, 2), .completed(300)])
        let observer = scheduler.start { source.observe(on: scheduler) }
        #expect(observer.events == [.next(211, 1), .next(221, 2), .completed(301)])
        #expect(source.subscriptions == [Subscription(200, 301)])
        let other = TestScheduler(initialClock: 0)
        let failing = other.createHotObservable([.next(210, 1), .error(210, Oops())])
        let failed = other.start { failing.observe(on: other) }
        #expect(failed.events == [.next(211, 1), .error(212, Oops())])
        #expect(failing.subscriptions == [Subscription(200, 212)])
    }

    @Test("observe(on:) takes a turn for each event of a burst")
    func observeOnBurst() {
        let scheduler = TestScheduler(initialClock: 0)
        let observer = scheduler.start { Observable.of(1, 2, 3).observe(on: scheduler) }
        #expect(observer.events == [.next(201, 1), .next(202, 2), .next(203, 3), .completed(204)])
    }

    @Test("observe(on:) disposed drops what waits")
    func observeOnDisposed() {
        let scheduler = TestScheduler(initialClock: 0)
        let source = scheduler.createHotObservable([.next(210, 1), .next(210, 2), .next(210, 3)])
        let observer = scheduler.start(disposed: 212) { source.observe(on: scheduler) }
        #expect(observer.events == [.next(211, 1)])
        #expect(source.subscriptions == [Subscription(200, 212)])
    }
}
