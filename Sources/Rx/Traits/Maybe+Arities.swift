// CombineLatest+Arities explains why there is one overload per number of sources.

extension PrimitiveSequenceType where Trait == MaybeTrait {
    /// Combines the elements of two sources with `resultSelector`, when all have one. Completes when all
    /// sources have. The first error ends the sequence.
    ///
    /// ```
    /// first                           --(1|)
    /// second                          ----|
    /// zip(first, second) { $0 + $1 }  ----|
    /// ```
    #if Migration
        @preconcurrency
    #endif
    public static func zip<A: RxSendable, B: RxSendable>(
        _ a: PrimitiveSequence<Trait, A>, _ b: PrimitiveSequence<Trait, B>,
        resultSelector: @escaping @Sendable (A, B) throws -> Element
    ) -> Maybe<Element> {
        Maybe(raw: .zip(a.source, b.source, resultSelector: resultSelector))
    }

    /// Combines the elements of three sources with `resultSelector`, when all have one. Completes when all
    /// sources have. The first error ends the sequence.
    #if Migration
        @preconcurrency
    #endif
    public static func zip<A: RxSendable, B: RxSendable, C: RxSendable>(
        _ a: PrimitiveSequence<Trait, A>, _ b: PrimitiveSequence<Trait, B>, _ c: PrimitiveSequence<Trait, C>,
        resultSelector: @escaping @Sendable (A, B, C) throws -> Element
    ) -> Maybe<Element> {
        Maybe(raw: .zip(a.source, b.source, c.source, resultSelector: resultSelector))
    }

    /// Combines the elements of four sources with `resultSelector`, when all have one. Completes when all
    /// sources have. The first error ends the sequence.
    #if Migration
        @preconcurrency
    #endif
    public static func zip<A: RxSendable, B: RxSendable, C: RxSendable, D: RxSendable>(
        _ a: PrimitiveSequence<Trait, A>, _ b: PrimitiveSequence<Trait, B>, _ c: PrimitiveSequence<Trait, C>,
        _ d: PrimitiveSequence<Trait, D>,
        resultSelector: @escaping @Sendable (A, B, C, D) throws -> Element
    ) -> Maybe<Element> {
        Maybe(raw: .zip(a.source, b.source, c.source, d.source, resultSelector: resultSelector))
    }

    /// Combines the elements of five sources with `resultSelector`, when all have one. Completes when all
    /// sources have. The first error ends the sequence.
    #if Migration
        @preconcurrency
    #endif
    public static func zip<A: RxSendable, B: RxSendable, C: RxSendable, D: RxSendable, E: RxSendable>(
        _ a: PrimitiveSequence<Trait, A>, _ b: PrimitiveSequence<Trait, B>, _ c: PrimitiveSequence<Trait, C>,
        _ d: PrimitiveSequence<Trait, D>, _ e: PrimitiveSequence<Trait, E>,
        resultSelector: @escaping @Sendable (A, B, C, D, E) throws -> Element
    ) -> Maybe<Element> {
        Maybe(raw: .zip(a.source, b.source, c.source, d.source, e.source, resultSelector: resultSelector))
    }

    /// Combines the elements of six sources with `resultSelector`, when all have one. Completes when all
    /// sources have. The first error ends the sequence.
    #if Migration
        @preconcurrency
    #endif
    public static func zip<A: RxSendable, B: RxSendable, C: RxSendable, D: RxSendable, E: RxSendable, F: RxSendable>(
        _ a: PrimitiveSequence<Trait, A>, _ b: PrimitiveSequence<Trait, B>, _ c: PrimitiveSequence<Trait, C>,
        _ d: PrimitiveSequence<Trait, D>, _ e: PrimitiveSequence<Trait, E>, _ f: PrimitiveSequence<Trait, F>,
        resultSelector: @escaping @Sendable (A, B, C, D, E, F) throws -> Element
    ) -> Maybe<Element> {
        Maybe(raw: .zip(a.source, b.source, c.source, d.source, e.source, f.source, resultSelector: resultSelector))
    }

    /// Combines the elements of seven sources with `resultSelector`, when all have one. Completes when all
    /// sources have. The first error ends the sequence.
    #if Migration
        @preconcurrency
    #endif
    public static func zip<
        A: RxSendable, B: RxSendable, C: RxSendable, D: RxSendable, E: RxSendable, F: RxSendable, G: RxSendable
    >(
        _ a: PrimitiveSequence<Trait, A>, _ b: PrimitiveSequence<Trait, B>, _ c: PrimitiveSequence<Trait, C>,
        _ d: PrimitiveSequence<Trait, D>, _ e: PrimitiveSequence<Trait, E>, _ f: PrimitiveSequence<Trait, F>,
        _ g: PrimitiveSequence<Trait, G>,
        resultSelector: @escaping @Sendable (A, B, C, D, E, F, G) throws -> Element
    ) -> Maybe<Element> {
        Maybe(
            raw: .zip(
                a.source, b.source, c.source, d.source, e.source, f.source, g.source, resultSelector: resultSelector))
    }

    /// Combines the elements of eight sources with `resultSelector`, when all have one. Completes when all
    /// sources have. The first error ends the sequence.
    #if Migration
        @preconcurrency
    #endif
    public static func zip<
        A: RxSendable, B: RxSendable, C: RxSendable, D: RxSendable, E: RxSendable, F: RxSendable, G: RxSendable,
        H: RxSendable
    >(
        _ a: PrimitiveSequence<Trait, A>, _ b: PrimitiveSequence<Trait, B>, _ c: PrimitiveSequence<Trait, C>,
        _ d: PrimitiveSequence<Trait, D>, _ e: PrimitiveSequence<Trait, E>, _ f: PrimitiveSequence<Trait, F>,
        _ g: PrimitiveSequence<Trait, G>, _ h: PrimitiveSequence<Trait, H>,
        resultSelector: @escaping @Sendable (A, B, C, D, E, F, G, H) throws -> Element
    ) -> Maybe<Element> {
        Maybe(
            raw: .zip(
                a.source, b.source, c.source, d.source, e.source, f.source, g.source, h.source,
                resultSelector: resultSelector))
    }
}

