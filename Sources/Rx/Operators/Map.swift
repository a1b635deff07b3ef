extension ObservableType {
    /// Transforms each element. An error that `transform` throws ends the sequence.
    ///
    /// ```
    /// source         --1--2--3--|
    /// map { $0*10 }  --10-20-30-|
    /// ```
    @inlinable
    public func map<Result: Sendable>(
        _ transform: @escaping @Sendable (Element) throws -> Result
    ) -> Observable<Result> {
        Map(asObservable(), transform)
    }
}

@usableFromInline
final class Map<Element: Sendable, Result: Sendable>: Producer<Result>, @unchecked Sendable {
    // Unchecked: see `Observable`.
    let source: Observable<Element>
    let transform: @Sendable (Element) throws -> Result

    @usableFromInline
    init(_ source: Observable<Element>, _ transform: @escaping @Sendable (Element) throws -> Result) {
        self.source = source
        self.transform = transform
        super.init()
    }

    override func run(_ stage: Stage<Result>) { source.run(MapStage(stage, self)) }
}

private final class MapStage<Element: Sendable, Result: Sendable>: Pass<Element, Result>, @unchecked Sendable {
    // Unchecked: see `Stage`.
    private let transform: @Sendable (Element) throws -> Result

    init(_ downstream: Stage<Result>, _ parent: Map<Element, Result>) {
        self.transform = parent.transform
        super.init(downstream)
    }

    override func next(_ element: Element) {
        do {
            downstream.next(try transform(element))
        } catch {
            downstream.error(error)
        }
    }
}
