extension ObservableType {
    /// Emits the given elements, then completes.
    ///
    /// ```
    /// of(1, 2, 3)  (1 2 3|)
    /// ```
    @inlinable
    public static func of(
        _ elements: Element..., scheduler: any ImmediateSchedulerType = CurrentThreadScheduler.instance
    ) -> Observable<Element> {
        ElementsSource(elements, scheduler)
    }

    /// Emits the elements of an array, then completes.
    ///
    /// ```
    /// from([1, 2, 3])  (1 2 3|)
    /// ```
    @inlinable
    public static func from(
        _ array: [Element], scheduler: any ImmediateSchedulerType = CurrentThreadScheduler.instance
    ) -> Observable<Element> {
        ElementsSource(array, scheduler)
    }

    /// Emits the elements of a sequence, which is iterated anew for each subscriber, then completes.
    ///
    /// ```
    /// from(1...3)  (1 2 3|)
    /// ```
    @inlinable
    public static func from<Elements: Sequence & RxSendable>(
        _ sequence: Elements, scheduler: any ImmediateSchedulerType = CurrentThreadScheduler.instance
    ) -> Observable<Element> where Elements.Element == Element {
        ElementsSource(sequence, scheduler)
    }

    /// Emits the element, if there is one, then completes.
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
final class ElementsSource<Elements: Sequence & RxSendable>: Producer<Elements.Element>, @unchecked Sendable
where Elements.Element: RxSendable {
    // Unchecked: see `Observable`.
    let elements: Elements
    let scheduler: any ImmediateSchedulerType
    let sendSeveral: ElementsLoop<Elements.Iterator>.Sending

    @inlinable
    convenience init(_ elements: Elements, _ scheduler: any ImmediateSchedulerType) {
        // Written here to be specialized for the sequence; the loop itself is virtual and generic.
        self.init(elements, scheduler) { $0.sendWhilePossible(on: $1) }
    }

    @usableFromInline
    init(
        _ elements: Elements, _ scheduler: any ImmediateSchedulerType,
        sendSeveral: @escaping ElementsLoop<Elements.Iterator>.Sending
    ) {
        self.elements = elements
        self.scheduler = scheduler
        self.sendSeveral = sendSeveral
        super.init()
    }

    override func run(_ stage: Stage<Elements.Element>) {
        ElementsLoop(stage, elements.makeIterator(), sendSeveral).start(on: scheduler)
    }
}

@usableFromInline
final class ElementsLoop<Elements: IteratorProtocol>: Loop<Elements.Element>, @unchecked Sendable
where Elements.Element: RxSendable {
    // Unchecked: see `Loop`.
    @usableFromInline typealias Sending = @Sendable (ElementsLoop<Elements>, Trampoline) -> Bool

    @exclusivity(unchecked) @usableFromInline var iterator: Elements
    private let sending: Sending

    init(_ stage: Stage<Elements.Element>, _ iterator: Elements, _ sending: @escaping Sending) {
        self.iterator = iterator
        self.sending = sending
        super.init(stage)
    }

    @usableFromInline
    override func sendNext() -> Bool {
        guard let element = iterator.next() else { return false }
        stage.next(element)
        return true
    }

    @usableFromInline
    override func sendSeveral(on trampoline: Trampoline) -> Bool { sending(self, trampoline) }

    /// The implementation of `sendSeveral`.
    @inlinable
    func sendWhilePossible(on trampoline: Trampoline) -> Bool {
        var iterator = iterator
        let stage = stage
        while let element = iterator.next() {
            stage.next(element)
            if !mayGoOn(trampoline) {
                self.iterator = iterator
                return true
            }
        }
        return false
    }
}
