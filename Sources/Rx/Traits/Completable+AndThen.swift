extension PrimitiveSequenceType where Trait == CompletableTrait, Element == Never {
    /// Subscribes to `second` after completion and emits its events. An error ends the sequence.
    ///
    /// ```
    /// source           --|
    /// single             --(1|)
    /// andThen(single)  ----(1|)
    /// ```
    public func andThen<Next: RxSendable>(_ second: Single<Next>) -> Single<Next> {
        Single(raw: followed(by: second.source))
    }

    /// Subscribes to `second` after completion and emits its events. An error ends the sequence.
    ///
    /// ```
    /// source          --|
    /// maybe             --|
    /// andThen(maybe)  ----|
    /// ```
    public func andThen<Next: RxSendable>(_ second: Maybe<Next>) -> Maybe<Next> {
        Maybe(raw: followed(by: second.source))
    }

    /// Subscribes to `second` after completion and emits its events. An error ends the sequence.
    ///
    /// ```
    /// source                --|
    /// completable             --|
    /// andThen(completable)  ----|
    /// ```
    public func andThen(_ second: Completable) -> Completable { concat(second) }

    /// Subscribes to `second` after completion and emits its events. An error ends the sequence.
    ///
    /// ```
    /// source               --|
    /// observable             -1-2-|
    /// andThen(observable)  ---1-2-|
    /// ```
    public func andThen<Next: RxSendable>(_ second: Observable<Next>) -> Observable<Next> { followed(by: second) }

    private func followed<Next: RxSendable>(by second: Observable<Next>) -> Observable<Next> {
        .concat(WithoutElements(primitiveSequence.source), second)
    }
}

/// Converts a sequence without elements to another element type.
private final class WithoutElements<Element: RxSendable>: Producer<Element>, @unchecked Sendable {
    // Unchecked: see `Observable`.
    let source: Observable<Never>

    init(_ source: Observable<Never>) {
        self.source = source
        super.init()
    }

    override func run(_ stage: Stage<Element>) { source.run(WithoutElementsStage(stage)) }
}

private final class WithoutElementsStage<Element: RxSendable>: Pass<Never, Element>, @unchecked Sendable {
    // Unchecked: see `Stage`.
    override func next(_ element: Never) {}
}
