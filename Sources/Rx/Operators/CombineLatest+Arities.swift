// The type checker takes seconds for a closure such as `{ $0 + $1 + $2 + $3 + $4 }`, and from six terms on gives up, when the
// types of its parameters come from a parameter pack; when each has a name of its own, it does not. So the numbers of
// sources that programs have get forms of their own, and the pack stays for more.

extension ObservableType {
    /// Two sources; see the form for any number of them.
    public static func combineLatest<A: ObservableType, B: ObservableType>(
        _ a: A, _ b: B,
        resultSelector: @escaping @Sendable (A.Element, B.Element) throws -> Element
    ) -> Observable<Element> {
        combineLatestAny(a, b, by: resultSelector)
    }

    /// Three sources; see the form for any number of them.
    public static func combineLatest<A: ObservableType, B: ObservableType, C: ObservableType>(
        _ a: A, _ b: B, _ c: C,
        resultSelector: @escaping @Sendable (A.Element, B.Element, C.Element) throws -> Element
    ) -> Observable<Element> {
        combineLatestAny(a, b, c, by: resultSelector)
    }

    /// Four sources; see the form for any number of them.
    public static func combineLatest<A: ObservableType, B: ObservableType, C: ObservableType, D: ObservableType>(
        _ a: A, _ b: B, _ c: C, _ d: D,
        resultSelector: @escaping @Sendable (A.Element, B.Element, C.Element, D.Element) throws -> Element
    ) -> Observable<Element> {
        combineLatestAny(a, b, c, d, by: resultSelector)
    }

    /// Five sources; see the form for any number of them.
    public static func combineLatest<
        A: ObservableType, B: ObservableType, C: ObservableType, D: ObservableType, E: ObservableType
    >(
        _ a: A, _ b: B, _ c: C, _ d: D, _ e: E,
        resultSelector: @escaping @Sendable (A.Element, B.Element, C.Element, D.Element, E.Element) throws -> Element
    ) -> Observable<Element> {
        combineLatestAny(a, b, c, d, e, by: resultSelector)
    }

    /// Six sources; see the form for any number of them.
    public static func combineLatest<
        A: ObservableType, B: ObservableType, C: ObservableType, D: ObservableType, E: ObservableType, F: ObservableType
    >(
        _ a: A, _ b: B, _ c: C, _ d: D, _ e: E, _ f: F,
        resultSelector:
            @escaping @Sendable (A.Element, B.Element, C.Element, D.Element, E.Element, F.Element) throws -> Element
    ) -> Observable<Element> {
        combineLatestAny(a, b, c, d, e, f, by: resultSelector)
    }

    /// Seven sources; see the form for any number of them.
    public static func combineLatest<
        A: ObservableType, B: ObservableType, C: ObservableType, D: ObservableType, E: ObservableType,
        F: ObservableType, G: ObservableType
    >(
        _ a: A, _ b: B, _ c: C, _ d: D, _ e: E, _ f: F, _ g: G,
        resultSelector:
            @escaping @Sendable (A.Element, B.Element, C.Element, D.Element, E.Element, F.Element, G.Element) throws ->
            Element
    ) -> Observable<Element> {
        combineLatestAny(a, b, c, d, e, f, g, by: resultSelector)
    }

    /// Eight sources; see the form for any number of them.
    public static func combineLatest<
        A: ObservableType, B: ObservableType, C: ObservableType, D: ObservableType, E: ObservableType,
        F: ObservableType, G: ObservableType, H: ObservableType
    >(
        _ a: A, _ b: B, _ c: C, _ d: D, _ e: E, _ f: F, _ g: G, _ h: H,
        resultSelector:
            @escaping @Sendable (A.Element, B.Element, C.Element, D.Element, E.Element, F.Element, G.Element, H.Element)
            throws -> Element
    ) -> Observable<Element> {
        combineLatestAny(a, b, c, d, e, f, g, h, by: resultSelector)
    }
}

extension ObservableType where Element == any Sendable {
    /// Two sources; see the form for any number of them.
    public static func combineLatest<A: ObservableType, B: ObservableType>(
        _ a: A, _ b: B
    ) -> Observable<(A.Element, B.Element)> {
        combineLatestAny(a, b) { ($0, $1) }
    }

    /// Three sources; see the form for any number of them.
    public static func combineLatest<A: ObservableType, B: ObservableType, C: ObservableType>(
        _ a: A, _ b: B, _ c: C
    ) -> Observable<(A.Element, B.Element, C.Element)> {
        combineLatestAny(a, b, c) { ($0, $1, $2) }
    }

    /// Four sources; see the form for any number of them.
    public static func combineLatest<A: ObservableType, B: ObservableType, C: ObservableType, D: ObservableType>(
        _ a: A, _ b: B, _ c: C, _ d: D
    ) -> Observable<(A.Element, B.Element, C.Element, D.Element)> {
        combineLatestAny(a, b, c, d) { ($0, $1, $2, $3) }
    }

    /// Five sources; see the form for any number of them.
    public static func combineLatest<
        A: ObservableType, B: ObservableType, C: ObservableType, D: ObservableType, E: ObservableType
    >(
        _ a: A, _ b: B, _ c: C, _ d: D, _ e: E
    ) -> Observable<(A.Element, B.Element, C.Element, D.Element, E.Element)> {
        combineLatestAny(a, b, c, d, e) { ($0, $1, $2, $3, $4) }
    }

    /// Six sources; see the form for any number of them.
    public static func combineLatest<
        A: ObservableType, B: ObservableType, C: ObservableType, D: ObservableType, E: ObservableType, F: ObservableType
    >(
        _ a: A, _ b: B, _ c: C, _ d: D, _ e: E, _ f: F
    ) -> Observable<(A.Element, B.Element, C.Element, D.Element, E.Element, F.Element)> {
        combineLatestAny(a, b, c, d, e, f) { ($0, $1, $2, $3, $4, $5) }
    }

    /// Seven sources; see the form for any number of them.
    public static func combineLatest<
        A: ObservableType, B: ObservableType, C: ObservableType, D: ObservableType, E: ObservableType,
        F: ObservableType, G: ObservableType
    >(
        _ a: A, _ b: B, _ c: C, _ d: D, _ e: E, _ f: F, _ g: G
    ) -> Observable<(A.Element, B.Element, C.Element, D.Element, E.Element, F.Element, G.Element)> {
        combineLatestAny(a, b, c, d, e, f, g) { ($0, $1, $2, $3, $4, $5, $6) }
    }

    /// Eight sources; see the form for any number of them.
    public static func combineLatest<
        A: ObservableType, B: ObservableType, C: ObservableType, D: ObservableType, E: ObservableType,
        F: ObservableType, G: ObservableType, H: ObservableType
    >(
        _ a: A, _ b: B, _ c: C, _ d: D, _ e: E, _ f: F, _ g: G, _ h: H
    ) -> Observable<(A.Element, B.Element, C.Element, D.Element, E.Element, F.Element, G.Element, H.Element)> {
        combineLatestAny(a, b, c, d, e, f, g, h) { ($0, $1, $2, $3, $4, $5, $6, $7) }
    }
}

/// Leads from the forms above to the one for any number of sources, which a call of them by its name is not.
private func combineLatestAny<Result: Sendable, each Source: ObservableType>(
    _ source: repeat each Source, by resultSelector: @escaping @Sendable (repeat (each Source).Element) throws -> Result
) -> Observable<Result> {
    .combineLatest(repeat each source, resultSelector: resultSelector)
}
