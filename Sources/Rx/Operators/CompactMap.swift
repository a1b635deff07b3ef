extension ObservableType {
    /// Emits the non-nil results of `transform`. An error that `transform` throws ends the sequence.
    ///
    /// ```
    /// source                  --7--x--9--|
    /// compactMap { Int($0) }  --7-----9--|
    /// ```
    #if Migration
        @preconcurrency
    #endif
    @_disfavoredOverload
    @inlinable
    public func compactMap<Result: RxSendable>(
        _ transform: @escaping @Sendable (Element) throws -> Result?
    ) -> Observable<Result> {
        CompactMap(asObservable(), transform)
    }
}

@usableFromInline
final class CompactMap<Element: RxSendable, Result: RxSendable>: Producer<Result>, @unchecked Sendable {
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

private final class CompactMapStage<Element: RxSendable, Result: RxSendable>: Pass<Element, Result>, @unchecked Sendable
{
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
