// RxTest: tests of observables that take no time and know when everything happens.
//
//     import Rx
//     import RxTest
//     import Testing  // or XCTest
//
//     @Test func doubles() {
//         let scheduler = TestScheduler(initialClock: 0)
//         let source = scheduler.createHotObservable([.next(150, 1), .next(210, 2), .next(220, 3), .completed(230)])
//         let observer = scheduler.start { source.map { $0 * 2 } }      // made at 100, subscribed at 200, disposed at 1000
//         #expect(observer.events == [.next(210, 4), .next(220, 6), .completed(230)])
//         #expect(source.subscriptions == [Subscription(200, 230)])
//     }
//
// The same as marbles; each character is a unit of time, frame 0 is 200 on the clock (see TestScheduler+Marbles):
//
//     let source = scheduler.hot("--a-b-|", values: ["a": 2, "b": 3])
//     scheduler.expect(source.map { $0 * 2 }).toBe("--x-y-|", values: ["x": 4, "y": 6])
//     scheduler.expect(subscriptionsOf: source).toBe("^-----!")
//
// For what needs real time there is waiting: `try source.toBlocking(timeout: 5).toArray()`.
//
// Rules for users
// * A unit of test time is `resolution` seconds, one by default: `.seconds(30)` is 30 units.
// * What is scheduled for now lands at clock + 1, so each passage through the scheduler shows in the times of events.
//   `createCold…` and `createHot…` events are exact. `simulateProcessingDelay: false` turns it off.
// * Actions of one time run in the order of scheduling: a hot event at 200 comes before the subscription that `start` makes
//   at 200; one of a marble diagram, which is scheduled late, comes after it.
// * `interval` and its like go on forever: dispose them within the run (`start` does), or `start()` does not return.
// * What still waits in a scheduler keeps what it holds alive. Run it to the end, or let go of the scheduler.
// * Closures are `@Sendable`. Instead of assigning a captured variable, keep a `SerialDisposable` or a `Locked` value.
// * Errors are equal when their type and their description are.
//
// How failures are told
// * `XCTAssertEqual` for events (six kinds of list), `XCTAssertRecordedElements` and `toBe` fail the test that runs, of Swift
//   Testing or of XCTest, at the caller's line and with a diff. Both libraries come with the toolchain; where one is
//   missing, so is that way, and nothing else changes. A program that does not import RxTest links neither.
// * A failure in a detached task or on another thread fails the run, but Swift Testing does not know of which test it is.
//
// Reading order: TestScheduler, Recorded, TestableObservable, TestableObserver, Equality, XCTAssert, Failure;
// Marbles/TestScheduler+Marbles, MarbleDiagram, MarbleExpectation, MarbleRounds, MarbleDrawing; Blocking/BlockingObservable,
// Blockade. The clock itself is Rx's VirtualTimeScheduler.
