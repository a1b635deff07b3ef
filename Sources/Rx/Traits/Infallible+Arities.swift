// See CombineLatest+Arities: why each number of sources has a form of its own.

extension InfallibleType {
    /// What `resultSelector` makes of the latest element of each source, at each new one once every source has one.
    public static func combineLatest<A: InfallibleType, B: InfallibleType>(
        _ a: A, _ b: B,
        resultSelector: @escaping @Sendable (A.Element, B.Element) -> Element
    ) -> Infallible<Element> {
        Infallible(.combineLatest(a.asObservable(), b.asObservable(), resultSelector: resultSelector))
    }

    /// Three sources; see the form for two.
    public static func combineLatest<A: InfallibleType, B: InfallibleType, C: InfallibleType>(
        _ a: A, _ b: B, _ c: C,
        resultSelector: @escaping @Sendable (A.Element, B.Element, C.Element) -> Element
    ) -> Infallible<Element> {
        Infallible(.combineLatest(a.asObservable(), b.asObservable(), c.asObservable(), resultSelector: resultSelector))
    }

    /// Four sources; see the form for two.
    public static func combineLatest<A: InfallibleType, B: InfallibleType, C: InfallibleType, D: InfallibleType>(
        _ a: A, _ b: B, _ c: C, _ d: D,
        resultSelector: @escaping @Sendable (A.Element, B.Element, C.Element, D.Element) -> Element
    ) -> Infallible<Element> {
        Infallible(
            .combineLatest(
                a.asObservable(), b.asObservable(), c.asObservable(), d.asObservable(), resultSelector: resultSelector))
    }

    /// Five sources; see the form for two.
    public static func combineLatest<
        A: InfallibleType, B: InfallibleType, C: InfallibleType, D: InfallibleType, E: InfallibleType
    >(
        _ a: A, _ b: B, _ c: C, _ d: D, _ e: E,
        resultSelector: @escaping @Sendable (A.Element, B.Element, C.Element, D.Element, E.Element) -> Element
    ) -> Infallible<Element> {
        Infallible(
            .combineLatest(
                a.asObservable(), b.asObservable(), c.asObservable(), d.asObservable(), e.asObservable(),
                resultSelector: resultSelector))
    }

    /// Six sources; see the form for two.
    public static func combineLatest<
        A: InfallibleType, B: InfallibleType, C: InfallibleType, D: InfallibleType, E: InfallibleType, F: InfallibleType
    >(
        _ a: A, _ b: B, _ c: C, _ d: D, _ e: E, _ f: F,
        resultSelector:
            @escaping @Sendable (A.Element, B.Element, C.Element, D.Element, E.Element, F.Element) -> Element
    ) -> Infallible<Element> {
        Infallible(
            .combineLatest(
                a.asObservable(), b.asObservable(), c.asObservable(), d.asObservable(), e.asObservable(),
                f.asObservable(), resultSelector: resultSelector))
    }

    /// Seven sources; see the form for two.
    public static func combineLatest<
        A: InfallibleType, B: InfallibleType, C: InfallibleType, D: InfallibleType, E: InfallibleType,
        F: InfallibleType, G: InfallibleType
    >(
        _ a: A, _ b: B, _ c: C, _ d: D, _ e: E, _ f: F, _ g: G,
        resultSelector:
            @escaping @Sendable (A.Element, B.Element, C.Element, D.Element, E.Element, F.Element, G.Element) -> Element
    ) -> Infallible<Element> {
        Infallible(
            .combineLatest(
                a.asObservable(), b.asObservable(), c.asObservable(), d.asObservable(), e.asObservable(),
                f.asObservable(), g.asObservable(), resultSelector: resultSelector))
    }

    /// Eight sources; see the form for two.
    public static func combineLatest<
        A: InfallibleType, B: InfallibleType, C: InfallibleType, D: InfallibleType, E: InfallibleType,
        F: InfallibleType, G: InfallibleType, H: InfallibleType
    >(
        _ a: A, _ b: B, _ c: C, _ d: D, _ e: E, _ f: F, _ g: G, _ h: H,
        resultSelector:
            @escaping @Sendable (A.Element, B.Element, C.Element, D.Element, E.Element, F.Element, G.Element, H.Element)
            -> Element
    ) -> Infallible<Element> {
        Infallible(
            .combineLatest(
                a.asObservable(), b.asObservable(), c.asObservable(), d.asObservable(), e.asObservable(),
                f.asObservable(), g.asObservable(), h.asObservable(), resultSelector: resultSelector))
    }
}

