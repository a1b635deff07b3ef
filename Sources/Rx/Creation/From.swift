extension ObservableType {
    /// The elements given, then the end.
    ///
    /// ```
    /// of(1, 2, 3)  (123|)
    /// ```
    @inlinable
    public static func of(
        _ elements: Element..., scheduler: any ImmediateSchedulerType = CurrentThreadScheduler.instance
    ) -> Observable<Element> {
        ElementsSource(elements, scheduler)
    }

    /// The elements of an array, then the end.
    ///
    /// ```
    /// from([1, 2, 3])  (123|)
    /// ```
    @inlinable
    public static func from(
        _ array: [Element], scheduler: any ImmediateSchedulerType = CurrentThreadScheduler.instance
    ) -> Observable<Element> {
        ElementsSource(array, scheduler)
    }

    /// The elements of a sequence, iterated anew for each subscriber, then the end.
    ///
    /// ```
    /// from(1...3)  (123|)
    /// ```
    @inlinable
    public static func from<Elements: Sequence & Sendable>(
        _ sequence: Elements, scheduler: any ImmediateSchedulerType = CurrentThreadScheduler.instance
    ) -> Observable<Element> where Elements.Element == Element {
        ElementsSource(sequence, scheduler)
    }

    /// The element, if there is one, then the end.
    ///
    /// ```
    /// from(optional: 1)    (1|)
    /// from(optional: nil)  |
    /// ```
    @inlinable
    public static func from(optional: Element?) -> Observable<Element> {
        optional.map { .just($0) } ?? .empty()
    }
}

@usableFromInline
final class ElementsSource<Elements: Sequence & Sendable>: Producer<Elements.Element>, @unchecked Sendable
where Elements.Element: Sendable {
    // Unchecked: see `Observable`.
    let elements: Elements
    let scheduler: any ImmediateSchedulerType

    @usableFromInline
    init(_ elements: Elements, _ scheduler: any ImmediateSchedulerType) {
        self.elements = elements
        self.scheduler = scheduler
        super.init()
    }

    override func run(_ stage: Stage<Elements.Element>) {
        ElementsLoop(stage, elements.makeIterator()).start(on: scheduler)
    }
}

private final class ElementsLoop<Elements: IteratorProtocol>: Loop<Elements.Element>, @unchecked Sendable
where Elements.Element: Sendable {
    // Unchecked: see `Loop`.
    private var iterator: Elements

    init(_ stage: Stage<Elements.Element>, _ iterator: Elements) {
        self.iterator = iterator
        super.init(stage)
    }

    override func sendNext() -> Bool {
        guard let element = iterator.next() else { return false }
        stage.next(element)
        return true
    }
}
