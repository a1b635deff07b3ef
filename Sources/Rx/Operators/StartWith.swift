extension ObservableType {
    /// Emits these elements, then the sequence.
    ///
    /// ```
    /// source        --1--2--|
    /// startWith(0)  0-1--2--|
    /// ```
    public func startWith(_ elements: Element...) -> Observable<Element> {
        StartWith(asObservable(), elements)
    }
}

private final class StartWith<Element: RxSendable>: Producer<Element>, @unchecked Sendable {
    // Unchecked: see `Observable`.
    let source: Observable<Element>
    let elements: [Element]

    init(_ source: Observable<Element>, _ elements: [Element]) {
        self.source = source
        self.elements = elements
        super.init()
    }

    override func run(_ stage: Stage<Element>) {
        let sink = Forward(stage)
        stage.attach(sink)
        for element in elements { sink.next(element) }
        if sink.isOpen { source.run(sink) }
    }
}
