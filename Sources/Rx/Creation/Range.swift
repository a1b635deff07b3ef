/// The integers of counting sources.
public typealias RxAbstractInteger = FixedWidthInteger

extension ObservableType where Element: RxAbstractInteger {
    /// Emits `count` consecutive integers from `start`, then completes. `count` must not be negative, and the last
    /// integer must fit into `Element`.
    ///
    /// ```
    /// range(start: 5, count: 3)  (5 6 7|)
    /// ```
    @inlinable
    public static func range(
        start: Element, count: Element, scheduler: any ImmediateSchedulerType = CurrentThreadScheduler.instance
    ) -> Observable<Element> {
        precondition(count >= 0, "a count is not negative")
        precondition(count == 0 || !start.addingReportingOverflow(count - 1).overflow, "the range fits in its type")
        return ElementsSource(Counting(from: start, count: count), scheduler)
    }
}

/// Consecutive integers; as many as `Element` can count.
@usableFromInline
struct Counting<Element: RxAbstractInteger & RxSendable>: Sequence, IteratorProtocol, Sendable {
    @usableFromInline var current: Element
    @usableFromInline var left: Element

    @inlinable
    init(from start: Element, count: Element) {
        current = start
        left = count
    }

    @inlinable
    mutating func next() -> Element? {
        if left == 0 { return nil }
        left &-= 1
        defer { current &+= 1 }
        return current
    }
}
