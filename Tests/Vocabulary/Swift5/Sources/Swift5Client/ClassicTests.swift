import Rx
import RxTest
import XCTest

/// Tests as suites before Swift 6 have them.
class ClassicTestCase: XCTestCase {
    var scheduler: TestScheduler!
    var disposeBag: DisposeBag!

    override func setUp() {
        super.setUp()
        scheduler = TestScheduler(initialClock: 0)
        disposeBag = DisposeBag()
    }

    override func tearDown() {
        scheduler = nil
        disposeBag = nil
        super.tearDown()
    }

    func testTimes() {
        let xs = scheduler.createHotObservable([
            .next(210, 1), .next(220, 2), .error(230, Failure.one),
        ])
        var observer: TestableObserver<Int>!
        var subscription: Disposable!
        var results: [Int] = []
        let subject = BehaviorSubject(value: 0)

        scheduler.scheduleAt(200) {
            observer = self.scheduler.createObserver(Int.self)
            subscription = xs.do(onNext: { results.append($0) }).subscribe(observer)
        }
        scheduler.scheduleAt(215) { subject.onNext(results.count) }
        scheduler.scheduleAt(225, action: { subscription.dispose() })
        scheduler.start()

        let correctMessages = Recorded.events(
            .next(210, 1),
            .next(220, 2)
        )
        let correctSubscriptions = [Subscription(200, 225)]
        XCTAssertEqual(observer.events, correctMessages)
        XCTAssertEqual(xs.subscriptions, correctSubscriptions)
        XCTAssertEqual(results, [1, 2])
        XCTAssertEqual(try subject.value(), 1)
    }

    func testOperators() {
        let xs = scheduler.createColdObservable([.next(10, 1), .next(20, 2), .completed(30)])
        var invoked = 0
        let res = scheduler.start { () -> Observable<String> in
            xs.map { x in
                invoked += 1
                return "\(x)"
            }
        }
        XCTAssertEqual(res.events, [.next(210, "1"), .next(220, "2"), .completed(230)])
        XCTAssertEqual(invoked, 2)

        let failing = scheduler.createColdObservable([.error(5, Failure.one, Int.self)])
        let other = scheduler.start(created: 1100, subscribed: 1200, disposed: 2000) {
            failing.catchAndReturn(7).delay(.seconds(10), scheduler: self.scheduler)
        }
        XCTAssertEqual(other.events, [.next(1215, 7), .completed(1216)])
    }

    func testWindows() {
        let xs = scheduler.createHotObservable([.next(210, 1), .next(240, 2), .completed(250)])
        let res = scheduler.start { () -> Observable<String> in
            let windows: Observable<Observable<Int>> = xs.window(
                timeSpan: .seconds(30), count: 5, scheduler: self.scheduler)
            return windows.enumerated().map { index, window in window.map { "\(index) \($0)" } }.merge()
        }
        XCTAssertEqual(res.events, [.next(210, "0 1"), .next(240, "1 2"), .completed(250)])
    }

    func testTraits() {
        var events: [SingleEvent<Int>] = []
        var ended: [CompletableEvent] = []
        var maybes: [MaybeEvent<Int>] = []
        _ = Single<Int>.error(Failure.one).subscribe { events.append($0) }
        _ = Completable.empty().subscribe { ended.append($0) }
        _ = Maybe.just(1).subscribe { maybes.append($0) }
        XCTAssertEqual(events, [.failure(Failure.one)])
        XCTAssertEqual(ended, [.completed])
        XCTAssertEqual(maybes, [.success(1)])
    }

    func testExpectations() {
        let done = expectation(description: "done")
        var elements: [Int] = []
        Observable.of(1, 2)
            .subscribe(on: ConcurrentDispatchQueueScheduler(qos: .background))
            .observe(on: MainScheduler.instance)
            .subscribe(onNext: { elements.append($0) }, onCompleted: { done.fulfill() })
            .disposed(by: disposeBag)
        waitForExpectations(timeout: 30) { error in
            XCTAssertNil(error)
        }
        XCTAssertEqual(elements, [1, 2])
    }
}

func classicTests() {
    runTests(
        of: ClassicTestCase.self,
        [
            ("testTimes", ClassicTestCase.testTimes),
            ("testOperators", ClassicTestCase.testOperators),
            ("testWindows", ClassicTestCase.testWindows),
            ("testTraits", ClassicTestCase.testTraits),
            ("testExpectations", ClassicTestCase.testExpectations),
        ])
}
