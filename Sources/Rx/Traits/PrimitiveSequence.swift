/// An observable sequence with a promise about its events: a `Single`, a `Maybe` or a `Completable`.
///
/// Not an `ObservableType`: it offers the operators that keep the promise; `asObservable()` leads to the others.
public struct PrimitiveSequence<Trait, Element: Sendable>: Sendable {
    @usableFromInline let source: Observable<Element>

    /// `source` keeps the promise.
    @usableFromInline
    init(raw source: Observable<Element>) {
        self.source = source
    }
}

/// What the traits have in common; extensions are written on it.
public protocol PrimitiveSequenceType<Trait, Element>: Sendable {
    /// Says what is promised: `SingleTrait`, `MaybeTrait`, `CompletableTrait`.
    associatedtype Trait
    associatedtype Element: Sendable

    var primitiveSequence: PrimitiveSequence<Trait, Element> { get }
}

extension PrimitiveSequence: PrimitiveSequenceType {
    @inlinable public var primitiveSequence: PrimitiveSequence<Trait, Element> { self }
}

extension PrimitiveSequence: ObservableConvertibleType {
    /// The same sequence without the promise.
    @inlinable public func asObservable() -> Observable<Element> { source }
}
