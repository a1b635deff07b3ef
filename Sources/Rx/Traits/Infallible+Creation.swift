extension InfallibleType {
    /// Emits one element, then completes.
    ///
    /// ```
    /// just(1)  (1|)
    /// ```
    @inlinable
    public static func just(_ element: Element) -> Infallible<Element> { Infallible(.just(element)) }

    /// Emits no event and never ends.
    ///
    /// ```
    /// never()  ----
    /// ```
    @inlinable
    public static func never() -> Infallible<Element> { Infallible(.never()) }

    /// Completes at once without an element.
    ///
    /// ```
    /// empty()  |
    /// ```
    @inlinable
    public static func empty() -> Infallible<Element> { Infallible(.empty()) }

    /// A sequence that `factory` creates for each subscriber.
    ///
    /// ```
    /// inner               --1--2--|
    /// deferred { inner }  --1--2--|
    /// ```
    #if Migration
        @preconcurrency
    #endif
    @inlinable
    public static func deferred(_ factory: @escaping @Sendable () -> Infallible<Element>) -> Infallible<Element> {
        Infallible(.deferred { factory().source })
    }
}

extension Infallible {
    /// Emits the given elements, then completes.
    ///
    /// ```
    /// of(1, 2, 3)  (1 2 3|)
    /// ```
    @inlinable
    public static func of(
        _ elements: Element..., scheduler: any ImmediateSchedulerType = CurrentThreadScheduler.instance
    ) -> Infallible<Element> {
        Infallible(.from(elements, scheduler: scheduler))
    }

    /// Emits the elements of an array, then completes.
    ///
    /// ```
    /// from([1, 2, 3])  (1 2 3|)
    /// ```
    @inlinable
    public static func from(
        _ array: [Element], scheduler: any ImmediateSchedulerType = CurrentThreadScheduler.instance
    ) -> Infallible<Element> {
        Infallible(.from(array, scheduler: scheduler))
    }

    /// Emits the elements of a sequence, which is iterated anew for each subscriber, then completes.
    ///
    /// ```
    /// from(1...3)  (1 2 3|)
    /// ```
    @inlinable
    public static func from<Elements: Sequence & RxSendable>(
        _ sequence: Elements, scheduler: any ImmediateSchedulerType = CurrentThreadScheduler.instance
    ) -> Infallible<Element> where Elements.Element == Element {
        Infallible(.from(sequence, scheduler: scheduler))
    }
}
