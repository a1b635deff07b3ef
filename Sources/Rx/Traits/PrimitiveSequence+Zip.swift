// Sources of `zip` are all subscribed at once; the first error is the error, and disposes the others.
// The forms for two to eight sources are in Single+Arities and Maybe+Arities.

extension PrimitiveSequenceType where Trait == SingleTrait {
    /// What `resultSelector` makes of the elements of all these, in their order, when all are there.
    ///
    /// ```
    /// first                                     --1|
    /// second                                    ----2|
    /// zip([first, second]) { $0.reduce(0, +) }  ----3|
    /// ```
    public static func zip<Sources: Collection, Result: Sendable>(
        _ collection: Sources, resultSelector: @escaping @Sendable ([Element]) throws -> Result
    ) -> Single<Result> where Sources.Element == PrimitiveSequence<Trait, Element> {
        let sources = collection.map(\.source)
        // Without a source, `zip` has no element; a single has one.
        if sources.isEmpty { return .deferred { .just(try resultSelector([])) } }
        return Single<Result>(raw: .zip(sources, resultSelector: resultSelector))
    }

    /// The elements of all these, in their order, when all are there.
    ///
    /// ```
    /// first                 --1|
    /// second                ----2|
    /// zip([first, second])  ----[1, 2]|
    /// ```
    public static func zip<Sources: Collection>(_ collection: Sources) -> Single<[Element]>
    where Sources.Element == PrimitiveSequence<Trait, Element> {
        zip(collection, resultSelector: { $0 })
    }
}
