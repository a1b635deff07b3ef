// One overload per number of sources. With a parameter pack, the type checker takes seconds for a closure such as
// `{ $0 + $1 + $2 + $3 + $4 }` and fails from six terms on. The type checker also considers every visible overload, so
// the pack version is not public; all others call it.

extension ObservableType {
    /// Combines the latest elements of all sources with `resultSelector`, at each new element once every source has
    /// one.
    ///
    /// Completes when all sources have completed, or when all others have completed and one of those had no element.
    /// The first error ends the sequence.
    ///
    /// ```
    /// first                                          --1-----2--------|
    /// second                                         ----a------b-|
    /// combineLatest(first, second) { "\($0)\($1)" }  ----1a--2a-2b----|
    /// ```
    #if Migration
        @preconcurrency
    #endif
    @inlinable
    public static func combineLatest<A: ObservableType, B: ObservableType>(
        _ a: A, _ b: B,
        resultSelector: @escaping @Sendable (A.Element, B.Element) throws -> Element
    ) -> Observable<Element> {
        combineLatestAny(a, b, resultSelector: resultSelector)
    }

    /// Combines the latest elements of three sources with `resultSelector`. The rules are those of the overload for
    /// two.
    #if Migration
        @preconcurrency
    #endif
    @inlinable
    public static func combineLatest<A: ObservableType, B: ObservableType, C: ObservableType>(
        _ a: A, _ b: B, _ c: C,
        resultSelector: @escaping @Sendable (A.Element, B.Element, C.Element) throws -> Element
    ) -> Observable<Element> {
        combineLatestAny(a, b, c, resultSelector: resultSelector)
    }

    /// Combines the latest elements of four sources with `resultSelector`. The rules are those of the overload for two.
    #if Migration
        @preconcurrency
    #endif
    @inlinable
    public static func combineLatest<A: ObservableType, B: ObservableType, C: ObservableType, D: ObservableType>(
        _ a: A, _ b: B, _ c: C, _ d: D,
        resultSelector: @escaping @Sendable (A.Element, B.Element, C.Element, D.Element) throws -> Element
    ) -> Observable<Element> {
        combineLatestAny(a, b, c, d, resultSelector: resultSelector)
    }

    /// Combines the latest elements of five sources with `resultSelector`. The rules are those of the overload for two.
    #if Migration
        @preconcurrency
    #endif
    @inlinable
    public static func combineLatest<
        A: ObservableType, B: ObservableType, C: ObservableType, D: ObservableType, E: ObservableType
    >(
        _ a: A, _ b: B, _ c: C, _ d: D, _ e: E,
        resultSelector: @escaping @Sendable (A.Element, B.Element, C.Element, D.Element, E.Element) throws -> Element
    ) -> Observable<Element> {
        combineLatestAny(a, b, c, d, e, resultSelector: resultSelector)
    }

    /// Combines the latest elements of six sources with `resultSelector`. The rules are those of the overload for two.
    #if Migration
        @preconcurrency
    #endif
    @inlinable
    public static func combineLatest<
        A: ObservableType, B: ObservableType, C: ObservableType, D: ObservableType, E: ObservableType, F: ObservableType
    >(
        _ a: A, _ b: B, _ c: C, _ d: D, _ e: E, _ f: F,
        resultSelector:
            @escaping @Sendable (A.Element, B.Element, C.Element, D.Element, E.Element, F.Element) throws -> Element
    ) -> Observable<Element> {
        combineLatestAny(a, b, c, d, e, f, resultSelector: resultSelector)
    }

    /// Combines the latest elements of seven sources with `resultSelector`. The rules are those of the overload for
    /// two.
    #if Migration
        @preconcurrency
    #endif
    @inlinable
    public static func combineLatest<
        A: ObservableType, B: ObservableType, C: ObservableType, D: ObservableType, E: ObservableType,
        F: ObservableType, G: ObservableType
    >(
        _ a: A, _ b: B, _ c: C, _ d: D, _ e: E, _ f: F, _ g: G,
        resultSelector:
            @escaping @Sendable (A.Element, B.Element, C.Element, D.Element, E.Element, F.Element, G.Element) throws ->
            Element
    ) -> Observable<Element> {
        combineLatestAny(a, b, c, d, e, f, g, resultSelector: resultSelector)
    }

    /// Combines the latest elements of eight sources with `resultSelector`. The rules are those of the overload for
    /// two.
    #if Migration
        @preconcurrency
    #endif
    @inlinable
    public static func combineLatest<
        A: ObservableType, B: ObservableType, C: ObservableType, D: ObservableType, E: ObservableType,
        F: ObservableType, G: ObservableType, H: ObservableType
    >(
        _ a: A, _ b: B, _ c: C, _ d: D, _ e: E, _ f: F, _ g: G, _ h: H,
        resultSelector:
            @escaping @Sendable (A.Element, B.Element, C.Element, D.Element, E.Element, F.Element, G.Element, H.Element)
            throws -> Element
    ) -> Observable<Element> {
        combineLatestAny(a, b, c, d, e, f, g, h, resultSelector: resultSelector)
    }

