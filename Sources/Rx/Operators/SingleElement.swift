extension ObservableType {
    /// Emits the only element of the sequence when it arrives.
    ///
    /// Fails with `RxError.noElements` if there is none, and with `RxError.moreThanOneElement` if there is a second.
    ///
    /// ```
    /// source    --1----2--
    /// single()  --1----#
    /// ```
    public func single() -> Observable<Element> { OneElement(asObservable(), nil) }

    /// Emits the only element of the sequence that satisfies `predicate`, when it arrives.
    ///
    /// Fails with `RxError.noElements` if there is none, with `RxError.moreThanOneElement` if there is a second, and
    /// with an error that `predicate` throws.
    ///
    /// ```
    /// source              --1--2--3--|
    /// single { $0 == 2 }  -----2-----|
    /// ```
    #if Migration
        @preconcurrency
    #endif
    public func single(_ predicate: @escaping @Sendable (Element) throws -> Bool) -> Observable<Element> {
        OneElement(asObservable(), predicate)
    }
}

private final class OneElement<Element: RxSendable>: Producer<Element>, @unchecked Sendable {
    // Unchecked: see `Observable`.
    let source: Observable<Element>
    let predicate: (@Sendable (Element) throws -> Bool)?

    init(_ source: Observable<Element>, _ predicate: (@Sendable (Element) throws -> Bool)?) {
        self.source = source
        self.predicate = predicate
        super.init()
    }

    override func run(_ stage: Stage<Element>) {
        let sink = OneElementSink(stage, self)
        stage.attach(sink)
        source.run(sink)
    }
}

private final class OneElementSink<Element: RxSendable>: Valve<Element, Element>, @unchecked Sendable {
    // Unchecked: see `Stage`.
    private let predicate: (@Sendable (Element) throws -> Bool)?
    private var hasElement = false

    init(_ downstream: Stage<Element>, _ parent: OneElement<Element>) {
        predicate = parent.predicate
        super.init(downstream)
    }

    override func next(_ element: Element) {
        guard isOpen else { return }
        do {
            if let predicate, try !predicate(element) { return }
        } catch {
            return abort(error)
        }
        if hasElement { return abort(RxError.moreThanOneElement) }
        hasElement = true
        downstream.next(element)
    }

    override func finished() {
        if hasElement { downstream.completed() } else { downstream.error(RxError.noElements) }
    }
}
