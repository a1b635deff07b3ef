extension InfallibleType {
    /// One element, then the end.
    @inlinable
    public static func just(_ element: Element) -> Infallible<Element> { Infallible(.just(element)) }

    /// No event, ever.
    @inlinable
    public static func never() -> Infallible<Element> { Infallible(.never()) }

    /// The end at once.
    @inlinable
    public static func empty() -> Infallible<Element> { Infallible(.empty()) }

    /// The sequence that `factory` makes anew for each subscriber.
    @inlinable
    public static func deferred(_ factory: @escaping @Sendable () -> Infallible<Element>) -> Infallible<Element> {
        Infallible(.deferred { factory().source })
    }
}

extension Infallible {
    /// The elements given, then the end.
    @inlinable
    public static func of(
        _ elements: Element..., scheduler: any ImmediateSchedulerType = CurrentThreadScheduler.instance
    ) -> Infallible<Element> {
        Infallible(.from(elements, scheduler: scheduler))
    }

    /// The elements of an array, then the end.
    @inlinable
    public static func from(
        _ array: [Element], scheduler: any ImmediateSchedulerType = CurrentThreadScheduler.instance
    ) -> Infallible<Element> {
        Infallible(.from(array, scheduler: scheduler))
    }

    /// The elements of a sequence, iterated anew for each subscriber, then the end.
    @inlinable
    public static func from<Elements: Sequence & Sendable>(
        _ sequence: Elements, scheduler: any ImmediateSchedulerType = CurrentThreadScheduler.instance
    ) -> Infallible<Element> where Elements.Element == Element {
        Infallible(.from(sequence, scheduler: scheduler))
    }
}
