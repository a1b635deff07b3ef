public import Rx

// One overload per number of sources: with a parameter pack, the type checker takes seconds for a closure that combines
// several elements.

extension SharedSequenceConvertibleType {
    /// Combines the latest elements of two sources with `resultSelector`, at each new element once every source has
    /// one.
    ///
    /// ```
    /// first                                     --1-----2--------|
    /// second                                    ----5-----6--|
    /// combineLatest(first, second) { $0 + $1 }  ----6---7-8------|
    /// ```
    public static func combineLatest<A: SharedSequenceConvertibleType, B: SharedSequenceConvertibleType>(
        _ a: A, _ b: B, resultSelector: @escaping MainClosure<A.Element, B.Element, Element>
    ) -> SharedSequence<SharingStrategy, Element>
    where A.SharingStrategy == SharingStrategy, B.SharingStrategy == SharingStrategy {
        let (a, b) = (a.asSharedSequence(), b.asSharedSequence())
        let confinement = Confinement.of(a.confinement, b.confinement)
        return SharedSequence(
            .combineLatest(a.source, b.source, resultSelector: confinement.confine(resultSelector)), confinement)
    }

    /// Combines the latest elements of three sources with `resultSelector`, at each new element once every source has
    /// one.
    public static func combineLatest<
        A: SharedSequenceConvertibleType, B: SharedSequenceConvertibleType, C: SharedSequenceConvertibleType
    >(
        _ a: A, _ b: B, _ c: C, resultSelector: @escaping MainClosure<A.Element, B.Element, C.Element, Element>
    ) -> SharedSequence<SharingStrategy, Element>
    where
        A.SharingStrategy == SharingStrategy, B.SharingStrategy == SharingStrategy, C.SharingStrategy == SharingStrategy
    {
        let (a, b, c) = (a.asSharedSequence(), b.asSharedSequence(), c.asSharedSequence())
        let confinement = Confinement.of(a.confinement, b.confinement, c.confinement)
        return SharedSequence(
            .combineLatest(a.source, b.source, c.source, resultSelector: confinement.confine(resultSelector)),
            confinement)
    }

    /// Combines the latest elements of four sources with `resultSelector`, at each new element once every source has
    /// one.
    public static func combineLatest<
        A: SharedSequenceConvertibleType, B: SharedSequenceConvertibleType, C: SharedSequenceConvertibleType,
        D: SharedSequenceConvertibleType
    >(
        _ a: A, _ b: B, _ c: C, _ d: D,
        resultSelector: @escaping MainClosure<A.Element, B.Element, C.Element, D.Element, Element>
    ) -> SharedSequence<SharingStrategy, Element>
    where
        A.SharingStrategy == SharingStrategy, B.SharingStrategy == SharingStrategy,
        C.SharingStrategy == SharingStrategy, D.SharingStrategy == SharingStrategy
    {
        let (a, b, c, d) = (a.asSharedSequence(), b.asSharedSequence(), c.asSharedSequence(), d.asSharedSequence())
        let confinement = Confinement.of(a.confinement, b.confinement, c.confinement, d.confinement)
        return SharedSequence(
            .combineLatest(a.source, b.source, c.source, d.source, resultSelector: confinement.confine(resultSelector)),
            confinement)
    }

    /// Combines the latest elements of five sources with `resultSelector`, at each new element once every source has
    /// one.
    public static func combineLatest<
        A: SharedSequenceConvertibleType, B: SharedSequenceConvertibleType, C: SharedSequenceConvertibleType,
        D: SharedSequenceConvertibleType, E: SharedSequenceConvertibleType
    >(
        _ a: A, _ b: B, _ c: C, _ d: D, _ e: E,
        resultSelector: @escaping MainClosure<A.Element, B.Element, C.Element, D.Element, E.Element, Element>
    ) -> SharedSequence<SharingStrategy, Element>
    where
        A.SharingStrategy == SharingStrategy, B.SharingStrategy == SharingStrategy,
        C.SharingStrategy == SharingStrategy, D.SharingStrategy == SharingStrategy, E.SharingStrategy == SharingStrategy
    {
        let (a, b, c, d, e) = (
            a.asSharedSequence(), b.asSharedSequence(), c.asSharedSequence(), d.asSharedSequence(), e.asSharedSequence()
        )
        let confinement = Confinement.of(a.confinement, b.confinement, c.confinement, d.confinement, e.confinement)
        return SharedSequence(
            .combineLatest(
                a.source, b.source, c.source, d.source, e.source, resultSelector: confinement.confine(resultSelector)),
            confinement)
    }

