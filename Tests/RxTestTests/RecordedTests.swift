import Rx
import RxTest
import Testing
import TestSupport

@Suite("Recorded events", .leakFree)
struct RecordedTests {
    @Test("events are equal when time, kind and element are")
    func equality() {
        let events: [Recorded<Event<Int>>] = [.next(1, 2), .error(3, Oops()), .completed(4)]
        #expect(events == [.next(1, 2), .error(3, Oops()), .completed(4)])
        #expect(events[0] != .next(2, 2))
        #expect(events[0] != .next(1, 3))
        #expect(events[0] != .completed(1))
        #expect(events[1] != .completed(3))
        #expect(Event<Int>.next(1) == .next(1))
        #expect(Event<Int>.completed != .error(Oops()))
    }

    @Test("errors are equal when type and description are")
    func errors() {
        #expect(Event<Int>.error(RxError.timeout) == .error(RxError.timeout))
        #expect(Event<Int>.error(RxError.timeout) != .error(RxError.noElements))
        #expect(Event<Int>.error(Named(name: "a")) == .error(Named(name: "a")))
        #expect(Event<Int>.error(Named(name: "a")) != .error(Named(name: "b")))
        #expect(Event<Int>.error(Named(name: "a")) != .error(OtherNamed(name: "a")))
    }

    @Test("the outcomes of traits can be compared")
    func traits() {
        #expect(MaybeEvent.success(1) == .success(1))
        #expect(MaybeEvent.success(1) != .success(2))
        #expect(MaybeEvent<Int>.completed == .completed)
        #expect(MaybeEvent<Int>.completed != .error(Oops()))
        #expect(MaybeEvent<Int>.error(Oops()) == .error(Oops()))
        #expect(CompletableEvent.completed == .completed)
        #expect(CompletableEvent.error(Oops()) == .error(Oops()))
        #expect(CompletableEvent.error(Oops()) != .completed)
        #expect(SingleEvent<Int>.success(1) == SingleEvent<Int>.success(1))
        #expect(SingleEvent<Int>.failure(Oops()) == SingleEvent<Int>.failure(Oops()))
        #expect(!(SingleEvent<Int>.failure(Oops()) == SingleEvent<Int>.success(1)))
    }

    @Test("lists can be written with and without the name of their type")
    func lists() {
        let events = Recorded.events(.next(1, "a"), .completed(2))
        #expect(events == [.next(1, "a"), .completed(2)])
        #expect(Recorded.events([.next(1, "a")]) == [.next(1, "a")])
        #expect(Recorded.error(3, Oops(), Int.self) == .error(3, Oops()))
        #expect(Recorded.completed(3, Int.self) == .completed(3))
    }

    @Test("descriptions are short")
    func descriptions() {
        #expect("\(Recorded.next(7, "a"))" == "next(a) @ 7")
        #expect("\(Recorded.completed(8, Int.self))" == "completed @ 8")
        #expect("\(Subscription(1, 2)) \(Subscription(3))" == "(1 : 2) (3 : never)")
    }

    @Test("a subscription without an end has the largest time there")
    func subscription() {
        #expect(Subscription(3) == Subscription(3, .max))
        #expect(Set([Subscription(1, 2), Subscription(1, 2), Subscription(1)]).count == 2)
    }

    @Test("the assertions fail tests of Swift Testing too, with a diff")
    func assertions() {
        let events: [Recorded<Event<Int>>] = [.next(1, 10), .next(2, 20), .completed(3)]
        XCTAssertEqual(events, [.next(1, 10), .next(2, 20), .completed(3)])
        XCTAssertRecordedElements(Array(events.dropLast()), [10, 20])
        XCTAssertEqual([MaybeEvent.success(1)], [.success(1)])
        XCTAssertEqual([CompletableEvent.completed], [.completed])
        XCTAssertEqual([SingleEvent<Int>.success(1)], [.success(1)])
        XCTAssertEqual([Event.next(1)], [.next(1)])
        let optional: [Recorded<Event<Int?>>] = [.next(1, nil), .next(2, 2)]
        XCTAssertEqual(optional, [.next(1, nil), .next(2, 2)])

        expectFailure(
            """
            not equal (- expected, + actual):
              next(10) @ 1
            - next(20) @ 3
            + next(20) @ 2
              completed @ 3
            """
        ) { XCTAssertEqual(events, [.next(1, 10), .next(3, 20), .completed(3)]) }
        expectFailure("elements only were expected, but there is completed @ 3") {
            XCTAssertRecordedElements(events, [10, 20])
        }
        expectFailure("- 30") { XCTAssertRecordedElements(Array(events.dropLast()), [10, 20, 30]) }
        expectFailure("+ success(1)") { XCTAssertEqual([MaybeEvent.success(1)], []) }
        expectFailure("- completed") { XCTAssertEqual([], [CompletableEvent.completed]) }
        expectFailure("- failure(RxTestTests.Oops())") {
            XCTAssertEqual([SingleEvent<Int>.success(1)], [.failure(Oops())])
        }
        expectFailure("- next(2)") { XCTAssertEqual([Event.next(1)], [.next(2)]) }
        expectFailure("- next(nil) @ 2") { XCTAssertEqual(optional, [.next(1, nil), .next(2, nil)]) }
    }

    private func expectFailure(_ text: String, line: Int = #line, _ body: () -> Void) {
        withKnownIssue {
            body()
        } matching: { issue in
            issue.comments.contains { $0.rawValue.contains(text) }
                && issue.sourceLocation?.fileName == "RecordedTests.swift"
        }
    }
}

private struct Named: Error, CustomStringConvertible {
    let name: String
    var description: String { name }
}

private struct OtherNamed: Error, CustomStringConvertible {
    let name: String
    var description: String { name }
}
