extension ObservableType {
    /// Emits the sequence, or only `default` if it completes without an element.
    ///
    /// ```
    /// source               -----|
    /// ifEmpty(default: 0)  -----(0|)
    /// ```
    public func ifEmpty(default: Element) -> Observable<Element> {
        IfEmpty(asObservable(), .just(`default`))
    }

    /// Emits the sequence, or continues with `other` if it completes without an element.
    ///
    /// ```
    /// source                    -----|
    /// other                          --1--2--|
    /// ifEmpty(switchTo: other)  -------1--2--|
    /// ```
    public func ifEmpty(switchTo other: Observable<Element>) -> Observable<Element> {
        IfEmpty(asObservable(), other)
    }
}

private final class IfEmpty<Element: RxSendable>: Producer<Element>, @unchecked Sendable {
    // Unchecked: see `Observable`.
    let source: Observable<Element>
    let other: Observable<Element>

    init(_ source: Observable<Element>, _ other: Observable<Element>) {
        self.source = source
        self.other = other
        super.init()
    }

    override func run(_ stage: Stage<Element>) {
        let sink = IfEmptySink(stage, other)
        stage.attach(sink.both)
        source.run(sink)
    }
}

private final class IfEmptySink<Element: RxSendable>: Handover<Element>, @unchecked Sendable {
    // Unchecked: see `Stage`.
    private let other: Observable<Element>
    private var isEmpty = true

    init(_ downstream: Stage<Element>, _ other: Observable<Element>) {
        self.other = other
        super.init(downstream)
    }

    override func next(_ element: Element) {
        guard isOpen else { return }
        isEmpty = false
        downstream.next(element)
    }

    override func finished() {
        if isEmpty { handOver(to: other) } else { downstream.completed() }
    }
}
