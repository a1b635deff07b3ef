public import Rx

/// An observed sequence, created by `TestScheduler.expect(_:)`.
public struct MarbleExpectation<Element: RxSendable>: Sendable {
    let scheduler: TestScheduler
    let observer: TestableObserver<Element>
    let zero: TestTime
}

extension MarbleExpectation where Element: Equatable {
    /// Runs the scheduler, then fails the test at the call site unless the sequence had exactly these events at these
    /// frames.
    ///
    /// Works in tests of Swift Testing and XCTest. Errors are compared by type and description.
    ///
    /// - Returns: whether the sequence matched.
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
    /// Runs the scheduler, then fails the test at the call site unless the sequence had exactly these events at these
    /// frames. A name without an entry in `values` represents itself: `1` the number, `a` the string.
    ///
    /// - Returns: whether the sequence matched.
    @discardableResult
    public func toBe(
        _ diagram: String, values: [String: Element] = [:], error: any Error = MarbleError(),
        fileID: String = #fileID, file: StaticString = #filePath, line: UInt = #line, column: UInt = #column
    ) -> Bool {
        let site = CallSite(fileID: fileID, file: file, line: line, column: column)
        return compare(site, diagram, values, error, otherwise: { Element(String($0)) })
    }
}

/// The subscriptions of a hot or cold sequence, created by `TestScheduler.expect(subscriptionsOf:)`.
public struct SubscriptionExpectation: Sendable {
    let scheduler: TestScheduler
    let subscriptions: @Sendable () -> [Subscription]

    /// Runs the scheduler, then fails the test at the call site unless these subscriptions were made in this order. `^`
    /// marks each subscription and `!` its disposal.
    ///
    /// - Returns: whether the subscriptions matched.
    @discardableResult
    public func toBe(
        _ diagrams: String...,
        fileID: String = #fileID, file: StaticString = #filePath, line: UInt = #line, column: UInt = #column
    ) -> Bool {
        toBe(diagrams, fileID: fileID, file: file, line: line, column: column)
    }

    /// Runs the scheduler, then fails the test at the call site unless these subscriptions were made in this order. `^`
    /// marks each subscription and `!` its disposal.
    ///
    /// - Returns: whether the subscriptions matched.
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
