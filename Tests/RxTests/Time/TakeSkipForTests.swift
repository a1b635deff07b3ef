import Dispatch
import Rx
import RxTest
import Testing
import TestSupport

@Suite("take(for:) and skip(_:scheduler:)", .leakFree)
struct TakeSkipForTests {
    private typealias Result = (events: [Recorded<Event<Int>>], subscriptions: [Subscription])

    private func take(
        _ duration: Int, _ source: [Recorded<Event<Int>>], disposed: TestTime = 1000
    ) -> Result {
        let scheduler = TestScheduler(initialClock: 0)
        let source = scheduler.createHotObservable(source)
        let observer = scheduler.start(disposed: disposed) {
            source.take(for: .seconds(duration), scheduler: scheduler)
        }
        return (observer.events, source.subscriptions)
    }

    private func skip(
        _ duration: Int, _ source: [Recorded<Event<Int>>], disposed: TestTime = 1000
    ) -> Result {
        let scheduler = TestScheduler(initialClock: 0)
        let source = scheduler.createHotObservable(source)
        let observer = scheduler.start(disposed: disposed) {
            source.skip(.seconds(duration), scheduler: scheduler)
        }
        return (observer.events, source.subscriptions)
    }

    private let source: [Recorded<Event<Int>>] = [
        .next(210, 1), .next(250, 2), .next(290, 3), .completed(400),
    ]

    @Test("take(for:) ends when the time is over")
    func takes() {
        let result = take(60, source)
        #expect(result.events == [.next(210, 1), .next(250, 2), .completed(260)])
        #expect(result.subscriptions == [Subscription(200, 260)])
    }

    @Test("take(for:) of a shorter sequence changes nothing")
    func takesAll() {
        let result = take(300, source)
        #expect(result.events == source)
        #expect(result.subscriptions == [Subscription(200, 400)])
        #expect(take(100, [.error(250, Oops())]).events == [.error(250, Oops())])
        #expect(take(100, []).events == [.completed(300)])
    }

    @Test("at the very end of the time a hot element is in, a cold one is not")
    func takeTies() {
        #expect(take(90, source).events == [.next(210, 1), .next(250, 2), .next(290, 3), .completed(290)])
        let scheduler = TestScheduler(initialClock: 0)
        let cold = scheduler.createColdObservable([.next(40, 1), .next(50, 2)])
        let observer = scheduler.start { cold.take(for: .seconds(50), scheduler: scheduler) }
        #expect(observer.events == [.next(240, 1), .completed(250)])
    }

    @Test("take(for:) no time ends at the next turn")
    func takeZero() {
        #expect(take(0, source).events == [.completed(201)])
        #expect(take(0, source).subscriptions == [Subscription(200, 201)])
        #expect(take(-5, source).events == [.completed(201)])
    }

    @Test("take(for:) disposed sends nothing more")
    func takeDisposed() {
        let result = take(100, source, disposed: 270)
        #expect(result.events == [.next(210, 1), .next(250, 2)])
        #expect(result.subscriptions == [Subscription(200, 270)])
    }

    @Test("skip lets through what comes after the time")
    func skips() {
        let result = skip(60, source)
        #expect(result.events == [.next(290, 3), .completed(400)])
        #expect(result.subscriptions == [Subscription(200, 400)])
        #expect(skip(0, [.next(201, 1), .next(202, 2)]).events == [.next(202, 2)])
    }

    @Test("skip hands on an end at any time")
    func skipEnds() {
        #expect(skip(300, source).events == [.completed(400)])
        #expect(skip(300, [.next(210, 1), .error(220, Oops())]).events == [.error(220, Oops())])
        #expect(skip(300, [.next(210, 1), .error(220, Oops())]).subscriptions == [Subscription(200, 220)])
        #expect(skip(300, []).events == [])
    }

    @Test("at the very end of the time a hot element is skipped still, a cold one is not")
    func skipTies() {
        #expect(skip(50, source).events == [.next(290, 3), .completed(400)])
        let scheduler = TestScheduler(initialClock: 0)
        let cold = scheduler.createColdObservable([.next(40, 1), .next(50, 2)])
        let observer = scheduler.start { cold.skip(.seconds(50), scheduler: scheduler) }
        #expect(observer.events == [.next(250, 2)])
    }

    @Test("skip disposed sends nothing more")
    func skipDisposed() {
        let result = skip(20, source, disposed: 270)
        #expect(result.events == [.next(250, 2)])
        #expect(result.subscriptions == [Subscription(200, 270)])
    }
}
