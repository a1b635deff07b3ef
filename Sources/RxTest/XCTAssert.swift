public import Rx

// These also fail tests of Swift Testing, unlike XCTest's own assertions.

/// Asserts that two lists of events are equal.
public func XCTAssertEqual<Element: Equatable>(
    _ lhs: [Event<Element>], _ rhs: [Event<Element>], file: StaticString = #filePath, line: UInt = #line
) {
    assertEqual(lhs, rhs, file, line, ==)
}

/// Asserts that two lists of outcomes of a `Single` are equal.
public func XCTAssertEqual<Element: Equatable>(
    _ lhs: [Result<Element, any Error>], _ rhs: [Result<Element, any Error>],
    file: StaticString = #filePath, line: UInt = #line
) {
    assertEqual(lhs, rhs, file, line, ==)
}

/// Asserts that two lists of outcomes of a `Maybe` are equal.
public func XCTAssertEqual<Element: Equatable>(
    _ lhs: [MaybeEvent<Element>], _ rhs: [MaybeEvent<Element>],
    file: StaticString = #filePath, line: UInt = #line
) {
    assertEqual(lhs, rhs, file, line, ==)
}

/// Asserts that two lists of outcomes of a `Completable` are equal.
public func XCTAssertEqual(
    _ lhs: [CompletableEvent], _ rhs: [CompletableEvent], file: StaticString = #filePath, line: UInt = #line
) {
    assertEqual(lhs, rhs, file, line, ==)
}

/// Asserts that two lists of events and their times are equal.
public func XCTAssertEqual<Element: Equatable>(
    _ lhs: [Recorded<Event<Element>>], _ rhs: [Recorded<Event<Element>>],
    file: StaticString = #filePath, line: UInt = #line
) {
    assertEqual(lhs, rhs, file, line, ==)
}

/// Asserts that two lists of events with optional elements and their times are equal.
public func XCTAssertEqual<Element: Equatable>(
    _ lhs: [Recorded<Event<Element?>>], _ rhs: [Recorded<Event<Element?>>],
    file: StaticString = #filePath, line: UInt = #line
) {
    assertEqual(lhs, rhs, file, line, ==)
}

/// Asserts that `stream` consists only of elements and that these equal `elements`, regardless of their times.
public func XCTAssertRecordedElements<Element: Equatable>(
    _ stream: [Recorded<Event<Element>>], _ elements: [Element],
    file: StaticString = #filePath, line: UInt = #line
) {
    if let end = stream.first(where: { $0.value.isStopEvent }) {
        CallSite(file: file, line: line).fail("elements only were expected, but there is \(end)")
        return
    }
    assertEqual(stream.compactMap(\.value.element), elements, file, line, ==)
}

private func assertEqual<Value>(
    _ actual: [Value], _ expected: [Value], _ file: StaticString, _ line: UInt, _ areEqual: (Value, Value) -> Bool
) {
    guard let difference = difference(of: actual, from: expected, areEqual) else { return }
    CallSite(file: file, line: line).fail(difference)
}
