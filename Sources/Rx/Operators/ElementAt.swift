extension ObservableType {
    /// Emits the element at `index`, counted from 0, then completes. Fails with `RxError.argumentOutOfRange` if there
    /// are fewer elements.
    ///
    /// ```
    /// source          --1--2--3--|
    /// element(at: 1)  -----(2|)
    /// ```
    public func element(at index: Int) -> Observable<Element> {
        precondition(index >= 0, "an index is not negative")
        return ElementAt(asObservable(), index)
    }
}

private final class ElementAt<Element: RxSendable>: Producer<Element>, @unchecked Sendable {
    // Unchecked: see `Observable`.
    let source: Observable<Element>
    let index: Int

    init(_ source: Observable<Element>, _ index: Int) {
        self.source = source
        self.index = index
        super.init()
    }

    override func run(_ stage: Stage<Element>) {
        let sink = ElementAtSink(stage, index)
        stage.attach(sink)
        source.run(sink)
    }
}

private final class ElementAtSink<Element: RxSendable>: Valve<Element, Element>, @unchecked Sendable {
    // Unchecked: see `Stage`.
    private var left: Int
    private var isFound = false

    init(_ downstream: Stage<Element>, _ index: Int) {
        left = index
        super.init(downstream)
    }

    override func next(_ element: Element) {
        guard isOpen, !isFound else { return }
        guard left == 0 else { return left -= 1 }
        isFound = true
        downstream.next(element)
        completed()
    }

    override func finished() {
        if isFound { downstream.completed() } else { downstream.error(RxError.argumentOutOfRange) }
    }
}
