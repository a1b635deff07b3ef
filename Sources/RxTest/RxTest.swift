// RxTest: tests of observables in virtual time, with exact times of all events.
//
//     import Rx
//     import RxTest
//     import Testing  // or XCTest
//
//     @Test func doubles() {
//         let scheduler = TestScheduler(initialClock: 0)
//         let source = scheduler.createHotObservable([.next(150, 1), .next(210, 2), .next(220, 3), .completed(230)])
//         let observer = scheduler.start { source.map { $0 * 2 } }  // subscribed at 200, disposed at 1000
//         #expect(observer.events == [.next(210, 4), .next(220, 6), .completed(230)])
//         #expect(source.subscriptions == [Subscription(200, 230)])
//     }
//
// The same with marbles. Each character is a unit of time; frame 0 is 200 on the clock (see TestScheduler+Marbles):
//
//     let source = scheduler.hot("--a-b-|", values: ["a": 2, "b": 3])
//     scheduler.expect(source.map { $0 * 2 }).toBe("--x-y-|", values: ["x": 4, "y": 6])
//     scheduler.expect(subscriptionsOf: source).toBe("^-----!")
//
// A sequence that needs real time can be waited for: `try source.toBlocking(timeout: 5).toArray()`. That is the module
// RxBlocking, which this one re-exports.
//
// Rules for users
// * A unit of test time is `resolution` seconds, one by default: `.seconds(30)` is 30 units.
// * Work scheduled for the current time runs at clock + 1, so each pass through the scheduler is visible in the times
//   of events. Events of `createCold…` and `createHot…` are exact. `simulateProcessingDelay: false` turns the delay
//   off.
// * Actions at the same time run in the order of scheduling. A hot event at 200 comes before the subscription that
//   `start` makes at 200; an event of a marble diagram, which is scheduled late, comes after it.
// * `interval` and similar sequences never end: dispose them within the run (`start` does), or `start()` does not
//   return.
// * Pending actions of a scheduler retain what they capture. Run the scheduler to the end, or release it.
// * Closures are `@Sendable`. Use a `SerialDisposable` or a `Locked` value instead of assigning a captured variable.
// * Errors are compared by type and description.
//
// How failures are reported
// * `XCTAssertEqual` for events (six kinds of list), `XCTAssertRecordedElements`, and `toBe` fail the running test of
//   Swift Testing or XCTest at the caller's line, with a diff. Both libraries come with the toolchain. If one is
//   missing, only reporting to that one is unavailable. A program that does not import RxTest links neither.
// * A failure in a detached task or on another thread fails the run, but Swift Testing cannot attribute it to a test.
//
// Reading order: TestScheduler, TestScheduler+Recording, TestTime, TestSchedulerVirtualTimeConverter, Recorded,
// Subscription, TestableObservable, TestableObserver, Equality, Difference, XCTAssert, Failure; Marbles:
// TestScheduler+Marbles, MarbleDiagram, MarbleValues, MarbleExpectation, MarbleRounds, MarbleDrawing. The clock itself
// is Rx's VirtualTimeScheduler.

// For programs that import only RxTest and use `toBlocking`.
@_exported public import RxBlocking