    /// Combines the latest elements of six sources with `resultSelector`, at each new element once every source has
    /// one.
    public static func combineLatest<
        A: SharedSequenceConvertibleType, B: SharedSequenceConvertibleType, C: SharedSequenceConvertibleType,
        D: SharedSequenceConvertibleType, E: SharedSequenceConvertibleType, F: SharedSequenceConvertibleType
    >(
        _ a: A, _ b: B, _ c: C, _ d: D, _ e: E, _ f: F,
        resultSelector:
            @escaping MainClosure<A.Element, B.Element, C.Element, D.Element, E.Element, F.Element, Element>
    ) -> SharedSequence<SharingStrategy, Element>
    where
        A.SharingStrategy == SharingStrategy, B.SharingStrategy == SharingStrategy,
        C.SharingStrategy == SharingStrategy, D.SharingStrategy == SharingStrategy,
        E.SharingStrategy == SharingStrategy, F.SharingStrategy == SharingStrategy
    {
        let (a, b, c, d, e, f) = (
            a.asSharedSequence(), b.asSharedSequence(), c.asSharedSequence(), d.asSharedSequence(),
            e.asSharedSequence(), f.asSharedSequence()
        )
        let confinement = Confinement.of(
            a.confinement, b.confinement, c.confinement, d.confinement, e.confinement, f.confinement)
        return SharedSequence(
            .combineLatest(
                a.source, b.source, c.source, d.source, e.source, f.source,
                resultSelector: confinement.confine(resultSelector)), confinement)
    }

    /// Combines the latest elements of seven sources with `resultSelector`, at each new element once every source has
    /// one.
    public static func combineLatest<
        A: SharedSequenceConvertibleType, B: SharedSequenceConvertibleType, C: SharedSequenceConvertibleType,
        D: SharedSequenceConvertibleType, E: SharedSequenceConvertibleType, F: SharedSequenceConvertibleType,
        G: SharedSequenceConvertibleType
    >(
        _ a: A, _ b: B, _ c: C, _ d: D, _ e: E, _ f: F, _ g: G,
        resultSelector:
            @escaping MainClosure<A.Element, B.Element, C.Element, D.Element, E.Element, F.Element, G.Element, Element>
    ) -> SharedSequence<SharingStrategy, Element>
    where
        A.SharingStrategy == SharingStrategy, B.SharingStrategy == SharingStrategy,
        C.SharingStrategy == SharingStrategy, D.SharingStrategy == SharingStrategy,
        E.SharingStrategy == SharingStrategy, F.SharingStrategy == SharingStrategy, G.SharingStrategy == SharingStrategy
    {
        let (a, b, c, d, e, f, g) = (
            a.asSharedSequence(), b.asSharedSequence(), c.asSharedSequence(), d.asSharedSequence(),
            e.asSharedSequence(), f.asSharedSequence(), g.asSharedSequence()
        )
        let confinement = Confinement.of(
            a.confinement, b.confinement, c.confinement, d.confinement, e.confinement, f.confinement, g.confinement)
        return SharedSequence(
            .combineLatest(
                a.source, b.source, c.source, d.source, e.source, f.source, g.source,
                resultSelector: confinement.confine(resultSelector)), confinement)
    }

    /// Combines the latest elements of eight sources with `resultSelector`, at each new element once every source has
    /// one.
    public static func combineLatest<
        A: SharedSequenceConvertibleType, B: SharedSequenceConvertibleType, C: SharedSequenceConvertibleType,
        D: SharedSequenceConvertibleType, E: SharedSequenceConvertibleType, F: SharedSequenceConvertibleType,
        G: SharedSequenceConvertibleType, H: SharedSequenceConvertibleType
    >(
        _ a: A, _ b: B, _ c: C, _ d: D, _ e: E, _ f: F, _ g: G, _ h: H,
        resultSelector:
            @escaping MainClosure<
                A.Element, B.Element, C.Element, D.Element, E.Element, F.Element, G.Element, H.Element, Element
            >
    ) -> SharedSequence<SharingStrategy, Element>
    where
        A.SharingStrategy == SharingStrategy, B.SharingStrategy == SharingStrategy,
        C.SharingStrategy == SharingStrategy, D.SharingStrategy == SharingStrategy,
        E.SharingStrategy == SharingStrategy, F.SharingStrategy == SharingStrategy,
        G.SharingStrategy == SharingStrategy, H.SharingStrategy == SharingStrategy
    {
        let (a, b, c, d, e, f, g, h) = (
            a.asSharedSequence(), b.asSharedSequence(), c.asSharedSequence(), d.asSharedSequence(),
            e.asSharedSequence(), f.asSharedSequence(), g.asSharedSequence(), h.asSharedSequence()
        )
        let confinement = Confinement.of(
            a.confinement, b.confinement, c.confinement, d.confinement, e.confinement, f.confinement, g.confinement,
            h.confinement)
        return SharedSequence(
            .combineLatest(
                a.source, b.source, c.source, d.source, e.source, f.source, g.source, h.source,
                resultSelector: confinement.confine(resultSelector)), confinement)
    }
}

