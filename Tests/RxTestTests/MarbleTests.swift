import Dispatch
import Rx
import RxTest
import Testing
import TestSupport

@Suite("Marbles", .leakFree)
struct MarbleTests {
    private let values = ["a": 1, "b": 2, "c": 3]

    @Test("a hot sequence sends at its frames")
    func hot() {
        let scheduler = TestScheduler(initialClock: 0)
        let source = scheduler.hot("a-b-c|", values: values)
        scheduler.expect(source.map { $0 * 10 }).toBe("a-b-c|", values: ["a": 10, "b": 20, "c": 30])
        scheduler.expect(subscriptionsOf: source).toBe("^----!")
        #expect(source.recordedEvents == [.next(200, 1), .next(202, 2), .next(204, 3), .completed(205)])
    }

    @Test("what stands before the ^ is not received")
    func hotPrefix() {
        let scheduler = TestScheduler(initialClock: 0)
        let source = scheduler.hot("-a-b^c-#", error: Oops())
        scheduler.expect(source).toBe("-c-#", error: Oops())
        #expect(source.recordedEvents.map(\.time) == [197, 199, 201, 203])
    }

    @Test("a hot diagram and start agree on frame 0")
    func hotWithStart() {
        let scheduler = TestScheduler(initialClock: 0)
        let source = scheduler.hot("a^-b-|", values: values)
        #expect(scheduler.start { source }.events == [.next(202, 2), .completed(204)])
    }

    @Test("a cold sequence starts with each subscription")
    func cold() {
        let scheduler = TestScheduler(initialClock: 0)
        let source = scheduler.cold("-a-b#")
        scheduler.expect(source.catch { _ in source }).toBe("-a-b-a-b#")
        scheduler.expect(subscriptionsOf: source).toBe("^---!", "----^---!")
    }

    @Test("sequences are merged frame by frame")
    func several() {
        let scheduler = TestScheduler(initialClock: 0)
        let one = scheduler.hot("-a---b|"), other = scheduler.hot("-c---|")
        scheduler.expect(Observable.merge(one, other)).toBe("-(ac)b|")
    }

    @Test("expectations may be written one after the other, hot sequences play again")
    func rounds() {
        let scheduler = TestScheduler(initialClock: 0)
        let source = scheduler.hot("-a-^b-c-|")
        scheduler.expect(source).toBe("-b-c-|")
        scheduler.expect(source.skip(1)).toBe("---c-|")
        scheduler.expect(source.take(1)).toBe("-(b|)")
        scheduler.expect(subscriptionsOf: source).toBe("^----!", "^----!", "^!")
    }

    @Test("expectations made before the first toBe see one run")
    func together() {
        let scheduler = TestScheduler(initialClock: 0)
        let source = scheduler.hot("-a-b-|")
        let counts = Locked(0)
        let shared = source.do(onNext: { _ in counts.withLock { $0 += 1 } }).share()
        let one = scheduler.expect(shared), other = scheduler.expect(shared, subscription: "--^-!")
        one.toBe("-a-b-|")
        other.toBe("---b")
        #expect(counts.withLock { $0 } == 2)
        scheduler.expect(subscriptionsOf: source).toBe("^----!")
    }

    @Test("a subscription can be drawn: it begins and ends before the events of its frames")
    func subscription() {
        let scheduler = TestScheduler(initialClock: 0)
        let source = scheduler.hot("abcdef")
        scheduler.expect(source, subscription: "-^--!").toBe("-bcd")
        scheduler.expect(subscriptionsOf: source).toBe("-^--!")
    }

    @Test("what never ends is observed until the end of the round, and its subscription has no end")
    func endless() {
        let scheduler = TestScheduler(initialClock: 0)
        let source = scheduler.hot("-a-")
        scheduler.expect(source).toBe("-a-")
        scheduler.expect(subscriptionsOf: source).toBe("^")
        let counter = Observable<Int>.interval(.seconds(300), scheduler: scheduler)
        scheduler.expect(counter).toBe("300s 0 299s 1")
        scheduler.expect(counter.take(4)).toBe("300s 0 299s 1 299s 2 299s (3|)")
        scheduler.expect(subscriptionsOf: source).toBe(["^"])
    }

    @Test("a passage through the scheduler takes a frame")
    func hop() {
        let scheduler = TestScheduler(initialClock: 0)
        scheduler.expect(scheduler.cold("a-b-|").observe(on: scheduler)).toBe("-a-b-|")
        scheduler.expect(scheduler.cold("a-b-|").delay(.seconds(2), scheduler: scheduler)).toBe("--a-b-|")
    }

