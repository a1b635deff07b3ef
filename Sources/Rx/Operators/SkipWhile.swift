extension ObservableType {
    /// Drops elements while `predicate` holds and emits all later ones. An error that it throws ends the sequence.
    ///
    /// ```
    /// source                   --1--2--3--1--|
    /// skip(while: { $0 < 2 })  -----2--3--1--|
    /// ```
    #if Migration
        @preconcurrency
    #endif
    public func skip(while predicate: @escaping @Sendable (Element) throws -> Bool) -> Observable<Element> {
        SkipWhile(asObservable(), predicate)
    }
}

private final class SkipWhile<Element: RxSendable>: Producer<Element>, @unchecked Sendable {
    // Unchecked: see `Observable`.
    let source: Observable<Element>
    let predicate: @Sendable (Element) throws -> Bool

    init(_ source: Observable<Element>, _ predicate: @escaping @Sendable (Element) throws -> Bool) {
        self.source = source
        self.predicate = predicate
        super.init()
    }

    override func run(_ stage: Stage<Element>) { source.run(SkipWhileStage(stage, predicate)) }
}

private final class SkipWhileStage<Element: RxSendable>: Pass<Element, Element>, @unchecked Sendable {
    // Unchecked: see `Stage`.
    private let predicate: @Sendable (Element) throws -> Bool
    private var isSkipping = true

    init(_ downstream: Stage<Element>, _ predicate: @escaping @Sendable (Element) throws -> Bool) {
        self.predicate = predicate
        super.init(downstream)
    }

    override func next(_ element: Element) {
        if isSkipping {
            do {
                isSkipping = try predicate(element)
            } catch {
                return downstream.error(error)
            }
            if isSkipping { return }
        }
        downstream.next(element)
    }
}
