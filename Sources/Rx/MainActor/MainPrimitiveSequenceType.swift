/// A `MainPrimitiveSequence`, whose operators here return a plain trait.
///
/// They have the same `@MainActor` closures as those of `MainPrimitiveSequence`. The compiler selects them where a
/// plain trait is needed, such as before a `return`:
///
///     func load() -> Single<String> {
///         api.name().observe(on: MainScheduler.instance).do(onSuccess: { [weak self] in self?.title = $0 })
///     }
#if Migration
    @preconcurrency
#endif
public protocol MainPrimitiveSequenceType<Trait, Element>: PrimitiveSequenceType {
    /// The sequence, whose event arrives on the main thread.
    var mainSequence: MainPrimitiveSequence<Trait, Element> { get }
}

extension MainPrimitiveSequence: MainPrimitiveSequenceType {
    /// This sequence.
    public var mainSequence: MainPrimitiveSequence<Trait, Element> { self }
}
