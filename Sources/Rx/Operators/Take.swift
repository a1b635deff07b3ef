extension ObservableType {
    /// Emits the first `count` elements, then completes.
    ///
    /// ```
    /// source   --1--2--3--|
    /// take(2)  --1--(2|)
    /// ```
    public func take(_ count: Int) -> Observable<Element> {
        precondition(count >= 0, "a count is not negative")
        return count == 0 ? .empty() : Take(asObservable(), count)
    }
}

private final class Take<Element: RxSendable>: Producer<Element>, @unchecked Sendable {
    // Unchecked: see `Observable`.
    let source: Observable<Element>
    let count: Int

    init(_ source: Observable<Element>, _ count: Int) {
        self.source = source
        self.count = count
        super.init()
    }

    override func run(_ stage: Stage<Element>) {
        let sink = TakeSink(stage, count)
        stage.attach(sink)
        source.run(sink)
    }
}

private final class TakeSink<Element: RxSendable>: Valve<Element, Element>, @unchecked Sendable {
    // Unchecked: see `Stage`.
    private var left: Int

    init(_ downstream: Stage<Element>, _ count: Int) {
        left = count
        super.init(downstream)
    }

    override func next(_ element: Element) {
        guard isOpen, left > 0 else { return }
        // Counted before it is sent, because that may cause the next element.
        left -= 1
        let isLast = left == 0
        downstream.next(element)
        if isLast { completed() }
    }
}
