// Sources of `zip` are all subscribed at once; the first error is the error, and disposes the others.

extension PrimitiveSequenceType where Trait == SingleTrait {
    /// What `resultSelector` makes of the elements, when all are there.
    ///
    /// ```
    /// first             --1|
    /// second            ----2|
    /// zip { $0 + $1 }   ----3|
    /// ```
    public static func zip<each Part: Sendable>(
        _ source: repeat PrimitiveSequence<Trait, each Part>,
        resultSelector: @escaping @Sendable (repeat each Part) throws -> Element
    ) -> Single<Element> {
        Single(raw: .zip(repeat (each source).source, resultSelector: resultSelector))
    }

    /// What `resultSelector` makes of the elements of all these, in their order, when all are there.
    public static func zip<Sources: Collection, Result: Sendable>(
        _ collection: Sources, resultSelector: @escaping @Sendable ([Element]) throws -> Result
    ) -> Single<Result> where Sources.Element == PrimitiveSequence<Trait, Element> {
        let sources = collection.map(\.source)
        // Without a source, `zip` has no element; a single has one.
        if sources.isEmpty { return .deferred { .just(try resultSelector([])) } }
        return Single<Result>(raw: .zip(sources, resultSelector: resultSelector))
    }

    /// The elements of all these, in their order, when all are there.
    public static func zip<Sources: Collection>(_ collection: Sources) -> Single<[Element]>
    where Sources.Element == PrimitiveSequence<Trait, Element> {
        zip(collection, resultSelector: { $0 })
    }
}

extension PrimitiveSequenceType where Trait == SingleTrait, Element == any Sendable {
    /// The elements as a tuple, when all are there.
    public static func zip<each Part: Sendable>(
        _ source: repeat PrimitiveSequence<Trait, each Part>
    ) -> Single<(repeat each Part)> {
        Single(
            raw: .zip(
                repeat (each source).source, resultSelector: { (part: repeat each Part) in (repeat each part) }))
    }
}

extension PrimitiveSequenceType where Trait == MaybeTrait {
    /// What `resultSelector` makes of the elements, when all are there; the end when one has none.
    ///
    /// ```
    /// first             --1|
    /// second            ----|
    /// zip { $0 + $1 }   ----|
    /// ```
    public static func zip<each Part: Sendable>(
        _ source: repeat PrimitiveSequence<Trait, each Part>,
        resultSelector: @escaping @Sendable (repeat each Part) throws -> Element
    ) -> Maybe<Element> {
        Maybe(raw: .zip(repeat (each source).source, resultSelector: resultSelector))
    }
}

extension PrimitiveSequenceType where Trait == MaybeTrait, Element == any Sendable {
    /// The elements as a tuple, when all are there; the end when one has none.
    public static func zip<each Part: Sendable>(
        _ source: repeat PrimitiveSequence<Trait, each Part>
    ) -> Maybe<(repeat each Part)> {
        Maybe(
            raw: .zip(
                repeat (each source).source, resultSelector: { (part: repeat each Part) in (repeat each part) }))
    }
}