extension SharedSequenceConvertibleType where Element == any RxSendable {
    /// Combines the latest elements of two sources in a tuple, at each new element once every source has one.
    ///
    /// ```
    /// first                         --1-----2--------|
    /// second                        ----5-------6---|
    /// combineLatest(first, second)  ----1,5-2,5-2,6--|
    /// ```
    public static func combineLatest<A: SharedSequenceConvertibleType, B: SharedSequenceConvertibleType>(
        _ a: A, _ b: B
    ) -> SharedSequence<SharingStrategy, (A.Element, B.Element)>
    where A.SharingStrategy == SharingStrategy, B.SharingStrategy == SharingStrategy {
        let (a, b) = (a.asSharedSequence(), b.asSharedSequence())
        return SharedSequence<SharingStrategy, (A.Element, B.Element)>(
            .combineLatest(a.source, b.source) { ($0, $1) }, .of(a.confinement, b.confinement))
    }

    /// Combines the latest elements of three sources in a tuple, at each new element once every source has one.
    public static func combineLatest<
        A: SharedSequenceConvertibleType, B: SharedSequenceConvertibleType, C: SharedSequenceConvertibleType
    >(
        _ a: A, _ b: B, _ c: C
    ) -> SharedSequence<SharingStrategy, (A.Element, B.Element, C.Element)>
    where
        A.SharingStrategy == SharingStrategy, B.SharingStrategy == SharingStrategy, C.SharingStrategy == SharingStrategy
    {
        let (a, b, c) = (a.asSharedSequence(), b.asSharedSequence(), c.asSharedSequence())
        return SharedSequence<SharingStrategy, (A.Element, B.Element, C.Element)>(
            .combineLatest(a.source, b.source, c.source) { ($0, $1, $2) },
            .of(a.confinement, b.confinement, c.confinement))
    }

    /// Combines the latest elements of four sources in a tuple, at each new element once every source has one.
    public static func combineLatest<
        A: SharedSequenceConvertibleType, B: SharedSequenceConvertibleType, C: SharedSequenceConvertibleType,
        D: SharedSequenceConvertibleType
    >(
        _ a: A, _ b: B, _ c: C, _ d: D
    ) -> SharedSequence<SharingStrategy, (A.Element, B.Element, C.Element, D.Element)>
    where
        A.SharingStrategy == SharingStrategy, B.SharingStrategy == SharingStrategy,
        C.SharingStrategy == SharingStrategy, D.SharingStrategy == SharingStrategy
    {
        let (a, b, c, d) = (a.asSharedSequence(), b.asSharedSequence(), c.asSharedSequence(), d.asSharedSequence())
        return SharedSequence<SharingStrategy, (A.Element, B.Element, C.Element, D.Element)>(
            .combineLatest(a.source, b.source, c.source, d.source) { ($0, $1, $2, $3) },
            .of(a.confinement, b.confinement, c.confinement, d.confinement))
    }

    /// Combines the latest elements of five sources in a tuple, at each new element once every source has one.
    public static func combineLatest<
        A: SharedSequenceConvertibleType, B: SharedSequenceConvertibleType, C: SharedSequenceConvertibleType,
        D: SharedSequenceConvertibleType, E: SharedSequenceConvertibleType
    >(
        _ a: A, _ b: B, _ c: C, _ d: D, _ e: E
    ) -> SharedSequence<SharingStrategy, (A.Element, B.Element, C.Element, D.Element, E.Element)>
    where
        A.SharingStrategy == SharingStrategy, B.SharingStrategy == SharingStrategy,
        C.SharingStrategy == SharingStrategy, D.SharingStrategy == SharingStrategy, E.SharingStrategy == SharingStrategy
    {
        let (a, b, c, d, e) = (
            a.asSharedSequence(), b.asSharedSequence(), c.asSharedSequence(), d.asSharedSequence(), e.asSharedSequence()
        )
        return SharedSequence<SharingStrategy, (A.Element, B.Element, C.Element, D.Element, E.Element)>(
            .combineLatest(a.source, b.source, c.source, d.source, e.source) { ($0, $1, $2, $3, $4) },
            .of(a.confinement, b.confinement, c.confinement, d.confinement, e.confinement))
    }

