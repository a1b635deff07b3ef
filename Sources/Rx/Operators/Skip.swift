extension ObservableType {
    /// Drops the first `count` elements.
    ///
    /// ```
    /// source   --1--2--3--|
    /// skip(1)  -----2--3--|
    /// ```
    public func skip(_ count: Int) -> Observable<Element> { Skip(asObservable(), count) }
}

private final class Skip<Element: RxSendable>: Producer<Element>, @unchecked Sendable {
    // Unchecked: see `Observable`.
    let source: Observable<Element>
    let count: Int

    init(_ source: Observable<Element>, _ count: Int) {
        self.source = source
        self.count = count
        super.init()
    }

    override func run(_ stage: Stage<Element>) { source.run(SkipStage(stage, count)) }
}

private final class SkipStage<Element: RxSendable>: Pass<Element, Element>, @unchecked Sendable {
    // Unchecked: see `Stage`.
    private var left: Int

    init(_ downstream: Stage<Element>, _ count: Int) {
        left = count
        super.init(downstream)
    }

    override func next(_ element: Element) {
        guard left <= 0 else { return left -= 1 }
        downstream.next(element)
    }
}
