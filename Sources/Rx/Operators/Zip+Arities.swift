// When the types of its parameters come from a parameter pack, the type checker takes seconds for a closure such as
// `{ $0 + $1 + $2 + $3 + $4 }` and from six terms on gives up; when each has a name of its own, it does not. It also looks at
// every form that a call might mean, so the one with a pack is not public, but where all others lead.

extension ObservableType {
    /// What `resultSelector` makes of the first elements of all sources, then of the second ones, and so on.
    ///
    /// Elements wait for those of the other sources. Completes when all sources have, or when an element comes that has
    /// to wait for sources that have completed; the first error ends it.
    ///
    /// ```
    /// first               --1-----2-----3--|
    /// second              ----a-b---------|
    /// zip { "\($0)\($1)" }  ----1a--2b----|
    /// ```
    @inlinable
    public static func zip<A: ObservableType, B: ObservableType>(
        _ a: A, _ b: B,
        resultSelector: @escaping @Sendable (A.Element, B.Element) throws -> Element
    ) -> Observable<Element> {
        zipAny(a, b, resultSelector: resultSelector)
    }

    /// Three sources; see the form for two.
    @inlinable
    public static func zip<A: ObservableType, B: ObservableType, C: ObservableType>(
        _ a: A, _ b: B, _ c: C,
        resultSelector: @escaping @Sendable (A.Element, B.Element, C.Element) throws -> Element
    ) -> Observable<Element> {
        zipAny(a, b, c, resultSelector: resultSelector)
    }

    /// Four sources; see the form for two.
    @inlinable
    public static func zip<A: ObservableType, B: ObservableType, C: ObservableType, D: ObservableType>(
        _ a: A, _ b: B, _ c: C, _ d: D,
        resultSelector: @escaping @Sendable (A.Element, B.Element, C.Element, D.Element) throws -> Element
    ) -> Observable<Element> {
        zipAny(a, b, c, d, resultSelector: resultSelector)
    }

    /// Five sources; see the form for two.
    @inlinable
    public static func zip<
        A: ObservableType, B: ObservableType, C: ObservableType, D: ObservableType, E: ObservableType
    >(
        _ a: A, _ b: B, _ c: C, _ d: D, _ e: E,
        resultSelector: @escaping @Sendable (A.Element, B.Element, C.Element, D.Element, E.Element) throws -> Element
    ) -> Observable<Element> {
        zipAny(a, b, c, d, e, resultSelector: resultSelector)
    }

    /// Six sources; see the form for two.
    @inlinable
    public static func zip<
        A: ObservableType, B: ObservableType, C: ObservableType, D: ObservableType, E: ObservableType, F: ObservableType
    >(
        _ a: A, _ b: B, _ c: C, _ d: D, _ e: E, _ f: F,
        resultSelector:
            @escaping @Sendable (A.Element, B.Element, C.Element, D.Element, E.Element, F.Element) throws -> Element
    ) -> Observable<Element> {
        zipAny(a, b, c, d, e, f, resultSelector: resultSelector)
    }

    /// Seven sources; see the form for two.
    @inlinable
    public static func zip<
        A: ObservableType, B: ObservableType, C: ObservableType, D: ObservableType, E: ObservableType,
        F: ObservableType, G: ObservableType
    >(
        _ a: A, _ b: B, _ c: C, _ d: D, _ e: E, _ f: F, _ g: G,
        resultSelector:
            @escaping @Sendable (A.Element, B.Element, C.Element, D.Element, E.Element, F.Element, G.Element) throws ->
            Element
    ) -> Observable<Element> {
        zipAny(a, b, c, d, e, f, g, resultSelector: resultSelector)
    }

    /// Eight sources; see the form for two.
    @inlinable
    public static func zip<
        A: ObservableType, B: ObservableType, C: ObservableType, D: ObservableType, E: ObservableType,
        F: ObservableType, G: ObservableType, H: ObservableType
    >(
        _ a: A, _ b: B, _ c: C, _ d: D, _ e: E, _ f: F, _ g: G, _ h: H,
        resultSelector:
            @escaping @Sendable (A.Element, B.Element, C.Element, D.Element, E.Element, F.Element, G.Element, H.Element)
            throws -> Element
    ) -> Observable<Element> {
        zipAny(a, b, c, d, e, f, g, h, resultSelector: resultSelector)
    }

