/// An observable sequence with a restricted grammar: a `Single`, a `Maybe`, or a `Completable`.
///
/// It is not an `ObservableType` and offers only operators that preserve the grammar; `asObservable()` provides the
/// others.
public struct PrimitiveSequence<Trait, Element: RxSendable>: Sendable {
    @usableFromInline let source: Observable<Element>

    /// `source` must follow the grammar of the trait.
    @usableFromInline
    init(raw source: Observable<Element>) {
        self.source = source
    }
}

/// The common protocol of the traits, for extensions.
#if Migration
    @preconcurrency
#endif
public protocol PrimitiveSequenceType<Trait, Element>: RxSendable {
    /// The grammar: `SingleTrait`, `MaybeTrait`, or `CompletableTrait`.
    associatedtype Trait
    /// The element of the sequence.
    associatedtype Element: RxSendable

    /// The sequence itself.
    var primitiveSequence: PrimitiveSequence<Trait, Element> { get }
}

extension PrimitiveSequence: PrimitiveSequenceType {
    /// This sequence.
    @inlinable public var primitiveSequence: PrimitiveSequence<Trait, Element> { self }
}

extension PrimitiveSequence: ObservableConvertibleType {
    /// The sequence as an observable.
    @inlinable public func asObservable() -> Observable<Element> { source }
}
