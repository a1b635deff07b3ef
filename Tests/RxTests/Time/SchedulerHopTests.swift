import Rx
import RxTest
import Testing
import TestSupport

@Suite("The turns of subscribe(on:) and observe(on:)", .leakFree)
struct SchedulerHopTests {
    @Test("subscribe(on:) subscribes a turn later, and releases the source at its end")
    func subscribeOn() {
        let scheduler = TestScheduler(initialClock: 0)
        let source = scheduler.createColdObservable([.next(50, 1), .completed(100)])
        let observer = scheduler.start { Unhidden(source).subscribe(on: scheduler) }
        #expect(observer.events == [.next(251, 1), .completed(301)])
        #expect(source.subscriptions == [Subscription(201, 301)])
        let other = TestScheduler(initialClock: 0)
        let failing = other.createHotObservable([.next(210, 1), .error(300, Oops())])
        let failed = other.start { Unhidden(failing).subscribe(on: other) }
        #expect(failed.events == [.next(210, 1), .error(300, Oops())])
        #expect(failing.subscriptions == [Subscription(201, 300)])
    }

    @Test("subscribe(on:) disposed lets go of the source a turn later")
    func subscribeOnDisposed() {
        let scheduler = TestScheduler(initialClock: 0)
        let source = scheduler.createHotObservable([.next(210, 1)])
        let observer = scheduler.start { Unhidden(source).subscribe(on: scheduler) }
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

    @Test("observe(on:) delivers each event a turn later, and releases the source at its end")
    func observeOn() {
        let scheduler = TestScheduler(initialClock: 0)
        let source = scheduler.createHotObservable([.next(210, 1), .next(220, 2), .completed(300)])
        let observer = scheduler.start { Unhidden(source).observe(on: scheduler) }
        #expect(observer.events == [.next(211, 1), .next(221, 2), .completed(301)])
        #expect(source.subscriptions == [Subscription(200, 300)])
        let other = TestScheduler(initialClock: 0)
        let failing = other.createHotObservable([.next(210, 1), .error(210, Oops())])
        let failed = other.start { Unhidden(failing).observe(on: other) }
        #expect(failed.events == [.next(211, 1), .error(212, Oops())])
        #expect(failing.subscriptions == [Subscription(200, 210)])
    }

    @Test("observe(on:) releases its source only after the operators above have handled the end")
    func handledFirst() {
        let log = Log()
        let subject = PublishSubject<Int>()
        let source = subject.do(
            onCompleted: { log.note("completed") }, afterCompleted: { log.note("after") },
            onDispose: { log.note("disposed") })
        let scheduler = TestScheduler(initialClock: 0)
        let subscription = source.observe(on: scheduler).subscribe(onCompleted: { log.note("observed") })
        subject.onCompleted()
        #expect(log.text == "completed, after, disposed")
        scheduler.start()
        #expect(log.text == "completed, after, disposed, observed")
        subscription.dispose()
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
