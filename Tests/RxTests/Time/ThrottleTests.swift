import Dispatch
import Rx
import RxTest
import Testing
import TestSupport

@Suite("throttle", .leakFree)
struct ThrottleTests {
    private func events(
        _ source: [Recorded<Event<Int>>], _ dueTime: Int = 200, latest: Bool = true, disposed: TestTime = 1000
    ) -> (events: [Recorded<Event<Int>>], subscriptions: [Subscription]) {
        let scheduler = TestScheduler(initialClock: 0)
        let source = scheduler.createHotObservable(source)
        let observer = scheduler.start(disposed: disposed) {
            Unhidden(source).throttle(.seconds(dueTime), latest: latest, scheduler: scheduler)
        }
        return (observer.events, source.subscriptions)
    }

    private let six: [Recorded<Event<Int>>] = [
        .next(150, 1), .next(210, 2), .next(230, 3), .next(260, 4), .next(300, 5), .next(350, 6),
    ]

    @Test("the first element comes at once, the latest of those too early when the time is over")
    func latest() {
        let result = events(six + [.completed(500)])
        #expect(result.events == [.next(210, 2), .next(410, 6), .completed(500)])
        #expect(result.subscriptions == [Subscription(200, 500)])
    }

    @Test("the time runs anew from each element that was sent, a late one too")
    func again() {
        let result = events(six + [.next(420, 7), .next(600, 8), .next(650, 9), .next(900, 10), .completed(950)])
        #expect(result.events == [.next(210, 2), .next(410, 6), .next(610, 8), .next(810, 9)])
        #expect(result.subscriptions == [Subscription(200, 950)])
    }

    @Test("a completion waits for the element that waits, but the source is released at once")
    func completionWaits() {
        let result = events(six + [.completed(400)])
        #expect(result.events == [.next(210, 2), .next(410, 6), .completed(410)])
        #expect(result.subscriptions == [Subscription(200, 400)])
    }

    @Test("an error drops the element that waits")
    func failing() {
        let result = events(six + [.error(400, Oops())])
        #expect(result.events == [.next(210, 2), .error(400, Oops())])
        #expect(result.subscriptions == [Subscription(200, 400)])
    }

    @Test("with latest: false what comes too early is dropped, and completion does not wait")
    func firstOnly() {
        let result = events(six + [.next(410, 7), .next(609, 8), .completed(620)], latest: false)
        #expect(result.events == [.next(210, 2), .next(410, 7), .completed(620)])
        let waiting = events(six + [.completed(400)], latest: false)
        #expect(waiting.events == [.next(210, 2), .completed(400)])
        #expect(waiting.subscriptions == [Subscription(200, 400)])
    }

    @Test("an element at the very end of the time is sent in place of the one that waits")
    func tie() {
        let result = events(six + [.next(410, 7), .next(420, 8), .completed(700)])
        #expect(result.events == [.next(210, 2), .next(410, 7), .next(610, 8), .completed(700)])
    }

    @Test("without a time every element passes")
    func zero() {
        let result = events([.next(210, 1), .next(210, 2), .next(211, 3), .completed(211)], 0)
        #expect(result.events == [.next(210, 1), .next(210, 2), .next(211, 3), .completed(211)])
    }

    @Test("the end of an empty sequence, good or bad, is handed on at once; one that never sends stays silent")
    func nothing() {
        #expect(events([.completed(250)]).events == [.completed(250)])
        #expect(events([.error(250, Oops())]).events == [.error(250, Oops())])
        #expect(events([]).events == [])
        #expect(events([]).subscriptions == [Subscription(200, 1000)])
    }

    @Test("disposed, the element that waits is not sent")
    func disposed() {
        let result = events(six, disposed: 400)
        #expect(result.events == [.next(210, 2)])
        #expect(result.subscriptions == [Subscription(200, 400)])
    }

    @Test("spans shorter than a second are kept exactly")
    func resolution() {
        let scheduler = TestScheduler(initialClock: 0, resolution: 0.1)
        let source = scheduler.createHotObservable([.next(201, 1), .next(203, 2), .next(206, 3), .next(211, 4)])
        let observer = scheduler.start { source.throttle(.milliseconds(500), scheduler: scheduler) }
        #expect(observer.events == [.next(201, 1), .next(206, 3), .next(211, 4)])
    }

    @Test("the time runs from when an element was handed on, however long that took")
    func slowObserver() {
        let scheduler = TestScheduler(initialClock: 0)
        let source = scheduler.createHotObservable([.next(210, 1), .next(260, 2), .next(300, 3), .completed(400)])
        let observer = scheduler.createObserver(Int.self)
        scheduler.scheduleAt(200) {
            _ = source.throttle(.seconds(50), scheduler: scheduler)
                .do(onNext: { if $0 == 1 { scheduler.sleep(20) } }).subscribe(observer)
        }
        scheduler.start()
        // 1 was handed on from 210 to 230.
        #expect(observer.events == [.next(230, 1), .next(280, 2), .next(330, 3), .completed(400)])
    }
}