extension InfallibleType where Element == any Sendable {
    /// The latest elements of the sources as a tuple, at each new one once every source has one.
    public static func combineLatest<A: InfallibleType, B: InfallibleType>(
        _ a: A, _ b: B
    ) -> Infallible<(A.Element, B.Element)> {
        Infallible(.combineLatest(a.asObservable(), b.asObservable()) { ($0, $1) })
    }

    /// Three sources; see the form for two.
    public static func combineLatest<A: InfallibleType, B: InfallibleType, C: InfallibleType>(
        _ a: A, _ b: B, _ c: C
    ) -> Infallible<(A.Element, B.Element, C.Element)> {
        Infallible(.combineLatest(a.asObservable(), b.asObservable(), c.asObservable()) { ($0, $1, $2) })
    }

    /// Four sources; see the form for two.
    public static func combineLatest<A: InfallibleType, B: InfallibleType, C: InfallibleType, D: InfallibleType>(
        _ a: A, _ b: B, _ c: C, _ d: D
    ) -> Infallible<(A.Element, B.Element, C.Element, D.Element)> {
        Infallible(
            .combineLatest(a.asObservable(), b.asObservable(), c.asObservable(), d.asObservable()) { ($0, $1, $2, $3) })
    }

    /// Five sources; see the form for two.
    public static func combineLatest<
        A: InfallibleType, B: InfallibleType, C: InfallibleType, D: InfallibleType, E: InfallibleType
    >(
        _ a: A, _ b: B, _ c: C, _ d: D, _ e: E
    ) -> Infallible<(A.Element, B.Element, C.Element, D.Element, E.Element)> {
        Infallible(
            .combineLatest(a.asObservable(), b.asObservable(), c.asObservable(), d.asObservable(), e.asObservable()) {
                ($0, $1, $2, $3, $4)
            })
    }

    /// Six sources; see the form for two.
    public static func combineLatest<
        A: InfallibleType, B: InfallibleType, C: InfallibleType, D: InfallibleType, E: InfallibleType, F: InfallibleType
    >(
        _ a: A, _ b: B, _ c: C, _ d: D, _ e: E, _ f: F
    ) -> Infallible<(A.Element, B.Element, C.Element, D.Element, E.Element, F.Element)> {
        Infallible(
            .combineLatest(
                a.asObservable(), b.asObservable(), c.asObservable(), d.asObservable(), e.asObservable(),
                f.asObservable()
            ) { ($0, $1, $2, $3, $4, $5) })
    }

    /// Seven sources; see the form for two.
    public static func combineLatest<
        A: InfallibleType, B: InfallibleType, C: InfallibleType, D: InfallibleType, E: InfallibleType,
        F: InfallibleType, G: InfallibleType
    >(
        _ a: A, _ b: B, _ c: C, _ d: D, _ e: E, _ f: F, _ g: G
    ) -> Infallible<(A.Element, B.Element, C.Element, D.Element, E.Element, F.Element, G.Element)> {
        Infallible(
            .combineLatest(
                a.asObservable(), b.asObservable(), c.asObservable(), d.asObservable(), e.asObservable(),
                f.asObservable(), g.asObservable()
            ) { ($0, $1, $2, $3, $4, $5, $6) })
    }

    /// Eight sources; see the form for two.
    public static func combineLatest<
        A: InfallibleType, B: InfallibleType, C: InfallibleType, D: InfallibleType, E: InfallibleType,
        F: InfallibleType, G: InfallibleType, H: InfallibleType
    >(
        _ a: A, _ b: B, _ c: C, _ d: D, _ e: E, _ f: F, _ g: G, _ h: H
    ) -> Infallible<(A.Element, B.Element, C.Element, D.Element, E.Element, F.Element, G.Element, H.Element)> {
        Infallible(
            .combineLatest(
                a.asObservable(), b.asObservable(), c.asObservable(), d.asObservable(), e.asObservable(),
                f.asObservable(), g.asObservable(), h.asObservable()
            ) { ($0, $1, $2, $3, $4, $5, $6, $7) })
    }
}

