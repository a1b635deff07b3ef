import Dispatch
import FoundationEssentials
import Rx
import RxTest
import Testing
import TestSupport

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

    @Test("as an observable, a hot or cold one is another object, whose subscription ends with its first end")
    func hidden() {
        let scheduler = TestScheduler(initialClock: 0)
        let sources = [
            scheduler.createHotObservable([.next(10, 1), .completed(20), .next(30, 2)]),
            scheduler.createColdObservable([.next(10, 1), .completed(20), .next(30, 2)]),
        ]
        for source in sources {
            let observable = source.asObservable()
            #expect(observable !== source)
            #expect(!(observable is TestableObservable<Int>))
            let observer = scheduler.createObserver(Int.self)
            let direct = scheduler.createObserver(Int.self)
            _ = observable.subscribe(observer)
            _ = source.subscribe(direct)
        }
        scheduler.start()
        for source in sources {
            #expect(source.subscriptions == [Subscription(0, 20), Subscription(0)])
        }
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

    @Test("start takes other times")
    func otherTimes() {
        let scheduler = TestScheduler(initialClock: 0)
        let source = scheduler.createHotObservable([.next(15, 1), .next(25, 2), .next(35, 3)])
        let observer = scheduler.start(created: 10, subscribed: 20, disposed: 30) { source }
        #expect(observer.events == [.next(25, 2)])
        #expect(source.subscriptions == [Subscription(20, 30)])
        let later = TestScheduler(initialClock: 0)
        let other = later.createHotObservable([.next(350, 1), .next(450, 2)])
        #expect(later.start(disposed: 400) { other }.events == [.next(350, 1)])
        #expect(other.subscriptions == [Subscription(200, 400)])
    }

    @Test("without the processing delay, now is now")
    func noDelay() {
        let scheduler = TestScheduler(initialClock: 5, simulateProcessingDelay: false)
        let observer = scheduler.start { scheduler.createColdObservable([.next(10, 1)]).observe(on: scheduler) }
        #expect(observer.events == [.next(210, 1)])
        #expect(TestScheduler(initialClock: 5).clock == 5)
    }

    @Test("the resolution is the seconds of a unit")
    func resolution() {
        let scheduler = TestScheduler(initialClock: 20, resolution: 0.1)
        let log = Locked<[TestTime]>([])
        for due in [DispatchTimeInterval.seconds(2), .milliseconds(560), .milliseconds(540), .nanoseconds(1)] {
            _ = scheduler.scheduleRelative((), dueTime: due) { _ in
                log.withLock { $0.append(scheduler.clock) }
                return Disposables.create()
            }
        }
        scheduler.start()
        #expect(log.withLock { $0 } == [21, 25, 26, 40])
        #expect(scheduler.now == Date(timeIntervalSince1970: 4))
    }

    @Test("a hot observable sends to those who are subscribed at that moment")
    func audience() {
        let scheduler = TestScheduler(initialClock: 0)
        let source = scheduler.createHotObservable([.next(10, 1), .next(20, 2), .next(30, 3)])
        let early = scheduler.createObserver(Int.self), late = scheduler.createObserver(Int.self)
        let subscription = SerialDisposable()
        subscription.disposable = source.subscribe(early)
        scheduler.scheduleAt(10) { subscription.disposable = source.subscribe(late) }
        scheduler.scheduleAt(25) { subscription.dispose() }
        scheduler.start()
        #expect(early.events == [.next(10, 1)])
        #expect(late.events == [.next(20, 2)])
        #expect(source.subscriptions == [Subscription(0, 10), Subscription(10, 25)])
        #expect(source.recordedEvents == [.next(10, 1), .next(20, 2), .next(30, 3)])
    }

    @Test("an observer that subscribes directly is handed every event, until it disposes")
    func direct() {
        let scheduler = TestScheduler(initialClock: 0)
        let hot = scheduler.createHotObservable([.completed(210), .next(220, 1)])
        let cold = scheduler.createColdObservable([.error(10, Oops()), .next(20, 1)])
        let observers = [hot, cold].map { source in
            let observer = scheduler.createObserver(Int.self)
            scheduler.scheduleAt(200) {
                let subscription = source.subscribe(observer)
                scheduler.scheduleAt(300) { subscription.dispose() }
            }
            return observer
        }
        scheduler.start()
        #expect(observers[0].events == [.completed(210), .next(220, 1)])
        #expect(observers[1].events == [.error(210, Oops()), .next(220, 1)])
        #expect(hot.subscriptions == [Subscription(200, 300)])
        #expect(cold.subscriptions == [Subscription(200, 300)])
    }

    @Test("a cold observable sends nothing more once it is disposed")
    func coldDisposed() {
        let scheduler = TestScheduler(initialClock: 0)
        let source = scheduler.createColdObservable([.next(10, 1), .next(20, 2), .next(30, 3), .completed(40)])
        let observer = scheduler.start(disposed: 220) { source }
        #expect(observer.events == [.next(210, 1)])
        #expect(source.subscriptions == [Subscription(200, 220)])
    }

    @Test("a hot observable plays on when only its subscribers are left")
    func hotAlone() {
        let scheduler = TestScheduler(initialClock: 0)
        let observer = scheduler.createObserver(Int.self)
        let subscription = scheduler.createHotObservable([.next(10, 1)]).map { $0 + 1 }.subscribe(observer)
        scheduler.start()
        #expect(observer.events == [.next(10, 2)])
        subscription.dispose()
    }

    @Test("test time and dates are converted by the resolution, and do not overflow")
    func converter() {
        let scheduler = TestScheduler(initialClock: 3, resolution: 0.5)
        #expect(scheduler.now == Date(timeIntervalSince1970: 1.5))
        let log = Locked(0)
        _ = scheduler.scheduleRelative((), dueTime: .seconds(.max)) { _ in
            log.withLock { $0 += 1 }
            return Disposables.create()
        }
        scheduler.start()
        #expect(scheduler.clock == .max)
        #expect(log.withLock { $0 } == 1)
    }
}