    /// Combines the latest elements of six sources in a tuple, at each new element once every source has one.
    public static func combineLatest<
        A: SharedSequenceConvertibleType, B: SharedSequenceConvertibleType, C: SharedSequenceConvertibleType,
        D: SharedSequenceConvertibleType, E: SharedSequenceConvertibleType, F: SharedSequenceConvertibleType
    >(
        _ a: A, _ b: B, _ c: C, _ d: D, _ e: E, _ f: F
    ) -> SharedSequence<SharingStrategy, (A.Element, B.Element, C.Element, D.Element, E.Element, F.Element)>
    where
        A.SharingStrategy == SharingStrategy, B.SharingStrategy == SharingStrategy,
        C.SharingStrategy == SharingStrategy, D.SharingStrategy == SharingStrategy,
        E.SharingStrategy == SharingStrategy, F.SharingStrategy == SharingStrategy
    {
        let (a, b, c, d, e, f) = (
            a.asSharedSequence(), b.asSharedSequence(), c.asSharedSequence(), d.asSharedSequence(),
            e.asSharedSequence(), f.asSharedSequence()
        )
        return SharedSequence<SharingStrategy, (A.Element, B.Element, C.Element, D.Element, E.Element, F.Element)>(
            .combineLatest(a.source, b.source, c.source, d.source, e.source, f.source) { ($0, $1, $2, $3, $4, $5) },
            .of(a.confinement, b.confinement, c.confinement, d.confinement, e.confinement, f.confinement))
    }

    /// Combines the latest elements of seven sources in a tuple, at each new element once every source has one.
    public static func combineLatest<
        A: SharedSequenceConvertibleType, B: SharedSequenceConvertibleType, C: SharedSequenceConvertibleType,
        D: SharedSequenceConvertibleType, E: SharedSequenceConvertibleType, F: SharedSequenceConvertibleType,
        G: SharedSequenceConvertibleType
    >(
        _ a: A, _ b: B, _ c: C, _ d: D, _ e: E, _ f: F, _ g: G
    ) -> SharedSequence<SharingStrategy, (A.Element, B.Element, C.Element, D.Element, E.Element, F.Element, G.Element)>
    where
        A.SharingStrategy == SharingStrategy, B.SharingStrategy == SharingStrategy,
        C.SharingStrategy == SharingStrategy, D.SharingStrategy == SharingStrategy,
        E.SharingStrategy == SharingStrategy, F.SharingStrategy == SharingStrategy, G.SharingStrategy == SharingStrategy
    {
        let (a, b, c, d, e, f, g) = (
            a.asSharedSequence(), b.asSharedSequence(), c.asSharedSequence(), d.asSharedSequence(),
            e.asSharedSequence(), f.asSharedSequence(), g.asSharedSequence()
        )
        return SharedSequence<
            SharingStrategy, (A.Element, B.Element, C.Element, D.Element, E.Element, F.Element, G.Element)
        >(
            .combineLatest(a.source, b.source, c.source, d.source, e.source, f.source, g.source) {
                ($0, $1, $2, $3, $4, $5, $6)
            },
            .of(a.confinement, b.confinement, c.confinement, d.confinement, e.confinement, f.confinement, g.confinement)
        )
    }

    /// Combines the latest elements of eight sources in a tuple, at each new element once every source has one.
    public static func combineLatest<
        A: SharedSequenceConvertibleType, B: SharedSequenceConvertibleType, C: SharedSequenceConvertibleType,
        D: SharedSequenceConvertibleType, E: SharedSequenceConvertibleType, F: SharedSequenceConvertibleType,
        G: SharedSequenceConvertibleType, H: SharedSequenceConvertibleType
    >(
        _ a: A, _ b: B, _ c: C, _ d: D, _ e: E, _ f: F, _ g: G, _ h: H
    ) -> SharedSequence<
        SharingStrategy, (A.Element, B.Element, C.Element, D.Element, E.Element, F.Element, G.Element, H.Element)
    >
    where
        A.SharingStrategy == SharingStrategy, B.SharingStrategy == SharingStrategy,
        C.SharingStrategy == SharingStrategy, D.SharingStrategy == SharingStrategy,
        E.SharingStrategy == SharingStrategy, F.SharingStrategy == SharingStrategy,
        G.SharingStrategy == SharingStrategy, H.SharingStrategy == SharingStrategy
    {
        let (a, b, c, d, e, f, g, h) = (
            a.asSharedSequence(), b.asSharedSequence(), c.asSharedSequence(), d.asSharedSequence(),
            e.asSharedSequence(), f.asSharedSequence(), g.asSharedSequence(), h.asSharedSequence()
        )
        return SharedSequence<
            SharingStrategy, (A.Element, B.Element, C.Element, D.Element, E.Element, F.Element, G.Element, H.Element)
        >(
            .combineLatest(a.source, b.source, c.source, d.source, e.source, f.source, g.source, h.source) {
                ($0, $1, $2, $3, $4, $5, $6, $7)
            },
            .of(
                a.confinement, b.confinement, c.confinement, d.confinement, e.confinement, f.confinement, g.confinement,
                h.confinement))
    }
}
