extension ObservableType {
    /// Emits the last `count` elements when the sequence completes.
    ///
    /// ```
    /// source       --1--2--3--|
    /// takeLast(2)  -----------(2 3|)
    /// ```
    public func takeLast(_ count: Int) -> Observable<Element> {
        precondition(count >= 0, "a count is not negative")
        return TakeLast(asObservable(), count)
    }
}

private final class TakeLast<Element: RxSendable>: Producer<Element>, @unchecked Sendable {
    // Unchecked: see `Observable`.
    let source: Observable<Element>
    let count: Int

    init(_ source: Observable<Element>, _ count: Int) {
        self.source = source
        self.count = count
        super.init()
    }

    override func run(_ stage: Stage<Element>) {
        let sink = TakeLastSink(stage, count)
        stage.attach(sink)
        source.run(sink)
    }
}

private final class TakeLastSink<Element: RxSendable>: Valve<Element, Element>, @unchecked Sendable {
    // Unchecked: see `Stage`.
    private let count: Int
    private var last = Queue<Element>()

    init(_ downstream: Stage<Element>, _ count: Int) {
        self.count = count
        super.init(downstream)
    }

    override func next(_ element: Element) {
        guard isOpen else { return }
        last.append(element)
        if last.count > count { _ = last.removeFirst() }
    }

    override func finished() {
        while let element = last.removeFirst() {
            // The stage below may have disposed this one.
            if isDisposed { return }
            downstream.next(element)
        }
        downstream.completed()
    }
}
