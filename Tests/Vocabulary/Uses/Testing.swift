import Rx
import RxBlocking
import RxTest
import XCTest

/// Tests in the way of the clients' test suites; each client hands them to XCTest.
final class VocabularyTests: XCTestCase {
    func testHotObservable() {
        let scheduler = TestScheduler(initialClock: 0)
        let xs = scheduler.createHotObservable([
            .next(150, 1),
            .next(210, 2),
            .next(220, 3),
            .completed(230),
        ])
        let res = scheduler.start { xs.map { $0 * 2 } }

        XCTAssertEqual(res.events, [.next(210, 4), .next(220, 6), .completed(230)])
        XCTAssertEqual(xs.subscriptions, [Subscription(200, 230)])
        XCTAssertEqual(xs.recordedEvents.count, 4)
    }

    func testColdObservable() {
        let scheduler = TestScheduler(initialClock: 0, resolution: 1.0, simulateProcessingDelay: true)
        let xs: TestableObservable<Int> = scheduler.createColdObservable([
            Recorded.next(10, 1),
            Recorded.error(20, Failure.one),
        ])
        let res: TestableObserver<Int> = scheduler.start(disposed: 400) { xs.asObservable() }
        let correct: [Recorded<Event<Int>>] = Recorded.events(.next(210, 1), .error(220, Failure.one))
        XCTAssertEqual(res.events, correct)
        XCTAssertEqual(res.events, Recorded.events([.next(210, 1), .error(220, Failure.one, Int.self)]))

        let typed = scheduler.createColdObservable([.next(10, "a"), .completed(20, String.self)])
        let observer = scheduler.createObserver(String.self)
        let subscription = typed.subscribe(observer)
        scheduler.start()
        subscription.dispose()
        XCTAssertEqual(observer.events.map { $0.value.element }, ["a", nil])
        XCTAssertEqual(typed.subscriptions.first?.subscribe, 400)
        XCTAssertEqual(typed.subscriptions.first?.unsubscribe, 420)
    }

    func testStart() {
        let scheduler = TestScheduler(initialClock: 0)
        let subject = PublishSubject<Int>()
        scheduler.scheduleAt(TestScheduler.Defaults.subscribed + 100) { subject.onNext(1) }
        scheduler.scheduleAt(TestScheduler.Defaults.created) { subject.onNext(0) }
        scheduler.scheduleAt(TestScheduler.Defaults.disposed) { subject.onNext(2) }
        let res = scheduler.start(created: 100, subscribed: 200, disposed: 900) { subject }
        XCTAssertEqual(res.events, [.next(300, 1)])
        XCTAssertRecordedElements(res.events, [1])
        XCTAssertEqual(scheduler.adjustScheduledTime(scheduler.clock), scheduler.clock + 1)
        let time: TestTime = scheduler.clock
        XCTAssertEqual(time, 1000)
    }

    func testObserver() {
        let scheduler = TestScheduler(initialClock: 0)
        let observer = scheduler.createObserver(Int.self)
        observer.on(.next(1))
        observer.onCompleted()
        XCTAssertEqual(observer.events, [.next(0, 1), .completed(0)])

        let optional = scheduler.createObserver(Int?.self)
        optional.onNext(nil)
        XCTAssertEqual(optional.events, [.next(0, nil)])
    }

    func testEquality() {
        XCTAssertEqual([Event.next(1), .completed], [.next(1), .completed])
        XCTAssertEqual([SingleEvent<Int>.success(1), .failure(Failure.one)], [.success(1), .failure(Failure.one)])
        XCTAssertEqual([MaybeEvent<Int>.success(1), .completed], [.success(1), .completed])
        XCTAssertEqual([CompletableEvent.completed, .error(Failure.one)], [.completed, .error(Failure.one)])
        XCTAssertTrue(Event.next(1) == Event.next(1))
        XCTAssertTrue(Event<Int>.error(Failure.one) != .error(Failure.two))
        XCTAssertTrue(MaybeEvent.success(1) == .success(1))
        XCTAssertTrue(CompletableEvent.completed == .completed)
        XCTAssertTrue(SingleEvent<Int>.success(1) == .success(1))
        XCTAssertTrue(Recorded.next(1, 1) == Recorded.next(1, 1))
        XCTAssertTrue(Recorded<Event<Int?>>.next(1, nil) == .next(1, nil))
        XCTAssertEqual(Recorded(time: 1, value: "a"), Recorded(time: 1, value: "a"))
        XCTAssertEqual(Recorded(time: 1, value: "a").time, 1)
        XCTAssertEqual(Recorded(time: 1, value: "a").value, "a")
        XCTAssertEqual(Recorded(time: 1, value: "a").debugDescription, "a @ 1")
    }

    func testSubscriptions() {
        XCTAssertEqual(Subscription(200).unsubscribe, .max)
        XCTAssertEqual(Subscription(200, 300).debugDescription.isEmpty, false)
        XCTAssertEqual(Set([Subscription(1, 2), Subscription(1, 2)]).count, 1)
        var hasher = Hasher()
        Subscription(1, 2).hash(into: &hasher)
        XCTAssertEqual(
            hasher.finalize(),
            {
                var hasher = Hasher(); Subscription(1, 2).hash(into: &hasher); return hasher.finalize()
            }())
    }

    func testBlocking() throws {
        XCTAssertEqual(try Observable.of(1, 2).toBlocking().toArray(), [1, 2])
        XCTAssertThrowsError(try Observable<Int>.error(Failure.one).toBlocking().first())
    }
}

/// Runs tests without a test bundle.
func runTests<Tests: XCTestCase>(of type: Tests.Type, _ tests: [(String, (Tests) -> () throws -> Void)]) {
    let suite = XCTestSuite(name: "\(type)")
    for (name, test) in tests {
        suite.addTest(
            type.init(name: name) { testCase in
                guard let own = testCase as? Tests else { return }
                try test(own)()
            })
    }
    let printer = FailurePrinter()
    XCTestObservationCenter.shared.addTestObserver(printer)
    defer { XCTestObservationCenter.shared.removeTestObserver(printer) }
    suite.run()
    check(suite.testRun?.executionCount, tests.count)
}

/// Makes a failed check of each failure in a test.
private final class FailurePrinter: XCTestObservation {
    func testCase(
        _ testCase: XCTestCase, didFailWithDescription description: String, inFile filePath: String?, atLine line: Int
    ) {
        Checks.all.note(false, "\(testCase.name): \(description)", "\(filePath ?? testCase.name)", UInt(line))
    }
}

func ownTests() {
    runTests(
        of: VocabularyTests.self,
        [
            ("testHotObservable", VocabularyTests.testHotObservable),
            ("testColdObservable", VocabularyTests.testColdObservable),
            ("testStart", VocabularyTests.testStart),
            ("testObserver", VocabularyTests.testObserver),
            ("testEquality", VocabularyTests.testEquality),
            ("testSubscriptions", VocabularyTests.testSubscriptions),
            ("testBlocking", VocabularyTests.testBlocking),
        ])
}