    /// Combines the latest elements of nine or more sources with `resultSelector`. The rules are those of the overload
    /// for two.
    #if Migration
        @preconcurrency
    #endif
    @inlinable
    public static func combineLatest<
        A: ObservableType, B: ObservableType, C: ObservableType, D: ObservableType, E: ObservableType,
        F: ObservableType, G: ObservableType, H: ObservableType, I: ObservableType, each More: ObservableType
    >(
        _ a: A, _ b: B, _ c: C, _ d: D, _ e: E, _ f: F, _ g: G, _ h: H, _ i: I, _ more: repeat each More,
        resultSelector:
            @escaping @Sendable (
                A.Element, B.Element, C.Element, D.Element, E.Element, F.Element, G.Element, H.Element, I.Element,
                repeat (each More).Element
            ) throws -> Element
    ) -> Observable<Element> {
        combineLatestAny(a, b, c, d, e, f, g, h, i, repeat each more, resultSelector: resultSelector)
    }
}

extension ObservableType where Element == any RxSendable {
    /// Combines the latest elements of all sources in a tuple, at each new element once every source has one. The first
    /// error ends the sequence.
    ///
    /// ```
    /// first                         --1-----2--------|
    /// second                        ----a-------b--|
    /// combineLatest(first, second)  ----1,a-2,a-2,b--|
    /// ```
    @inlinable
    public static func combineLatest<A: ObservableType, B: ObservableType>(
        _ a: A, _ b: B
    ) -> Observable<(A.Element, B.Element)> {
        Observable<(A.Element, B.Element)>.combineLatestAny(a, b) { ($0, $1) }
    }

    /// Combines the latest elements of three sources in a tuple. The rules are those of the overload for two.
    @inlinable
    public static func combineLatest<A: ObservableType, B: ObservableType, C: ObservableType>(
        _ a: A, _ b: B, _ c: C
    ) -> Observable<(A.Element, B.Element, C.Element)> {
        Observable<(A.Element, B.Element, C.Element)>.combineLatestAny(a, b, c) { ($0, $1, $2) }
    }

    /// Combines the latest elements of four sources in a tuple. The rules are those of the overload for two.
    @inlinable
    public static func combineLatest<A: ObservableType, B: ObservableType, C: ObservableType, D: ObservableType>(
        _ a: A, _ b: B, _ c: C, _ d: D
    ) -> Observable<(A.Element, B.Element, C.Element, D.Element)> {
        Observable<(A.Element, B.Element, C.Element, D.Element)>.combineLatestAny(a, b, c, d) { ($0, $1, $2, $3) }
    }

    /// Combines the latest elements of five sources in a tuple. The rules are those of the overload for two.
    @inlinable
    public static func combineLatest<
        A: ObservableType, B: ObservableType, C: ObservableType, D: ObservableType, E: ObservableType
    >(
        _ a: A, _ b: B, _ c: C, _ d: D, _ e: E
    ) -> Observable<(A.Element, B.Element, C.Element, D.Element, E.Element)> {
        Observable<(A.Element, B.Element, C.Element, D.Element, E.Element)>.combineLatestAny(a, b, c, d, e) {
            ($0, $1, $2, $3, $4)
        }
    }

    /// Combines the latest elements of six sources in a tuple. The rules are those of the overload for two.
    @inlinable
    public static func combineLatest<
        A: ObservableType, B: ObservableType, C: ObservableType, D: ObservableType, E: ObservableType, F: ObservableType
    >(
        _ a: A, _ b: B, _ c: C, _ d: D, _ e: E, _ f: F
    ) -> Observable<(A.Element, B.Element, C.Element, D.Element, E.Element, F.Element)> {
        Observable<(A.Element, B.Element, C.Element, D.Element, E.Element, F.Element)>.combineLatestAny(
            a, b, c, d, e, f
        ) { ($0, $1, $2, $3, $4, $5) }
    }

    /// Combines the latest elements of seven sources in a tuple. The rules are those of the overload for two.
    @inlinable
    public static func combineLatest<
        A: ObservableType, B: ObservableType, C: ObservableType, D: ObservableType, E: ObservableType,
        F: ObservableType, G: ObservableType
    >(
        _ a: A, _ b: B, _ c: C, _ d: D, _ e: E, _ f: F, _ g: G
    ) -> Observable<(A.Element, B.Element, C.Element, D.Element, E.Element, F.Element, G.Element)> {
        Observable<(A.Element, B.Element, C.Element, D.Element, E.Element, F.Element, G.Element)>.combineLatestAny(
            a, b, c, d, e, f, g
        ) { ($0, $1, $2, $3, $4, $5, $6) }
    }

    /// Combines the latest elements of eight sources in a tuple. The rules are those of the overload for two.
    @inlinable
    public static func combineLatest<
        A: ObservableType, B: ObservableType, C: ObservableType, D: ObservableType, E: ObservableType,
        F: ObservableType, G: ObservableType, H: ObservableType
    >(
        _ a: A, _ b: B, _ c: C, _ d: D, _ e: E, _ f: F, _ g: G, _ h: H
    ) -> Observable<(A.Element, B.Element, C.Element, D.Element, E.Element, F.Element, G.Element, H.Element)> {
        Observable<(A.Element, B.Element, C.Element, D.Element, E.Element, F.Element, G.Element, H.Element)>
            .combineLatestAny(a, b, c, d, e, f, g, h) { ($0, $1, $2, $3, $4, $5, $6, $7) }
    }
}
