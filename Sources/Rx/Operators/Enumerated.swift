extension ObservableType {
    /// Pairs each element with its index, counted from 0.
    ///
    /// ```
    /// source        --a----b----|
    /// enumerated()  --0,a--1,b--|
    /// ```
    public func enumerated() -> Observable<(index: Int, element: Element)> { Enumerated(asObservable()) }
}

private final class Enumerated<Element: RxSendable>: Producer<(index: Int, element: Element)>, @unchecked Sendable {
    // Unchecked: see `Observable`.
    let source: Observable<Element>

    init(_ source: Observable<Element>) {
        self.source = source
        super.init()
    }

    override func run(_ stage: Stage<(index: Int, element: Element)>) { source.run(EnumeratedStage(stage)) }
}

private final class EnumeratedStage<Element: RxSendable>: Pass<Element, (index: Int, element: Element)>,
    @unchecked Sendable
{
    // Unchecked: see `Stage`.
    private var index = 0

    override func next(_ element: Element) {
        // Before it is sent: an element may lead to the next one.
        let number = index
        index += 1
        downstream.next((number, element))
    }
}
