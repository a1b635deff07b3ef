// CombineLatest+Arities explains why there is one overload per number of sources.

extension InfallibleType {
    /// Combines the latest elements of two sources with `resultSelector`, at each new element once every source has
    /// one.
    ///
    /// ```
    /// first                                     --1-----2--------|
    /// second                                    ----5-----6--|
    /// combineLatest(first, second) { $0 + $1 }  ----6---7-8------|
    /// ```
    #if Migration
        @preconcurrency
    #endif
    public static func combineLatest<A: InfallibleType, B: InfallibleType>(
        _ a: A, _ b: B,
        resultSelector: @escaping @Sendable (A.Element, B.Element) -> Element
    ) -> Infallible<Element> {
        Infallible(.combineLatest(a.asObservable(), b.asObservable(), resultSelector: resultSelector))
    }

    /// Combines the latest elements of three sources with `resultSelector`, at each new element once every source has
    /// one.
    #if Migration
        @preconcurrency
    #endif
    public static func combineLatest<A: InfallibleType, B: InfallibleType, C: InfallibleType>(
        _ a: A, _ b: B, _ c: C,
        resultSelector: @escaping @Sendable (A.Element, B.Element, C.Element) -> Element
    ) -> Infallible<Element> {
        Infallible(.combineLatest(a.asObservable(), b.asObservable(), c.asObservable(), resultSelector: resultSelector))
    }

    /// Combines the latest elements of four sources with `resultSelector`, at each new element once every source has
    /// one.
    #if Migration
        @preconcurrency
    #endif
    public static func combineLatest<A: InfallibleType, B: InfallibleType, C: InfallibleType, D: InfallibleType>(
        _ a: A, _ b: B, _ c: C, _ d: D,
        resultSelector: @escaping @Sendable (A.Element, B.Element, C.Element, D.Element) -> Element
    ) -> Infallible<Element> {
        Infallible(
            .combineLatest(
                a.asObservable(), b.asObservable(), c.asObservable(), d.asObservable(), resultSelector: resultSelector))
    }

    /// Combines the latest elements of five sources with `resultSelector`, at each new element once every source has
    /// one.
    #if Migration
        @preconcurrency
    #endif
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

    /// Combines the latest elements of six sources with `resultSelector`, at each new element once every source has
    /// one.
    #if Migration
        @preconcurrency
    #endif
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

    /// Combines the latest elements of seven sources with `resultSelector`, at each new element once every source has
    /// one.
    #if Migration
        @preconcurrency
    #endif
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

    /// Combines the latest elements of eight sources with `resultSelector`, at each new element once every source has
    /// one.
    #if Migration
        @preconcurrency
    #endif
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

extension InfallibleType where Element == any RxSendable {
    /// Combines the latest elements of two sources in a tuple, at each new element once every source has one.
    ///
    /// ```
    /// first                         --1-----2--------|
    /// second                        ----5-------6---|
    /// combineLatest(first, second)  ----1,5-2,5-2,6--|
    /// ```
    public static func combineLatest<A: InfallibleType, B: InfallibleType>(
        _ a: A, _ b: B
    ) -> Infallible<(A.Element, B.Element)> {
        Infallible(.combineLatest(a.asObservable(), b.asObservable()) { ($0, $1) })
    }

    /// Combines the latest elements of three sources in a tuple, at each new element once every source has one.
    public static func combineLatest<A: InfallibleType, B: InfallibleType, C: InfallibleType>(
        _ a: A, _ b: B, _ c: C
    ) -> Infallible<(A.Element, B.Element, C.Element)> {
        Infallible(.combineLatest(a.asObservable(), b.asObservable(), c.asObservable()) { ($0, $1, $2) })
    }

    /// Combines the latest elements of four sources in a tuple, at each new element once every source has one.
    public static func combineLatest<A: InfallibleType, B: InfallibleType, C: InfallibleType, D: InfallibleType>(
        _ a: A, _ b: B, _ c: C, _ d: D
    ) -> Infallible<(A.Element, B.Element, C.Element, D.Element)> {
        Infallible(
            .combineLatest(a.asObservable(), b.asObservable(), c.asObservable(), d.asObservable()) { ($0, $1, $2, $3) })
    }