extension InfallibleType {
    /// What `resultSelector` makes of the first elements of all sources, then of the second ones, and so on.
    public static func zip<A: InfallibleType, B: InfallibleType>(
        _ a: A, _ b: B,
        resultSelector: @escaping @Sendable (A.Element, B.Element) -> Element
    ) -> Infallible<Element> {
        Infallible(.zip(a.asObservable(), b.asObservable(), resultSelector: resultSelector))
    }

    /// Three sources; see the form for two.
    public static func zip<A: InfallibleType, B: InfallibleType, C: InfallibleType>(
        _ a: A, _ b: B, _ c: C,
        resultSelector: @escaping @Sendable (A.Element, B.Element, C.Element) -> Element
    ) -> Infallible<Element> {
        Infallible(.zip(a.asObservable(), b.asObservable(), c.asObservable(), resultSelector: resultSelector))
    }

    /// Four sources; see the form for two.
    public static func zip<A: InfallibleType, B: InfallibleType, C: InfallibleType, D: InfallibleType>(
        _ a: A, _ b: B, _ c: C, _ d: D,
        resultSelector: @escaping @Sendable (A.Element, B.Element, C.Element, D.Element) -> Element
    ) -> Infallible<Element> {
        Infallible(
            .zip(a.asObservable(), b.asObservable(), c.asObservable(), d.asObservable(), resultSelector: resultSelector)
        )
    }

    /// Five sources; see the form for two.
    public static func zip<
        A: InfallibleType, B: InfallibleType, C: InfallibleType, D: InfallibleType, E: InfallibleType
    >(
        _ a: A, _ b: B, _ c: C, _ d: D, _ e: E,
        resultSelector: @escaping @Sendable (A.Element, B.Element, C.Element, D.Element, E.Element) -> Element
    ) -> Infallible<Element> {
        Infallible(
            .zip(
                a.asObservable(), b.asObservable(), c.asObservable(), d.asObservable(), e.asObservable(),
                resultSelector: resultSelector))
    }

    /// Six sources; see the form for two.
    public static func zip<
        A: InfallibleType, B: InfallibleType, C: InfallibleType, D: InfallibleType, E: InfallibleType, F: InfallibleType
    >(
        _ a: A, _ b: B, _ c: C, _ d: D, _ e: E, _ f: F,
        resultSelector:
            @escaping @Sendable (A.Element, B.Element, C.Element, D.Element, E.Element, F.Element) -> Element
    ) -> Infallible<Element> {
        Infallible(
            .zip(
                a.asObservable(), b.asObservable(), c.asObservable(), d.asObservable(), e.asObservable(),
                f.asObservable(), resultSelector: resultSelector))
    }

    /// Seven sources; see the form for two.
    public static func zip<
        A: InfallibleType, B: InfallibleType, C: InfallibleType, D: InfallibleType, E: InfallibleType,
        F: InfallibleType, G: InfallibleType
    >(
        _ a: A, _ b: B, _ c: C, _ d: D, _ e: E, _ f: F, _ g: G,
        resultSelector:
            @escaping @Sendable (A.Element, B.Element, C.Element, D.Element, E.Element, F.Element, G.Element) -> Element
    ) -> Infallible<Element> {
        Infallible(
            .zip(
                a.asObservable(), b.asObservable(), c.asObservable(), d.asObservable(), e.asObservable(),
                f.asObservable(), g.asObservable(), resultSelector: resultSelector))
    }

    /// Eight sources; see the form for two.
    public static func zip<
        A: InfallibleType, B: InfallibleType, C: InfallibleType, D: InfallibleType, E: InfallibleType,
        F: InfallibleType, G: InfallibleType, H: InfallibleType
    >(
        _ a: A, _ b: B, _ c: C, _ d: D, _ e: E, _ f: F, _ g: G, _ h: H,
        resultSelector:
            @escaping @Sendable (A.Element, B.Element, C.Element, D.Element, E.Element, F.Element, G.Element, H.Element)
            -> Element
    ) -> Infallible<Element> {
        Infallible(
            .zip(
                a.asObservable(), b.asObservable(), c.asObservable(), d.asObservable(), e.asObservable(),
                f.asObservable(), g.asObservable(), h.asObservable(), resultSelector: resultSelector))
    }
}

