internal import Rx

extension Confinement {
    /// The confinement of sequences that are created now.
    static var current: Confinement { SharingScheduler.isMocked ? .mock : .mainThread }

    /// The confinement of a sequence that is now made from sequences with these.
    static func of(_ sources: Confinement...) -> Confinement { of(sources) }

    static func of(_ sources: some Sequence<Confinement>) -> Confinement {
        sources.contains(.mock) ? .mock : current
    }
}

// For `combineLatest` and `zip`. One overload per number of arguments: closures do not take parameter packs.
extension Confinement {
    func confine<A, B, C, Result>(
        _ body: @escaping MainClosure<A, B, C, Result>
    ) -> @Sendable (A, B, C) -> Result {
        let unchecked = unsafeBitCast(body, to: (@Sendable (A, B, C) -> Result).self)
        if self == .mock { return unchecked }
        return { a, b, c in
            Confinement.check()
            return unchecked(a, b, c)
        }
    }

    func confine<A, B, C, D, Result>(
        _ body: @escaping MainClosure<A, B, C, D, Result>
    ) -> @Sendable (A, B, C, D) -> Result {
        let unchecked = unsafeBitCast(body, to: (@Sendable (A, B, C, D) -> Result).self)
        if self == .mock { return unchecked }
        return { a, b, c, d in
            Confinement.check()
            return unchecked(a, b, c, d)
        }
    }

    func confine<A, B, C, D, E, Result>(
        _ body: @escaping MainClosure<A, B, C, D, E, Result>
    ) -> @Sendable (A, B, C, D, E) -> Result {
        let unchecked = unsafeBitCast(body, to: (@Sendable (A, B, C, D, E) -> Result).self)
        if self == .mock { return unchecked }
        return { a, b, c, d, e in
            Confinement.check()
            return unchecked(a, b, c, d, e)
        }
    }

    func confine<A, B, C, D, E, F, Result>(
        _ body: @escaping MainClosure<A, B, C, D, E, F, Result>
    ) -> @Sendable (A, B, C, D, E, F) -> Result {
        let unchecked = unsafeBitCast(body, to: (@Sendable (A, B, C, D, E, F) -> Result).self)
        if self == .mock { return unchecked }
        return { a, b, c, d, e, f in
            Confinement.check()
            return unchecked(a, b, c, d, e, f)
        }
    }

    func confine<A, B, C, D, E, F, G, Result>(
        _ body: @escaping MainClosure<A, B, C, D, E, F, G, Result>
    ) -> @Sendable (A, B, C, D, E, F, G) -> Result {
        let unchecked = unsafeBitCast(body, to: (@Sendable (A, B, C, D, E, F, G) -> Result).self)
        if self == .mock { return unchecked }
        return { a, b, c, d, e, f, g in
            Confinement.check()
            return unchecked(a, b, c, d, e, f, g)
        }
    }

    func confine<A, B, C, D, E, F, G, H, Result>(
        _ body: @escaping MainClosure<A, B, C, D, E, F, G, H, Result>
    ) -> @Sendable (A, B, C, D, E, F, G, H) -> Result {
        let unchecked = unsafeBitCast(body, to: (@Sendable (A, B, C, D, E, F, G, H) -> Result).self)
        if self == .mock { return unchecked }
        return { a, b, c, d, e, f, g, h in
            Confinement.check()
            return unchecked(a, b, c, d, e, f, g, h)
        }
    }
}
