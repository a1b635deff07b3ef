extension ObservableType {
    /// One element, then the end.
    ///
    /// ```
    /// just(1)  (1|)
    /// ```
    @inlinable
    public static func just(_ element: Element) -> Observable<Element> { Just(element) }
}

@usableFromInline
final class Just<Element: Sendable>: Producer<Element>, @unchecked Sendable {
    // Unchecked: see `Observable`.
    let element: Element

    @usableFromInline
    init(_ element: Element) {
        self.element = element
        super.init()
    }

    override func run(_ stage: Stage<Element>) {
        stage.next(element)
        stage.completed()
    }
}
