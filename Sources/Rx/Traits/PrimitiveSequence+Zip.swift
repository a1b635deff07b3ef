// `zip` subscribes to all sources at once. The first error ends the sequence and disposes the others.
// Single+Arities and Maybe+Arities contain the overloads for two to eight sources.

extension PrimitiveSequenceType where Trait == SingleTrait {
    /// Combines the elements of all sources, in order, with `resultSelector`, when all have one. The first error ends
    /// the sequence.
    ///
    /// ```
    /// first                                   --(1|)
    /// second                                  ----(2|)
    /// zip([first, second]) { $0[0] + $0[1] }  ----(3|)
    /// ```
    #if Migration
        @preconcurrency
    #endif
    public static func zip<Sources: Collection, Result: RxSendable>(
        _ collection: Sources, resultSelector: @escaping @Sendable ([Element]) throws -> Result
    ) -> Single<Result> where Sources.Element == PrimitiveSequence<Trait, Element> {
        let sources = collection.map(\.source)
        // Without sources `zip` has no element, but a single must have one.
        if sources.isEmpty { return .deferred { .just(try resultSelector([])) } }
        return Single<Result>(raw: .zip(sources, resultSelector: resultSelector))
    }

    /// Combines the elements of all sources, in order, in an array, when all have one. The first error ends the
    /// sequence.
    ///
    /// ```
    /// first                 --(1|)
    /// second                ----(2|)
    /// zip([first, second])  ----([1,2]|)
    /// ```
    public static func zip<Sources: Collection>(_ collection: Sources) -> Single<[Element]>
    where Sources.Element == PrimitiveSequence<Trait, Element> {
        zip(collection, resultSelector: { $0 })
    }
}
