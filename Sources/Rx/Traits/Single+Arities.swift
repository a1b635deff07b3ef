// The type checker takes seconds for a closure such as `{ $0 + $1 + $2 + $3 + $4 }`, and from six terms on gives up, when the
// types of its parameters come from a parameter pack; when each has a name of its own, it does not. So the numbers of
// sources that programs have get forms of their own, and the pack stays for more.

extension PrimitiveSequenceType where Trait == SingleTrait {
    /// Two sources; see the form for any number of them.
    public static func zip<A: Sendable, B: Sendable>(
        _ a: PrimitiveSequence<Trait, A>, _ b: PrimitiveSequence<Trait, B>,
        resultSelector: @escaping @Sendable (A, B) throws -> Element
    ) -> Single<Element> {
        zipAny(a, b, by: resultSelector)
    }

    /// Three sources; see the form for any number of them.
    public static func zip<A: Sendable, B: Sendable, C: Sendable>(
        _ a: PrimitiveSequence<Trait, A>, _ b: PrimitiveSequence<Trait, B>, _ c: PrimitiveSequence<Trait, C>,
        resultSelector: @escaping @Sendable (A, B, C) throws -> Element
    ) -> Single<Element> {
        zipAny(a, b, c, by: resultSelector)
    }

    /// Four sources; see the form for any number of them.
    public static func zip<A: Sendable, B: Sendable, C: Sendable, D: Sendable>(
        _ a: PrimitiveSequence<Trait, A>, _ b: PrimitiveSequence<Trait, B>, _ c: PrimitiveSequence<Trait, C>,
        _ d: PrimitiveSequence<Trait, D>,
        resultSelector: @escaping @Sendable (A, B, C, D) throws -> Element
    ) -> Single<Element> {
        zipAny(a, b, c, d, by: resultSelector)
    }

    /// Five sources; see the form for any number of them.
    public static func zip<A: Sendable, B: Sendable, C: Sendable, D: Sendable, E: Sendable>(
        _ a: PrimitiveSequence<Trait, A>, _ b: PrimitiveSequence<Trait, B>, _ c: PrimitiveSequence<Trait, C>,
        _ d: PrimitiveSequence<Trait, D>, _ e: PrimitiveSequence<Trait, E>,
        resultSelector: @escaping @Sendable (A, B, C, D, E) throws -> Element
    ) -> Single<Element> {
        zipAny(a, b, c, d, e, by: resultSelector)
    }

    /// Six sources; see the form for any number of them.
    public static func zip<A: Sendable, B: Sendable, C: Sendable, D: Sendable, E: Sendable, F: Sendable>(
        _ a: PrimitiveSequence<Trait, A>, _ b: PrimitiveSequence<Trait, B>, _ c: PrimitiveSequence<Trait, C>,
        _ d: PrimitiveSequence<Trait, D>, _ e: PrimitiveSequence<Trait, E>, _ f: PrimitiveSequence<Trait, F>,
        resultSelector: @escaping @Sendable (A, B, C, D, E, F) throws -> Element
    ) -> Single<Element> {
        zipAny(a, b, c, d, e, f, by: resultSelector)
    }

    /// Seven sources; see the form for any number of them.
    public static func zip<A: Sendable, B: Sendable, C: Sendable, D: Sendable, E: Sendable, F: Sendable, G: Sendable>(
        _ a: PrimitiveSequence<Trait, A>, _ b: PrimitiveSequence<Trait, B>, _ c: PrimitiveSequence<Trait, C>,
        _ d: PrimitiveSequence<Trait, D>, _ e: PrimitiveSequence<Trait, E>, _ f: PrimitiveSequence<Trait, F>,
        _ g: PrimitiveSequence<Trait, G>,
        resultSelector: @escaping @Sendable (A, B, C, D, E, F, G) throws -> Element
    ) -> Single<Element> {
        zipAny(a, b, c, d, e, f, g, by: resultSelector)
    }

    /// Eight sources; see the form for any number of them.
    public static func zip<
        A: Sendable, B: Sendable, C: Sendable, D: Sendable, E: Sendable, F: Sendable, G: Sendable, H: Sendable
    >(
        _ a: PrimitiveSequence<Trait, A>, _ b: PrimitiveSequence<Trait, B>, _ c: PrimitiveSequence<Trait, C>,
        _ d: PrimitiveSequence<Trait, D>, _ e: PrimitiveSequence<Trait, E>, _ f: PrimitiveSequence<Trait, F>,
        _ g: PrimitiveSequence<Trait, G>, _ h: PrimitiveSequence<Trait, H>,
        resultSelector: @escaping @Sendable (A, B, C, D, E, F, G, H) throws -> Element
    ) -> Single<Element> {
        zipAny(a, b, c, d, e, f, g, h, by: resultSelector)
    }
}

