/// A `Single`, a `Maybe`, or a `Completable` whose event arrives on the main thread: the result of
/// `observe(on: MainScheduler.instance)`.
///
/// The closures of its `subscribe` and `do`, and of `map`, `filter`, and `compactMap`, which return this type again,
/// are `@MainActor`; see `MainObservable`. All other operators return a plain trait, as does `primitiveSequence`.
public struct MainPrimitiveSequence<Trait, Element: RxSendable>: PrimitiveSequenceType, ObservableConvertibleType,
    Sendable
{
    /// The same sequence as a plain trait.
    public let primitiveSequence: PrimitiveSequence<Trait, Element>

    /// `sequence` must deliver its event on the main thread.
    @usableFromInline
    init(_ sequence: PrimitiveSequence<Trait, Element>) {
        primitiveSequence = sequence
    }

    /// The same sequence as an observable.
    public func asObservable() -> Observable<Element> { primitiveSequence.source }
}

/// A single whose event arrives on the main thread.
public typealias MainSingle<Element: RxSendable> = MainPrimitiveSequence<SingleTrait, Element>
/// A maybe whose event arrives on the main thread.
public typealias MainMaybe<Element: RxSendable> = MainPrimitiveSequence<MaybeTrait, Element>
/// A completable whose event arrives on the main thread.
public typealias MainCompletable = MainPrimitiveSequence<CompletableTrait, Never>
