extension ObservableType {
    /// Emits the only element of the sequence when it completes.
    ///
    /// Fails with `RxError.noElements` if there is none, and with `RxError.moreThanOneElement` as soon as there is a
    /// second.
    ///
    /// ```
    /// source      --1----|
    /// asSingle()  -------(1|)
    /// ```
    public func asSingle() -> Single<Element> { Single(raw: OnlyElement(asObservable(), isRequired: true)) }

    /// Emits the only element of the sequence, if there is one, when it completes.
    ///
    /// Fails with `RxError.moreThanOneElement` as soon as there is a second.
    ///
    /// ```
    /// source     -------|
    /// asMaybe()  -------|
    /// ```
    public func asMaybe() -> Maybe<Element> { Maybe(raw: OnlyElement(asObservable(), isRequired: false)) }
}

extension ObservableType where Element == Never {
    /// Emits only the completion or the error of the sequence.
    ///
    /// ```
    /// source           -----|
    /// asCompletable()  -----|
    /// ```
    public func asCompletable() -> Completable { Completable(raw: asObservable()) }
}

private final class OnlyElement<Element: RxSendable>: Producer<Element>, @unchecked Sendable {
    // Unchecked: see `Observable`.
    let source: Observable<Element>
    let isRequired: Bool

    init(_ source: Observable<Element>, isRequired: Bool) {
        self.source = source
        self.isRequired = isRequired
        super.init()
    }

    override func run(_ stage: Stage<Element>) {
        let sink = OnlyElementSink(stage, isRequired: isRequired)
        stage.attach(sink)
        source.run(sink)
    }
}

private final class OnlyElementSink<Element: RxSendable>: Valve<Element, Element>, @unchecked Sendable {
    // Unchecked: see `Stage`.
    private let isRequired: Bool
    private var only: Element?

    init(_ downstream: Stage<Element>, isRequired: Bool) {
        self.isRequired = isRequired
        super.init(downstream)
    }

    override func next(_ element: Element) {
        guard isOpen else { return }
        if only == nil { only = element } else { abort(RxError.moreThanOneElement) }
    }

    override func finished() {
        if let only {
            downstream.next(only)
            downstream.completed()
        } else if isRequired {
            downstream.error(RxError.noElements)
        } else {
            downstream.completed()
        }
    }
}
