extension ObservableType {
    /// Emits only the completion or the error of the sequence.
    ///
    /// ```
    /// source            --1--2--|
    /// ignoreElements()  --------|
    /// ```
    public func ignoreElements() -> Observable<Never> { IgnoreElements(asObservable()) }
}

private final class IgnoreElements<Element: RxSendable>: Producer<Never>, @unchecked Sendable {
    // Unchecked: see `Observable`.
    let source: Observable<Element>

    init(_ source: Observable<Element>) {
        self.source = source
        super.init()
    }

    override func run(_ stage: Stage<Never>) { source.run(IgnoreElementsStage<Element>(stage)) }
}

private final class IgnoreElementsStage<Element: RxSendable>: Pass<Element, Never>, @unchecked Sendable {
    // Unchecked: see `Stage`.
    override func next(_ element: Element) {}
}
