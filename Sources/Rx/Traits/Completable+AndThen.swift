extension PrimitiveSequenceType where Trait == CompletableTrait, Element == Never {
    /// Subscribes to `second` after completion and emits its events. An error ends the sequence.
    ///
    /// ```
    /// this     --|
    /// second     --1|
    /// andThen  ----1|
    /// ```
    public func andThen<Next: Sendable>(_ second: Single<Next>) -> Single<Next> {
        Single(raw: followed(by: second.source))
    }

    /// Subscribes to `second` after completion and emits its events. An error ends the sequence.
    ///
    /// ```
    /// this     --|
    /// second     --|
    /// andThen  ----|
    /// ```
    public func andThen<Next: Sendable>(_ second: Maybe<Next>) -> Maybe<Next> {
        Maybe(raw: followed(by: second.source))
    }

    /// Subscribes to `second` after completion and emits its events. An error ends the sequence.
    ///
    /// ```
    /// this     --|
    /// second     --|
    /// andThen  ----|
    /// ```
    public func andThen(_ second: Completable) -> Completable { concat(second) }

    /// Subscribes to `second` after completion and emits its events. An error ends the sequence.
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

/// Converts a sequence without elements to another element type.
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
