extension ObservableType {
    /// Emits the first element as soon as it arrives; nil if the sequence completes without one.
    ///
    /// ```
    /// source   --1--2--
    /// first()  --(1|)
    /// ```
    public func first() -> Single<Element?> { Single(raw: First(asObservable())) }
}

private final class First<Element: RxSendable>: Producer<Element?>, @unchecked Sendable {
    // Unchecked: see `Observable`.
    let source: Observable<Element>

    init(_ source: Observable<Element>) {
        self.source = source
        super.init()
    }

    override func run(_ stage: Stage<Element?>) {
        let sink = FirstSink<Element>(stage)
        stage.attach(sink)
        source.run(sink)
    }
}

private final class FirstSink<Element: RxSendable>: Valve<Element, Element?>, @unchecked Sendable {
    // Unchecked: see `Stage`.
    private var hasElement = false

    override func next(_ element: Element) {
        guard isOpen, !hasElement else { return }
        hasElement = true
        downstream.next(element)
        completed()
    }

    override func finished() {
        if !hasElement { downstream.next(nil) }
        downstream.completed()
    }
}
