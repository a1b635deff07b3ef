internal import Rx

/// A sequence under observation, made by `TestScheduler.expect(_:)`.
public struct MarbleExpectation<Element: Sendable>: Sendable {
    let scheduler: TestScheduler
    let observer: TestableObserver<Element>
    let zero: TestTime
}

extension MarbleExpectation where Element: Equatable {
    /// Runs the scheduler, then fails the test here unless the sequence was as drawn: the same events at the same frames.
    ///
    /// Works in tests of Swift Testing and of XCTest. Errors are equal when type and description are.
    ///
    /// - Returns: whether it was.
    @discardableResult
    public func toBe(
        _ diagram: String, values: [String: Element] = [:], error: any Error = MarbleError(),
        fileID: String = #fileID, file: StaticString = #filePath, line: UInt = #line, column: UInt = #column
    ) -> Bool {
        let site = CallSite(fileID: fileID, file: file, line: line, column: column)
        return compare(site, diagram, values, error, otherwise: { _ in nil })
    }

    private func compare(
        _ site: CallSite, _ diagram: String, _ values: [String: Element], _ error: any Error,
        otherwise: @escaping @Sendable (Character) -> Element?
    ) -> Bool {
        let expected = scheduler.read(site, diagram, .expected, values, error, otherwise: otherwise)
        scheduler.start()
        guard let expected else { return false }
        let actual = observer.events.map { Recorded(time: $0.time - zero, value: $0.value) }
        guard actual != expected else { return true }
        let drawing = MarbleDrawing(resolution: scheduler.resolution, names: values, otherwise: otherwise)
        site.fail(drawing.difference(of: actual, from: expected))
        return false
    }
}

extension MarbleExpectation where Element: Equatable & LosslessStringConvertible {
    /// As the other `toBe`; a name that `values` lacks stands for what is written so: `1` for the number, `a` for the string.
    @discardableResult
    public func toBe(
        _ diagram: String, values: [String: Element] = [:], error: any Error = MarbleError(),
        fileID: String = #fileID, file: StaticString = #filePath, line: UInt = #line, column: UInt = #column
    ) -> Bool {
        let site = CallSite(fileID: fileID, file: file, line: line, column: column)
        return compare(site, diagram, values, error, otherwise: { Element(String($0)) })
    }
}

/// The subscriptions of a hot or cold sequence, from `TestScheduler.expect(subscriptionsOf:)`.
public struct SubscriptionExpectation: Sendable {
    let scheduler: TestScheduler
    let subscriptions: @Sendable () -> [Subscription]

    /// Runs the scheduler, then fails the test here unless there were these subscriptions, in this order: `^` where each was
    /// made, `!` where it was disposed.
    ///
    /// - Returns: whether there were.
    @discardableResult
    public func toBe(
        _ diagrams: String...,
        fileID: String = #fileID, file: StaticString = #filePath, line: UInt = #line, column: UInt = #column
    ) -> Bool {
        toBe(diagrams, fileID: fileID, file: file, line: line, column: column)
    }

    /// As the other `toBe`.
    @discardableResult
    public func toBe(
        _ diagrams: [String],
        fileID: String = #fileID, file: StaticString = #filePath, line: UInt = #line, column: UInt = #column
    ) -> Bool {
        let site = CallSite(fileID: fileID, file: file, line: line, column: column)
        let expected = diagrams.compactMap { scheduler.readSubscription(site, $0) }
        scheduler.start()
        guard expected.count == diagrams.count else { return false }
        let actual = subscriptions().map(scheduler.rounds.frames)
        guard actual != expected else { return true }
        let drawing = MarbleDrawing<String>(resolution: scheduler.resolution, names: [:], otherwise: { _ in nil })
        site.fail(drawing.difference(of: actual, from: expected))
        return false
    }
}
