extension InfallibleType {
    /// Emits one element, then completes.
    @inlinable
    public static func just(_ element: Element) -> Infallible<Element> { Infallible(.just(element)) }

    /// Emits no event and never ends.
    @inlinable
    public static func never() -> Infallible<Element> { Infallible(.never()) }

    /// Completes at once without an element.
    @inlinable
    public static func empty() -> Infallible<Element> { Infallible(.empty()) }

    /// A sequence that `factory` creates for each subscriber.
    @inlinable
    public static func deferred(_ factory: @escaping @Sendable () -> Infallible<Element>) -> Infallible<Element> {
        Infallible(.deferred { factory().source })
    }
}

extension Infallible {
    /// Emits the given elements, then completes.
    @inlinable
    public static func of(
        _ elements: Element..., scheduler: any ImmediateSchedulerType = CurrentThreadScheduler.instance
    ) -> Infallible<Element> {
        Infallible(.from(elements, scheduler: scheduler))
    }

    /// Emits the elements of an array, then completes.
    @inlinable
    public static func from(
        _ array: [Element], scheduler: any ImmediateSchedulerType = CurrentThreadScheduler.instance
    ) -> Infallible<Element> {
        Infallible(.from(array, scheduler: scheduler))
    }

    /// Emits the elements of a sequence, which is iterated anew for each subscriber, then completes.
    @inlinable
    public static func from<Elements: Sequence & Sendable>(
        _ sequence: Elements, scheduler: any ImmediateSchedulerType = CurrentThreadScheduler.instance
    ) -> Infallible<Element> where Elements.Element == Element {
        Infallible(.from(sequence, scheduler: scheduler))
    }
}
