import Dispatch
import Rx
import RxTest
import XCTest

// Tests of XCTest run on the main thread, outside of its queue: the other place where blocking has to keep that going.
final class XCTAssertTests: XCTestCase {
    func testEqualListsPass() {
        let scheduler = TestScheduler(initialClock: 0)
        let source = scheduler.createHotObservable([.next(150, 1), .next(210, 2), .completed(220)])
        let result = scheduler.start { source.map { $0 * 2 } }
        XCTAssertEqual(result.events, [.next(210, 4), .completed(220)])
        XCTAssertEqual(source.subscriptions, [Subscription(200, 220)])
    }

    func testBlockingKeepsTheMainQueueGoing() throws {
        MainScheduler.ensureRunningOnMainThread()
        let isDone = Locked(false)
        DispatchQueue.main.async { isDone.withLock { $0 = true } }
        let elements = try Observable.of(1, 2, 3)
            .observe(on: SerialDispatchQueueScheduler(qos: .default))
            .observe(on: MainScheduler.instance)
            .delay(.milliseconds(5), scheduler: MainScheduler.asyncInstance)
            .toBlocking(timeout: 10).toArray()
        XCTAssertEqual(elements, [1, 2, 3])
        XCTAssertTrue(isDone.withLock { $0 })
    }

    func testBlockingOnTheMainThreadTimesOut() {
        XCTAssertThrowsError(try Observable<Int>.never().toBlocking(timeout: 0.02).first()) { error in
            guard case RxError.timeout = error else { return XCTFail("\(error)") }
        }
    }
}