extension PrimitiveSequenceType where Trait == MaybeTrait, Element == any RxSendable {
    /// Combines the elements of two sources in a tuple, when all have one. Completes when all sources have.
    /// The first error ends the sequence.
    ///
    /// ```
    /// first               --(1|)
    /// second              ----(2|)
    /// zip(first, second)  ----(1,2|)
    /// ```
    public static func zip<A: RxSendable, B: RxSendable>(
        _ a: PrimitiveSequence<Trait, A>, _ b: PrimitiveSequence<Trait, B>
    ) -> Maybe<(A, B)> {
        Maybe(raw: .zip(a.source, b.source) { ($0, $1) })
    }

    /// Combines the elements of three sources in a tuple, when all have one. Completes when all sources have.
    /// The first error ends the sequence.
    public static func zip<A: RxSendable, B: RxSendable, C: RxSendable>(
        _ a: PrimitiveSequence<Trait, A>, _ b: PrimitiveSequence<Trait, B>, _ c: PrimitiveSequence<Trait, C>
    ) -> Maybe<(A, B, C)> {
        Maybe(raw: .zip(a.source, b.source, c.source) { ($0, $1, $2) })
    }

    /// Combines the elements of four sources in a tuple, when all have one. Completes when all sources have.
    /// The first error ends the sequence.
    public static func zip<A: RxSendable, B: RxSendable, C: RxSendable, D: RxSendable>(
        _ a: PrimitiveSequence<Trait, A>, _ b: PrimitiveSequence<Trait, B>, _ c: PrimitiveSequence<Trait, C>,
        _ d: PrimitiveSequence<Trait, D>
    ) -> Maybe<(A, B, C, D)> {
        Maybe(raw: .zip(a.source, b.source, c.source, d.source) { ($0, $1, $2, $3) })
    }

    /// Combines the elements of five sources in a tuple, when all have one. Completes when all sources have.
    /// The first error ends the sequence.
    public static func zip<A: RxSendable, B: RxSendable, C: RxSendable, D: RxSendable, E: RxSendable>(
        _ a: PrimitiveSequence<Trait, A>, _ b: PrimitiveSequence<Trait, B>, _ c: PrimitiveSequence<Trait, C>,
        _ d: PrimitiveSequence<Trait, D>, _ e: PrimitiveSequence<Trait, E>
    ) -> Maybe<(A, B, C, D, E)> {
        Maybe(raw: .zip(a.source, b.source, c.source, d.source, e.source) { ($0, $1, $2, $3, $4) })
    }

    /// Combines the elements of six sources in a tuple, when all have one. Completes when all sources have.
    /// The first error ends the sequence.
    public static func zip<A: RxSendable, B: RxSendable, C: RxSendable, D: RxSendable, E: RxSendable, F: RxSendable>(
        _ a: PrimitiveSequence<Trait, A>, _ b: PrimitiveSequence<Trait, B>, _ c: PrimitiveSequence<Trait, C>,
        _ d: PrimitiveSequence<Trait, D>, _ e: PrimitiveSequence<Trait, E>, _ f: PrimitiveSequence<Trait, F>
    ) -> Maybe<(A, B, C, D, E, F)> {
        Maybe(raw: .zip(a.source, b.source, c.source, d.source, e.source, f.source) { ($0, $1, $2, $3, $4, $5) })
    }

    /// Combines the elements of seven sources in a tuple, when all have one. Completes when all sources have.
    /// The first error ends the sequence.
    public static func zip<
        A: RxSendable, B: RxSendable, C: RxSendable, D: RxSendable, E: RxSendable, F: RxSendable, G: RxSendable
    >(
        _ a: PrimitiveSequence<Trait, A>, _ b: PrimitiveSequence<Trait, B>, _ c: PrimitiveSequence<Trait, C>,
        _ d: PrimitiveSequence<Trait, D>, _ e: PrimitiveSequence<Trait, E>, _ f: PrimitiveSequence<Trait, F>,
        _ g: PrimitiveSequence<Trait, G>
    ) -> Maybe<(A, B, C, D, E, F, G)> {
        Maybe(
            raw: .zip(a.source, b.source, c.source, d.source, e.source, f.source, g.source) {
                ($0, $1, $2, $3, $4, $5, $6)
            })
    }

    /// Combines the elements of eight sources in a tuple, when all have one. Completes when all sources have.
    /// The first error ends the sequence.
    public static func zip<
        A: RxSendable, B: RxSendable, C: RxSendable, D: RxSendable, E: RxSendable, F: RxSendable, G: RxSendable,
        H: RxSendable
    >(
        _ a: PrimitiveSequence<Trait, A>, _ b: PrimitiveSequence<Trait, B>, _ c: PrimitiveSequence<Trait, C>,
        _ d: PrimitiveSequence<Trait, D>, _ e: PrimitiveSequence<Trait, E>, _ f: PrimitiveSequence<Trait, F>,
        _ g: PrimitiveSequence<Trait, G>, _ h: PrimitiveSequence<Trait, H>
    ) -> Maybe<(A, B, C, D, E, F, G, H)> {
        Maybe(
            raw: .zip(a.source, b.source, c.source, d.source, e.source, f.source, g.source, h.source) {
                ($0, $1, $2, $3, $4, $5, $6, $7)
            })
    }
}