    /// Combines the latest elements of five sources in a tuple, at each new element once every source has one.
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

    /// Combines the latest elements of six sources in a tuple, at each new element once every source has one.
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

    /// Combines the latest elements of seven sources in a tuple, at each new element once every source has one.
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

    /// Combines the latest elements of eight sources in a tuple, at each new element once every source has one.
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
    /// Combines corresponding elements of two sources with `resultSelector`.
    ///
    /// ```
    /// first                           --1-----2-----3--|
    /// second                          ----5-6---------|
    /// zip(first, second) { $0 + $1 }  ----6---8--------|
    /// ```
    #if Migration
        @preconcurrency
    #endif
    public static func zip<A: InfallibleType, B: InfallibleType>(
        _ a: A, _ b: B,
        resultSelector: @escaping @Sendable (A.Element, B.Element) -> Element
    ) -> Infallible<Element> {
        Infallible(.zip(a.asObservable(), b.asObservable(), resultSelector: resultSelector))
    }

    /// Combines corresponding elements of three sources with `resultSelector`.
    #if Migration
        @preconcurrency
    #endif
    public static func zip<A: InfallibleType, B: InfallibleType, C: InfallibleType>(
        _ a: A, _ b: B, _ c: C,
        resultSelector: @escaping @Sendable (A.Element, B.Element, C.Element) -> Element
    ) -> Infallible<Element> {
        Infallible(.zip(a.asObservable(), b.asObservable(), c.asObservable(), resultSelector: resultSelector))
    }

    /// Combines corresponding elements of four sources with `resultSelector`.
    #if Migration
        @preconcurrency
    #endif
    public static func zip<A: InfallibleType, B: InfallibleType, C: InfallibleType, D: InfallibleType>(
        _ a: A, _ b: B, _ c: C, _ d: D,
        resultSelector: @escaping @Sendable (A.Element, B.Element, C.Element, D.Element) -> Element
    ) -> Infallible<Element> {
        Infallible(
            .zip(a.asObservable(), b.asObservable(), c.asObservable(), d.asObservable(), resultSelector: resultSelector)
        )
    }

    /// Combines corresponding elements of five sources with `resultSelector`.
    #if Migration
        @preconcurrency
    #endif
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

    /// Combines corresponding elements of six sources with `resultSelector`.
    #if Migration
        @preconcurrency
    #endif
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

    /// Combines corresponding elements of seven sources with `resultSelector`.
    #if Migration
        @preconcurrency
    #endif
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

    /// Combines corresponding elements of eight sources with `resultSelector`.
    #if Migration
        @preconcurrency
    #endif
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

extension InfallibleType where Element == any RxSendable {
    /// Combines corresponding elements of two sources in a tuple.
    ///
    /// ```
    /// first               --1-----2-----3--|
    /// second              ----5-6---------|
    /// zip(first, second)  ----1,5-2,6------|
    /// ```
    public static func zip<A: InfallibleType, B: InfallibleType>(
        _ a: A, _ b: B
    ) -> Infallible<(A.Element, B.Element)> {
        Infallible(.zip(a.asObservable(), b.asObservable()) { ($0, $1) })
    }

    /// Combines corresponding elements of three sources in a tuple.
    public static func zip<A: InfallibleType, B: InfallibleType, C: InfallibleType>(
        _ a: A, _ b: B, _ c: C
    ) -> Infallible<(A.Element, B.Element, C.Element)> {
        Infallible(.zip(a.asObservable(), b.asObservable(), c.asObservable()) { ($0, $1, $2) })
    }

    /// Combines corresponding elements of four sources in a tuple.
    public static func zip<A: InfallibleType, B: InfallibleType, C: InfallibleType, D: InfallibleType>(
        _ a: A, _ b: B, _ c: C, _ d: D
    ) -> Infallible<(A.Element, B.Element, C.Element, D.Element)> {
        Infallible(.zip(a.asObservable(), b.asObservable(), c.asObservable(), d.asObservable()) { ($0, $1, $2, $3) })
    }

    /// Combines corresponding elements of five sources in a tuple.
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

    /// Combines corresponding elements of six sources in a tuple.
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

    /// Combines corresponding elements of seven sources in a tuple.
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

    /// Combines corresponding elements of eight sources in a tuple.
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