    @Test("numbers stand for themselves where nothing else is given")
    func numbers() {
        let scheduler = TestScheduler(initialClock: 0)
        let source = scheduler.cold("-a-b-c-|", values: values)
        scheduler.expect(source.scan(0, accumulator: +)).toBe("-1-3-6-|")
        scheduler.expect(source.scan(8, accumulator: +)).toBe("-9-x-y-|", values: ["x": 11, "y": 14])
    }

    @Test("errors are compared by type and description")
    func errors() {
        let scheduler = TestScheduler(initialClock: 0)
        scheduler.expect(scheduler.cold("-#")).toBe("-#")
        scheduler.expect(scheduler.cold("-#", error: RxError.timeout)).toBe("-#", error: RxError.timeout)
        expectFailure("error(Sequence timeout.)") {
            scheduler.expect(scheduler.cold("-#", error: RxError.timeout)).toBe("-#", error: RxError.overflow)
        }
    }

    @Test("a mismatch shows both as marbles, and a table")
    func mismatch() {
        expectFailure(
            """
            the marbles differ
            expected  --a-b-|
            actual    --a--b|
                      a = 1, b = 2

            frame  expected   actual
                2  next(1)    next(1)
                4  next(2)               <
                5             next(2)    <
                6  completed  completed
            """
        ) {
            let scheduler = TestScheduler(initialClock: 0)
            let source = scheduler.hot("--a--b|", values: values)
            #expect(!scheduler.expect(source).toBe("--a-b-|", values: values))
        }
    }

    @Test("values without a name get one")
    func unnamed() {
        expectFailure(
            """
            the marbles differ
            expected  -a|
            actual    -(az)#
                      a = 1, z = 12

            frame  expected   actual
                1  next(1)    next(1)
                1             next(12)              <
                2  completed                        <
                5             error(MarbleError())  <
            """
        ) {
            let scheduler = TestScheduler(initialClock: 0)
            let source = scheduler.cold("-(ab)#", values: ["a": 1, "b": 12])
            scheduler.expect(source).toBe("-a|", values: ["a": 1])
        }
    }

    @Test("what the grammar cannot draw is put in words")
    func undrawable() {
        expectFailure("actual    (cannot be drawn: frame 2 is within a group)") {
            let scheduler = TestScheduler(initialClock: 0)
            let source = Observable.merge(scheduler.cold("-ab|"), scheduler.cold("-c--|"))
            scheduler.expect(source).toBe("-(ac)|")
        }
    }

    @Test("subscriptions that differ are shown as marbles")
    func subscriptionMismatch() {
        expectFailure(
            """
            the subscriptions differ
            1. expected  ^--!
               actual    ^---!  <
            2. expected  none
               actual    ----^---!  <
            """
        ) {
            let scheduler = TestScheduler(initialClock: 0)
            let source = scheduler.cold("-a-b#")
            scheduler.expect(source.catch { _ in source }).toBe("-a-b-a-b#")
            #expect(!scheduler.expect(subscriptionsOf: source).toBe("^--!"))
        }
    }

    @Test("a diagram that cannot be read fails the test and names the column")
    func malformed() {
        let scheduler = TestScheduler(initialClock: 0)
        expectFailure("column 4: no group begins before this `)`") { _ = scheduler.hot("--a)b") }
        expectFailure("column 3: `values` has no value for `x`") { _ = scheduler.cold("-ax", values: ["a": 1]) }
        expectFailure("\"ab\" is not the name of a value") { _ = scheduler.cold("-a", values: ["ab": 1]) }
        expectFailure("column 1: `^`") { scheduler.expect(Observable.just("a")).toBe("^a") }
        expectFailure("column 2: a subscription has only") {
            scheduler.expect(Observable.just("a"), subscription: "^a").toBe("")
        }
        expectFailure("column 1: a subscription is disposed after it is made") {
            scheduler.expect(Observable.just("a"), subscription: "!-^").toBe("")
        }
        expectFailure("more than 200 frames before `^`") { _ = scheduler.hot("a 4m ^-a") }
    }

    @Test("the failure is at the line of the expectation")
    func place() {
        let line = Locked(0)
        withKnownIssue {
            let scheduler = TestScheduler(initialClock: 0)
            line.withLock { $0 = #line + 1 }
            scheduler.expect(Observable.just("a")).toBe("b")
        } matching: { issue in
            issue.sourceLocation?.line == line.withLock { $0 }
                && issue.sourceLocation?.fileName == "MarbleTests.swift"
        }
    }

    /// Runs `body`, which must fail with a message that has `text`.
    private func expectFailure(_ text: String, _ body: () -> Void) {
        withKnownIssue(isIntermittent: false) {
            body()
        } matching: { issue in
            issue.comments.contains { $0.rawValue.contains(text) }
        }
    }
}