extension PrimitiveSequenceType where Trait == SingleTrait, Element == any Sendable {
    /// Two sources; see the form for any number of them.
    public static func zip<A: Sendable, B: Sendable>(
        _ a: PrimitiveSequence<Trait, A>, _ b: PrimitiveSequence<Trait, B>
    ) -> Single<(A, B)> {
        zipAny(a, b) { ($0, $1) }
    }

    /// Three sources; see the form for any number of them.
    public static func zip<A: Sendable, B: Sendable, C: Sendable>(
        _ a: PrimitiveSequence<Trait, A>, _ b: PrimitiveSequence<Trait, B>, _ c: PrimitiveSequence<Trait, C>
    ) -> Single<(A, B, C)> {
        zipAny(a, b, c) { ($0, $1, $2) }
    }

    /// Four sources; see the form for any number of them.
    public static func zip<A: Sendable, B: Sendable, C: Sendable, D: Sendable>(
        _ a: PrimitiveSequence<Trait, A>, _ b: PrimitiveSequence<Trait, B>, _ c: PrimitiveSequence<Trait, C>,
        _ d: PrimitiveSequence<Trait, D>
    ) -> Single<(A, B, C, D)> {
        zipAny(a, b, c, d) { ($0, $1, $2, $3) }
    }

    /// Five sources; see the form for any number of them.
    public static func zip<A: Sendable, B: Sendable, C: Sendable, D: Sendable, E: Sendable>(
        _ a: PrimitiveSequence<Trait, A>, _ b: PrimitiveSequence<Trait, B>, _ c: PrimitiveSequence<Trait, C>,
        _ d: PrimitiveSequence<Trait, D>, _ e: PrimitiveSequence<Trait, E>
    ) -> Single<(A, B, C, D, E)> {
        zipAny(a, b, c, d, e) { ($0, $1, $2, $3, $4) }
    }

    /// Six sources; see the form for any number of them.
    public static func zip<A: Sendable, B: Sendable, C: Sendable, D: Sendable, E: Sendable, F: Sendable>(
        _ a: PrimitiveSequence<Trait, A>, _ b: PrimitiveSequence<Trait, B>, _ c: PrimitiveSequence<Trait, C>,
        _ d: PrimitiveSequence<Trait, D>, _ e: PrimitiveSequence<Trait, E>, _ f: PrimitiveSequence<Trait, F>
    ) -> Single<(A, B, C, D, E, F)> {
        zipAny(a, b, c, d, e, f) { ($0, $1, $2, $3, $4, $5) }
    }

    /// Seven sources; see the form for any number of them.
    public static func zip<A: Sendable, B: Sendable, C: Sendable, D: Sendable, E: Sendable, F: Sendable, G: Sendable>(
        _ a: PrimitiveSequence<Trait, A>, _ b: PrimitiveSequence<Trait, B>, _ c: PrimitiveSequence<Trait, C>,
        _ d: PrimitiveSequence<Trait, D>, _ e: PrimitiveSequence<Trait, E>, _ f: PrimitiveSequence<Trait, F>,
        _ g: PrimitiveSequence<Trait, G>
    ) -> Single<(A, B, C, D, E, F, G)> {
        zipAny(a, b, c, d, e, f, g) { ($0, $1, $2, $3, $4, $5, $6) }
    }

    /// Eight sources; see the form for any number of them.
    public static func zip<
        A: Sendable, B: Sendable, C: Sendable, D: Sendable, E: Sendable, F: Sendable, G: Sendable, H: Sendable
    >(
        _ a: PrimitiveSequence<Trait, A>, _ b: PrimitiveSequence<Trait, B>, _ c: PrimitiveSequence<Trait, C>,
        _ d: PrimitiveSequence<Trait, D>, _ e: PrimitiveSequence<Trait, E>, _ f: PrimitiveSequence<Trait, F>,
        _ g: PrimitiveSequence<Trait, G>, _ h: PrimitiveSequence<Trait, H>
    ) -> Single<(A, B, C, D, E, F, G, H)> {
        zipAny(a, b, c, d, e, f, g, h) { ($0, $1, $2, $3, $4, $5, $6, $7) }
    }
}

/// Leads from the forms above to the one for any number of sources, which a call of them by its name is not.
private func zipAny<Result: Sendable, each Part: Sendable>(
    _ source: repeat Single<each Part>, by resultSelector: @escaping @Sendable (repeat each Part) throws -> Result
) -> Single<Result> {
    .zip(repeat each source, resultSelector: resultSelector)
}
