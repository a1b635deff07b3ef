import Dispatch
import Rx
import RxTest
import Testing
import TestSupport

@Suite("buffer(timeSpan:count:)", .leakFree)
struct BufferTests {
    @Test("an array is sent when it is full or its time is over, and its time starts anew each time")
    func timeOrCount() {
        let scheduler = TestScheduler(initialClock: 0)
        let source = scheduler.createHotObservable([
            .next(150, 0), .next(205, 1), .next(210, 2), .next(230, 3), .next(280, 4), .next(320, 5), .next(350, 6),
            .next(351, 7), .next(420, 8), .completed(500),
        ])
        let observer = scheduler.start { source.buffer(timeSpan: .seconds(70), count: 3, scheduler: scheduler) }
        #expect(
            observer.events == [
                .next(230, [1, 2, 3]), .next(300, [4]), .next(351, [5, 6, 7]), .next(421, [8]), .next(491, []),
                .next(500, []), .completed(500),
            ])
        #expect(source.subscriptions == [Subscription(200, 500)])
    }

    @Test("without a count only time counts")
    func timeOnly() {
        let scheduler = TestScheduler(initialClock: 0)
        let source = scheduler.createHotObservable([.next(210, 1), .next(250, 2), .next(310, 3), .completed(420)])
        let observer = scheduler.start { source.buffer(timeSpan: .seconds(100), count: 0, scheduler: scheduler) }
        #expect(
            observer.events == [.next(300, [1, 2]), .next(400, [3]), .next(420, []), .completed(420)])
    }

    @Test("with endless time only the count counts")
    func countOnly() {
        let scheduler = TestScheduler(initialClock: 0)
        let source = scheduler.createHotObservable([.next(210, 1), .next(250, 2), .next(310, 3), .completed(420)])
        let observer = scheduler.start { source.buffer(timeSpan: .never, count: 2, scheduler: scheduler) }
        #expect(observer.events == [.next(250, [1, 2]), .next(420, [3]), .completed(420)])
    }

    @Test("an error drops what is held")
    func failing() {
        let scheduler = TestScheduler(initialClock: 0)
        let source = scheduler.createHotObservable([.next(210, 1), .error(250, Oops()), .next(260, 2)])
        let observer = scheduler.start { source.buffer(timeSpan: .seconds(20), count: 5, scheduler: scheduler) }
        #expect(observer.events == [.next(220, [1]), .next(240, []), .error(250, Oops())])
        #expect(source.subscriptions == [Subscription(200, 250)])
    }

    @Test("an empty sequence gives one empty array; one that never sends gives one each time span")
    func nothing() {
        let scheduler = TestScheduler(initialClock: 0)
        let empty = scheduler.start {
            Observable<Int>.empty().buffer(timeSpan: .seconds(300), count: 2, scheduler: scheduler)
        }
        #expect(empty.events == [.next(200, []), .completed(200)])
        let other = TestScheduler(initialClock: 0)
        let never = other.start {
            Observable<Int>.never().buffer(timeSpan: .seconds(300), count: 2, scheduler: other)
        }
        #expect(never.events == [.next(500, []), .next(800, [])])
    }

    @Test("nothing is sent once it is disposed")
    func disposed() {
        let scheduler = TestScheduler(initialClock: 0)
        let source = scheduler.createHotObservable([.next(210, 1), .next(220, 2), .next(280, 3)])
        let observer = scheduler.start(disposed: 250) {
            source.buffer(timeSpan: .seconds(60), count: 2, scheduler: scheduler)
        }
        #expect(observer.events == [.next(220, [1, 2])])
        #expect(source.subscriptions == [Subscription(200, 250)])
        #expect(scheduler.clock == 280)
    }

    @Test("at one time, what was scheduled first comes first: an element of a hot source is in, one of a cold is not")
    func ties() {
        let scheduler = TestScheduler(initialClock: 0)
        let hot = scheduler.createHotObservable([.next(210, 1), .next(300, 2), .completed(350)])
        let cold = scheduler.createColdObservable([.next(100, 1), .completed(150)])
        let span = RxTimeInterval.seconds(100)
        let ofHot = scheduler.createObserver([Int].self), ofCold = scheduler.createObserver([Int].self)
        scheduler.scheduleAt(200) {
            _ = hot.buffer(timeSpan: span, count: 9, scheduler: scheduler).subscribe(ofHot)
            _ = cold.buffer(timeSpan: span, count: 9, scheduler: scheduler).subscribe(ofCold)
        }
        scheduler.start()
        #expect(ofHot.events == [.next(300, [1, 2]), .next(350, []), .completed(350)])
        #expect(ofCold.events == [.next(300, []), .next(350, [1]), .completed(350)])
    }

    @Test("an array that is full at the very end of its time is sent once")
    func fullInTime() {
        let scheduler = TestScheduler(initialClock: 0)
        let source = scheduler.createHotObservable([.next(210, 1), .next(300, 2), .completed(390)])
        let observer = scheduler.start { source.buffer(timeSpan: .seconds(100), count: 2, scheduler: scheduler) }
        #expect(observer.events == [.next(300, [1, 2]), .next(390, []), .completed(390)])
    }

    @Test("an element sent from within a delivery goes into the next array")
    func reentrant() {
        let scheduler = TestScheduler(initialClock: 0)
        let subject = PublishSubject<Int>()
        let observer = scheduler.createObserver([Int].self)
        scheduler.scheduleAt(200) {
            _ = subject.buffer(timeSpan: .seconds(100), count: 2, scheduler: scheduler)
                .do(onNext: { if $0 == [1, 2] { subject.onNext(3) } }).subscribe(observer)
        }
        scheduler.scheduleAt(210) { subject.onNext(1) }
        scheduler.scheduleAt(250) { subject.onNext(2) }
        scheduler.scheduleAt(400) { subject.onCompleted() }
        scheduler.start()
        #expect(observer.events == [.next(250, [1, 2]), .next(350, [3]), .next(400, []), .completed(400)])
    }
}
