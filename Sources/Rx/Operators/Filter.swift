extension ObservableType {
    /// Emits the elements for which `predicate` holds. An error that it throws ends the sequence.
    ///
    /// ```
    /// source             --1--2--3--|
    /// filter { $0 > 1 }  -----2--3--|
    /// ```
    #if Migration
        @preconcurrency
    #endif
    @_disfavoredOverload
    @inlinable
    public func filter(_ predicate: @escaping @Sendable (Element) throws -> Bool) -> Observable<Element> {
        Filter(asObservable(), predicate)
    }
}

@usableFromInline
final class Filter<Element: RxSendable>: Producer<Element>, @unchecked Sendable {
    // Unchecked: see `Observable`.
    let source: Observable<Element>
    let predicate: @Sendable (Element) throws -> Bool

    @usableFromInline
    init(_ source: Observable<Element>, _ predicate: @escaping @Sendable (Element) throws -> Bool) {
        self.source = source
        self.predicate = predicate
        super.init()
    }

    override func run(_ stage: Stage<Element>) { source.run(FilterStage(stage, self)) }
}

private final class FilterStage<Element: RxSendable>: Pass<Element, Element>, @unchecked Sendable {
    // Unchecked: see `Stage`.
    private let predicate: @Sendable (Element) throws -> Bool

    init(_ downstream: Stage<Element>, _ parent: Filter<Element>) {
        self.predicate = parent.predicate
        super.init(downstream)
    }

    override func next(_ element: Element) {
        do {
            if try predicate(element) { downstream.next(element) }
        } catch {
            downstream.error(error)
        }
    }
}
