import Rx
import RxTest
import Testing

struct Oops: Error {}

@Suite("TestScheduler", .leakFree)
struct TestSchedulerTests {
    @Test("start makes at 100, subscribes at 200 and disposes at 1000")
    func defaults() {
        let scheduler = TestScheduler(initialClock: 0)
        let source = scheduler.createHotObservable([.next(150, 1), .next(210, 2), .next(999, 3), .next(1000, 4)])
        let made = Locked<[TestTime]>([])
        let observer = scheduler.start { () -> Observable<Int> in
            made.withLock { $0.append(scheduler.clock) }
            return source.map { $0 * 10 }
        }
        #expect(made.withLock { $0 } == [100])
        #expect(observer.events == [.next(210, 20), .next(999, 30), .next(1000, 40)])
        #expect(source.subscriptions == [Subscription(200, 1000)])
    }

    @Test("an operator unsubscribes from a hot observable when that ends")
    func hotEnd() {
        let scheduler = TestScheduler(initialClock: 0)
        let source = scheduler.createHotObservable([.next(210, 2), .completed(250), .next(260, 3)])
        let observer = scheduler.start { source.map { $0 * 10 } }
        #expect(observer.events == [.next(210, 20), .completed(250)])
        #expect(source.subscriptions == [Subscription(200, 250)])
    }

    @Test("a cold observable starts its times anew with each subscription")
    func cold() {
        let scheduler = TestScheduler(initialClock: 0)
        let source = scheduler.createColdObservable([.next(10, 1), .next(20, 2), .error(30, Oops())])
        let observer = scheduler.start { source.concat(Observable.just(9)).catch { _ in source.take(1) } }
        #expect(observer.events == [.next(210, 1), .next(220, 2), .next(240, 1), .completed(240)])
        #expect(source.subscriptions == [Subscription(200, 230), Subscription(230, 240)])
    }

    @Test("what is scheduled for now runs one unit later, each time")
    func processingDelay() {
        let scheduler = TestScheduler(initialClock: 0)
        let log = Locked<[TestTime]>([])
        scheduler.scheduleAt(10) {
            _ = scheduler.scheduleRecursive(0) { count, again in
                log.withLock { $0.append(scheduler.clock) }
                if count < 2 { again(count + 1) }
            }
        }
        scheduler.start()
        #expect(log.withLock { $0 } == [11, 12, 13])
    }
}
