extension ObservableType {
    /// Emits the non-nil results of `transform`. An error that `transform` throws ends the sequence.
    ///
    /// ```
    /// source                   --1--2--3--|
    /// compactMap { name[$0] }  --a-----c--|
    /// ```
    @inlinable
    public func compactMap<Result: Sendable>(
        _ transform: @escaping @Sendable (Element) throws -> Result?
    ) -> Observable<Result> {
        CompactMap(asObservable(), transform)
    }
}

@usableFromInline
final class CompactMap<Element: Sendable, Result: Sendable>: Producer<Result>, @unchecked Sendable {
    // Unchecked: see `Observable`.
    let source: Observable<Element>
    let transform: @Sendable (Element) throws -> Result?

    @usableFromInline
    init(_ source: Observable<Element>, _ transform: @escaping @Sendable (Element) throws -> Result?) {
        self.source = source
        self.transform = transform
        super.init()
    }

    override func run(_ stage: Stage<Result>) { source.run(CompactMapStage(stage, self)) }
}

private final class CompactMapStage<Element: Sendable, Result: Sendable>: Pass<Element, Result>, @unchecked Sendable {
    // Unchecked: see `Stage`.
    private let transform: @Sendable (Element) throws -> Result?

    init(_ downstream: Stage<Result>, _ parent: CompactMap<Element, Result>) {
        self.transform = parent.transform
        super.init(downstream)
    }

    override func next(_ element: Element) {
        do {
            if let result = try transform(element) { downstream.next(result) }
        } catch {
            downstream.error(error)
        }
    }
}