extension InfallibleType where Element == any Sendable {
    /// The first elements of all sources as a tuple, then the second ones, and so on.
    public static func zip<A: InfallibleType, B: InfallibleType>(
        _ a: A, _ b: B
    ) -> Infallible<(A.Element, B.Element)> {
        Infallible(.zip(a.asObservable(), b.asObservable()) { ($0, $1) })
    }

    /// Three sources; see the form for two.
    public static func zip<A: InfallibleType, B: InfallibleType, C: InfallibleType>(
        _ a: A, _ b: B, _ c: C
    ) -> Infallible<(A.Element, B.Element, C.Element)> {
        Infallible(.zip(a.asObservable(), b.asObservable(), c.asObservable()) { ($0, $1, $2) })
    }

    /// Four sources; see the form for two.
    public static func zip<A: InfallibleType, B: InfallibleType, C: InfallibleType, D: InfallibleType>(
        _ a: A, _ b: B, _ c: C, _ d: D
    ) -> Infallible<(A.Element, B.Element, C.Element, D.Element)> {
        Infallible(.zip(a.asObservable(), b.asObservable(), c.asObservable(), d.asObservable()) { ($0, $1, $2, $3) })
    }

    /// Five sources; see the form for two.
    public static func zip<
        A: InfallibleType, B: InfallibleType, C: InfallibleType, D: InfallibleType, E: InfallibleType
    >(
        _ a: A, _ b: B, _ c: C, _ d: D, _ e: E
    ) -> Infallible<(A.Element, B.Element, C.Element, D.Element, E.Element)> {
        Infallible(
            .zip(a.asObservable(), b.asObservable(), c.asObservable(), d.asObservable(), e.asObservable()) {
                ($0, $1, $2, $3, $4)
            })
    }

    /// Six sources; see the form for two.
    public static func zip<
        A: InfallibleType, B: InfallibleType, C: InfallibleType, D: InfallibleType, E: InfallibleType, F: InfallibleType
    >(
        _ a: A, _ b: B, _ c: C, _ d: D, _ e: E, _ f: F
    ) -> Infallible<(A.Element, B.Element, C.Element, D.Element, E.Element, F.Element)> {
        Infallible(
            .zip(
                a.asObservable(), b.asObservable(), c.asObservable(), d.asObservable(), e.asObservable(),
                f.asObservable()
            ) { ($0, $1, $2, $3, $4, $5) })
    }

    /// Seven sources; see the form for two.
    public static func zip<
        A: InfallibleType, B: InfallibleType, C: InfallibleType, D: InfallibleType, E: InfallibleType,
        F: InfallibleType, G: InfallibleType
    >(
        _ a: A, _ b: B, _ c: C, _ d: D, _ e: E, _ f: F, _ g: G
    ) -> Infallible<(A.Element, B.Element, C.Element, D.Element, E.Element, F.Element, G.Element)> {
        Infallible(
            .zip(
                a.asObservable(), b.asObservable(), c.asObservable(), d.asObservable(), e.asObservable(),
                f.asObservable(), g.asObservable()
            ) { ($0, $1, $2, $3, $4, $5, $6) })
    }

    /// Eight sources; see the form for two.
    public static func zip<
        A: InfallibleType, B: InfallibleType, C: InfallibleType, D: InfallibleType, E: InfallibleType,
        F: InfallibleType, G: InfallibleType, H: InfallibleType
    >(
        _ a: A, _ b: B, _ c: C, _ d: D, _ e: E, _ f: F, _ g: G, _ h: H
    ) -> Infallible<(A.Element, B.Element, C.Element, D.Element, E.Element, F.Element, G.Element, H.Element)> {
        Infallible(
            .zip(
                a.asObservable(), b.asObservable(), c.asObservable(), d.asObservable(), e.asObservable(),
                f.asObservable(), g.asObservable(), h.asObservable()
            ) { ($0, $1, $2, $3, $4, $5, $6, $7) })
    }
}
