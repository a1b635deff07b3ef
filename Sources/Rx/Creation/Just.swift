extension ObservableType {
    /// Emits one element, then completes.
    ///
    /// ```
    /// just(1)  (1|)
    /// ```
    @inlinable
    public static func just(_ element: Element) -> Observable<Element> { Just(element) }
}

@usableFromInline
final class Just<Element: RxSendable>: Observable<Element>, @unchecked Sendable {
    // Unchecked: see `Observable`.
    @usableFromInline let element: Element

    @inlinable
    init(_ element: Element) {
        self.element = element
        super.init()
    }

    override var isScalar: Bool { true }

    override func run(_ stage: Stage<Element>) {
        stage.next(element)
        stage.completed()
    }
}
