/// The threads on which the `@MainActor` closures of a sequence may run.
///
/// A closure is called without a hop, where the event arrives. The function types with and without `@MainActor` have
/// one representation, so dropping the isolation is a cast. It is safe on the main thread, which `check` ensures. Under
/// a mock, the test decides.
@usableFromInline
package enum Confinement: Sendable {
    case mainThread
    /// The sequence was created within `SharingScheduler.mock` of RxTraits, or from such a sequence.
    case mock

    /// Traps unless the caller is on the main thread.
    @usableFromInline
    package static func check() {
        if MainQueue.shared.isCurrent { return }
        fatalError(
            """
            an event reached a @MainActor closure outside the main thread; subscribe to drivers on the \
            main thread, send the events of controls there, and run the actions of a main scheduler there
            """)
    }
}

// One overload per number of arguments: closures do not take parameter packs. Throwing closures have their own, because
// generic errors would slow down the others.
extension Confinement {
    /// An optional closure: nil stays nil.
    package func confine<A>(_ body: MainClosure<A, Void>?) -> (@Sendable (A) -> Void)? {
        if let body { confine(body) as @Sendable (A) -> Void } else { nil }
    }

    /// An optional closure with two arguments: nil stays nil.
    package func confine<A, B>(_ body: MainClosure<A, B, Void>?) -> (@Sendable (A, B) -> Void)? {
        if let body { confine(body) as @Sendable (A, B) -> Void } else { nil }
    }

    package func confine(_ body: MainClosure<Void>?) -> (@Sendable () -> Void)? {
        guard let body else { return nil }
        let unchecked = unsafeBitCast(body, to: (@Sendable () -> Void).self)
        if self == .mock { return unchecked }
        return {
            Confinement.check()
            unchecked()
        }
    }

    /// For `scan(into:)`.
    package func confine<Result, A>(
        _ body: @escaping MainUpdate<Result, A>
    ) -> @Sendable (inout Result, A) -> Void {
        let unchecked = unsafeBitCast(body, to: (@Sendable (inout Result, A) -> Void).self)
        if self == .mock { return unchecked }
        return { result, a in
            Confinement.check()
            unchecked(&result, a)
        }
    }

    @inlinable
    package func confine<A, Result>(_ body: @escaping MainClosure<A, Result>) -> @Sendable (A) -> Result {
        let unchecked = unsafeBitCast(body, to: (@Sendable (A) -> Result).self)
        if self == .mock { return unchecked }
        return { a in
            Confinement.check()
            return unchecked(a)
        }
    }

    @inlinable
    package func confine<A, B, Result>(
        _ body: @escaping MainClosure<A, B, Result>
    ) -> @Sendable (A, B) -> Result {
        let unchecked = unsafeBitCast(body, to: (@Sendable (A, B) -> Result).self)
        if self == .mock { return unchecked }
        return { a, b in
            Confinement.check()
            return unchecked(a, b)
        }
    }
}

// The same for closures that throw.
extension Confinement {
    package func confine(throwing body: ThrowingMainClosure<Void>?) -> (@Sendable () throws -> Void)? {
        guard let body else { return nil }
        let unchecked = unsafeBitCast(body, to: (@Sendable () throws -> Void).self)
        if self == .mock { return unchecked }
        return {
            Confinement.check()
            try unchecked()
        }
    }

    package func confine<A>(throwing body: ThrowingMainClosure<A, Void>?) -> (@Sendable (A) throws -> Void)? {
        if let body { confine(throwing: body) as @Sendable (A) throws -> Void } else { nil }
    }

    @inlinable
    package func confine<A, Result>(
        throwing body: @escaping ThrowingMainClosure<A, Result>
    ) -> @Sendable (A) throws -> Result {
        let unchecked = unsafeBitCast(body, to: (@Sendable (A) throws -> Result).self)
        if self == .mock { return unchecked }
        return { a in
            Confinement.check()
            return try unchecked(a)
        }
    }

    @inlinable
    package func confine<A, B, Result>(
        throwing body: @escaping ThrowingMainClosure<A, B, Result>
    ) -> @Sendable (A, B) throws -> Result {
        let unchecked = unsafeBitCast(body, to: (@Sendable (A, B) throws -> Result).self)
        if self == .mock { return unchecked }
        return { a, b in
            Confinement.check()
            return try unchecked(a, b)
        }
    }

    /// For `scan(into:)`.
    @inlinable
    package func confine<Result, A>(
        throwing body: @escaping ThrowingMainUpdate<Result, A>
    ) -> @Sendable (inout Result, A) throws -> Void {
        let unchecked = unsafeBitCast(body, to: (@Sendable (inout Result, A) throws -> Void).self)
        if self == .mock { return unchecked }
        return { result, a in
            Confinement.check()
            try unchecked(&result, a)
        }
    }
}
