import Dispatch
import Rx
import RxTest
import Testing
import TestSupport

@Suite("debounce", .leakFree)
struct DebounceTests {
    private func events(
        _ source: [Recorded<Event<Int>>], _ dueTime: Int = 50, disposed: TestTime = 1000
    ) -> (events: [Recorded<Event<Int>>], subscriptions: [Subscription]) {
        let scheduler = TestScheduler(initialClock: 0)
        let source = scheduler.createHotObservable(source)
        let observer = scheduler.start(disposed: disposed) {
            source.debounce(.seconds(dueTime), scheduler: scheduler)
        }
        return (observer.events, source.subscriptions)
    }

    @Test("an element comes when no other has followed for the time")
    func quiet() {
        let result = events([.next(150, 0), .next(210, 1), .next(240, 2), .next(300, 3), .completed(400)])
        #expect(result.events == [.next(290, 2), .next(350, 3), .completed(400)])
        #expect(result.subscriptions == [Subscription(200, 400)])
    }

    @Test("completion sends what waits, then ends")
    func flush() {
        let result = events([.next(210, 1), .next(300, 3), .completed(320)])
        #expect(result.events == [.next(260, 1), .next(320, 3), .completed(320)])
        #expect(result.subscriptions == [Subscription(200, 320)])
    }

    @Test("an error drops what waits")
    func failing() {
        let result = events([.next(210, 1), .next(300, 3), .error(320, Oops())])
        #expect(result.events == [.next(260, 1), .error(320, Oops())])
        #expect(result.subscriptions == [Subscription(200, 320)])
    }

    @Test("an element at the very end of the time takes the place of the one that waits")
    func tie() {
        #expect(
            events([.next(210, 1), .next(260, 2), .completed(400)]).events == [.next(310, 2), .completed(400)])
        let scheduler = TestScheduler(initialClock: 0)
        let cold = scheduler.createColdObservable([.next(10, 1), .next(60, 2), .completed(110)])
        let observer = scheduler.start { cold.debounce(.seconds(50), scheduler: scheduler) }
        // The completion, too, is at the very end of the time: what waits is sent once.
        #expect(observer.events == [.next(310, 2), .completed(310)])
    }

    @Test("without a time an element still takes a turn of the scheduler")
    func zero() {
        let result = events([.next(210, 1), .next(210, 2), .next(220, 3), .completed(230)], 0)
        #expect(result.events == [.next(211, 2), .next(221, 3), .completed(230)])
    }

    @Test("empty, failing and never")
    func nothing() {
        #expect(events([.completed(250)]).events == [.completed(250)])
        #expect(events([.error(250, Oops())]).events == [.error(250, Oops())])
        #expect(events([]).events == [])
        #expect(events([]).subscriptions == [Subscription(200, 1000)])
    }

    @Test("disposed, what waits is not sent")
    func disposed() {
        let result = events([.next(210, 1), .next(300, 3)], disposed: 340)
        #expect(result.events == [.next(260, 1)])
        #expect(result.subscriptions == [Subscription(200, 340)])
    }

    @Test("an element sent from within a delivery waits its own time")
    func reentrant() {
        let scheduler = TestScheduler(initialClock: 0)
        let subject = PublishSubject<Int>()
        let observer = scheduler.createObserver(Int.self)
        scheduler.scheduleAt(200) {
            _ = subject.debounce(.seconds(50), scheduler: scheduler)
                .do(onNext: { if $0 < 3 { subject.onNext($0 + 1) } }).subscribe(observer)
        }
        scheduler.scheduleAt(210) { subject.onNext(1) }
        scheduler.scheduleAt(900) { subject.onCompleted() }
        scheduler.start()
        #expect(observer.events == [.next(260, 1), .next(310, 2), .next(360, 3), .completed(900)])
    }
}