    /// Nine sources or more; see the form for two.
    @inlinable
    public static func zip<
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
        zipAny(a, b, c, d, e, f, g, h, i, repeat each more, resultSelector: resultSelector)
    }
}

extension ObservableType where Element == any Sendable {
    /// The first elements of all sources as a tuple, then the second ones, and so on.
    ///
    /// ```
    /// first               --1-----2------3--|
    /// second              ----a-b----------|
    /// zip(first, second)  ----(1,a)-(2,b)-|
    /// ```
    @inlinable
    public static func zip<A: ObservableType, B: ObservableType>(
        _ a: A, _ b: B
    ) -> Observable<(A.Element, B.Element)> {
        Observable<(A.Element, B.Element)>.zipAny(a, b) { ($0, $1) }
    }

    /// Three sources; see the form for two.
    @inlinable
    public static func zip<A: ObservableType, B: ObservableType, C: ObservableType>(
        _ a: A, _ b: B, _ c: C
    ) -> Observable<(A.Element, B.Element, C.Element)> {
        Observable<(A.Element, B.Element, C.Element)>.zipAny(a, b, c) { ($0, $1, $2) }
    }

    /// Four sources; see the form for two.
    @inlinable
    public static func zip<A: ObservableType, B: ObservableType, C: ObservableType, D: ObservableType>(
        _ a: A, _ b: B, _ c: C, _ d: D
    ) -> Observable<(A.Element, B.Element, C.Element, D.Element)> {
        Observable<(A.Element, B.Element, C.Element, D.Element)>.zipAny(a, b, c, d) { ($0, $1, $2, $3) }
    }

    /// Five sources; see the form for two.
    @inlinable
    public static func zip<
        A: ObservableType, B: ObservableType, C: ObservableType, D: ObservableType, E: ObservableType
    >(
        _ a: A, _ b: B, _ c: C, _ d: D, _ e: E
    ) -> Observable<(A.Element, B.Element, C.Element, D.Element, E.Element)> {
        Observable<(A.Element, B.Element, C.Element, D.Element, E.Element)>.zipAny(a, b, c, d, e) {
            ($0, $1, $2, $3, $4)
        }
    }

    /// Six sources; see the form for two.
    @inlinable
    public static func zip<
        A: ObservableType, B: ObservableType, C: ObservableType, D: ObservableType, E: ObservableType, F: ObservableType
    >(
        _ a: A, _ b: B, _ c: C, _ d: D, _ e: E, _ f: F
    ) -> Observable<(A.Element, B.Element, C.Element, D.Element, E.Element, F.Element)> {
        Observable<(A.Element, B.Element, C.Element, D.Element, E.Element, F.Element)>.zipAny(a, b, c, d, e, f) {
            ($0, $1, $2, $3, $4, $5)
        }
    }

    /// Seven sources; see the form for two.
    @inlinable
    public static func zip<
        A: ObservableType, B: ObservableType, C: ObservableType, D: ObservableType, E: ObservableType,
        F: ObservableType, G: ObservableType
    >(
        _ a: A, _ b: B, _ c: C, _ d: D, _ e: E, _ f: F, _ g: G
    ) -> Observable<(A.Element, B.Element, C.Element, D.Element, E.Element, F.Element, G.Element)> {
        Observable<(A.Element, B.Element, C.Element, D.Element, E.Element, F.Element, G.Element)>.zipAny(
            a, b, c, d, e, f, g
        ) { ($0, $1, $2, $3, $4, $5, $6) }
    }

    /// Eight sources; see the form for two.
    @inlinable
    public static func zip<
        A: ObservableType, B: ObservableType, C: ObservableType, D: ObservableType, E: ObservableType,
        F: ObservableType, G: ObservableType, H: ObservableType
    >(
        _ a: A, _ b: B, _ c: C, _ d: D, _ e: E, _ f: F, _ g: G, _ h: H
    ) -> Observable<(A.Element, B.Element, C.Element, D.Element, E.Element, F.Element, G.Element, H.Element)> {
        Observable<(A.Element, B.Element, C.Element, D.Element, E.Element, F.Element, G.Element, H.Element)>.zipAny(
            a, b, c, d, e, f, g, h
        ) { ($0, $1, $2, $3, $4, $5, $6, $7) }
    }
}
