extension ObservableType {
    /// Transforms each element. An error that `transform` throws ends the sequence.
    ///
    /// ```
    /// source           --1--2--3--|
    /// map { $0 * 10 }  --10-20-30-|
    /// ```
    #if Migration
        @preconcurrency
    #endif
    @_disfavoredOverload
    @inlinable
    public func map<Result: RxSendable>(
        _ transform: @escaping @Sendable (Element) throws -> Result
    ) -> Observable<Result> {
        Map(asObservable(), transform)
    }
}

@usableFromInline
final class Map<Element: RxSendable, Result: RxSendable>: Producer<Result>, @unchecked Sendable {
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

private final class MapStage<Element: RxSendable, Result: RxSendable>: Pass<Element, Result>, @unchecked Sendable {
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
