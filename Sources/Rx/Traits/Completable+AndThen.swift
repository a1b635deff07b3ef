extension PrimitiveSequenceType where Trait == CompletableTrait, Element == Never {
    /// When this is done, `second`, which is subscribed then.
    ///
    /// ```
    /// this     --|
    /// second     --1|
    /// andThen  ----1|
    /// ```
    public func andThen<Next: Sendable>(_ second: Single<Next>) -> Single<Next> {
        Single(raw: followed(by: second.source))
    }

    /// When this is done, `second`, which is subscribed then.
    ///
    /// ```
    /// this     --|
    /// second     --|
    /// andThen  ----|
    /// ```
    public func andThen<Next: Sendable>(_ second: Maybe<Next>) -> Maybe<Next> {
        Maybe(raw: followed(by: second.source))
    }

    /// When this is done, `second`, which is subscribed then.
    ///
    /// ```
    /// this     --|
    /// second     --|
    /// andThen  ----|
    /// ```
    public func andThen(_ second: Completable) -> Completable { concat(second) }

    /// When this is done, `second`, which is subscribed then.
    ///
    /// ```
    /// this     --|
    /// second     -1-2-|
    /// andThen  ---1-2-|
    /// ```
    public func andThen<Next: Sendable>(_ second: Observable<Next>) -> Observable<Next> { followed(by: second) }

    private func followed<Next: Sendable>(by second: Observable<Next>) -> Observable<Next> {
        .concat(WithoutElements(primitiveSequence.source), second)
    }
}

/// A sequence that has no elements, as one of any other type.
private final class WithoutElements<Element: Sendable>: Producer<Element>, @unchecked Sendable {
    // Unchecked: see `Observable`.
    let source: Observable<Never>

    init(_ source: Observable<Never>) {
        self.source = source
        super.init()
    }

    override func run(_ stage: Stage<Element>) { source.run(WithoutElementsStage(stage)) }
}

private final class WithoutElementsStage<Element: Sendable>: Pass<Never, Element>, @unchecked Sendable {
    // Unchecked: see `Stage`.
    override func next(_ element: Never) {}
}
