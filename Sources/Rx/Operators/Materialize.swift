extension ObservableType {
    /// Emits the events of the sequence, including its end, as elements, then completes. Never fails.
    ///
    /// ```
    /// source         --1--------2--------#
    /// materialize()  --next(1)--next(2)--(error|)
    /// ```
    public func materialize() -> Observable<Event<Element>> { Materialize(asObservable()) }
}

extension ObservableType where Element: EventConvertible {
    /// Emits the events that the elements represent.
    ///
    /// ```
    /// source           --next(1)--next(2)--completed--
    /// dematerialize()  --1--------2--------|
    /// ```
    public func dematerialize() -> Observable<Element.Element> { Dematerialize(asObservable()) }
}

private final class Materialize<Element: RxSendable>: Producer<Event<Element>>, @unchecked Sendable {
    // Unchecked: see `Observable`.
    let source: Observable<Element>

    init(_ source: Observable<Element>) {
        self.source = source
        super.init()
    }

    override func run(_ stage: Stage<Event<Element>>) { source.run(MaterializeStage(stage)) }
}

private final class MaterializeStage<Element: RxSendable>: Pass<Element, Event<Element>>, @unchecked Sendable {
    // Unchecked: see `Stage`.
    override func next(_ element: Element) { downstream.next(.next(element)) }

    override func error(_ error: any Error) {
        downstream.next(.error(error))
        downstream.completed()
    }

    override func completed() {
        downstream.next(.completed)
        downstream.completed()
    }
}

private final class Dematerialize<Events: EventConvertible>: Producer<Events.Element>, @unchecked Sendable {
    // Unchecked: see `Observable`.
    let source: Observable<Events>

    init(_ source: Observable<Events>) {
        self.source = source
        super.init()
    }

    override func run(_ stage: Stage<Events.Element>) { source.run(DematerializeStage(stage)) }
}

private final class DematerializeStage<Events: EventConvertible>: Pass<Events, Events.Element>, @unchecked Sendable {
    // Unchecked: see `Stage`.
    override func next(_ element: Events) { downstream.on(element.event) }
}
