/// The trait of a `Single`.
public enum SingleTrait {}

/// A sequence that emits exactly one element or fails.
///
/// ```
/// success  --------(1|)
/// failure  --------#
/// ```
public typealias Single<Element: RxSendable> = PrimitiveSequence<SingleTrait, Element>

/// The event of a `Single`: its element or its error.
public typealias SingleEvent<Element> = Result<Element, any Error>

extension PrimitiveSequenceType where Trait == SingleTrait {
    /// Receives the event of a `Single`.
    public typealias SingleObserver = RxSendableClosure<SingleEvent<Element>, Void>

    /// A single whose closure runs for each subscriber and returns a disposable that stops its work.
    ///
    /// Only the first event that the closure sends, from any thread, counts; the others are dropped.
    ///
    /// ```
    /// create { $0(.success(1)); … }  (1|)
    /// ```
    #if Migration
        @preconcurrency
    #endif
    public static func create(
        subscribe: @escaping @Sendable (@escaping @Sendable (SingleEvent<Element>) -> Void) -> any Disposable
    ) -> Single<Element> {
        Single(
            raw: .create { observer in
                let only = FirstOnly()
                return subscribe { event in
                    guard only.pass() else { return }
                    switch event {
                    case .success(let element):
                        observer.onNext(element)
                        observer.onCompleted()
                    case .failure(let error):
                        observer.onError(error)
                    }
                }
            })
    }

    /// Subscribes a closure for the event. Disposing the result unsubscribes.
    #if Migration
        @preconcurrency
    #endif
    @_disfavoredOverload
    public func subscribe(_ observer: @escaping @Sendable (SingleEvent<Element>) -> Void) -> any Disposable {
        subscribe(onSuccess: { observer(.success($0)) }, onFailure: { observer(.failure($0)) })
    }

    /// Subscribes a closure for each kind of event. Disposing the result unsubscribes.
    ///
    /// - Parameters:
    ///   - onSuccess: called with the element.
    ///   - onFailure: if nil, an error goes to `Hooks.defaultErrorHandler`.
    ///   - onDisposed: called once, right after the event or when the subscription is disposed.
    #if Migration
        @preconcurrency
    #endif
    @_disfavoredOverload
    public func subscribe(
        onSuccess: (@Sendable (Element) -> Void)? = nil,
        onFailure: (@Sendable (any Error) -> Void)? = nil,
        onDisposed: (@Sendable () -> Void)? = nil
    ) -> any Disposable {
        // Not `??`, which is generic and would wrap the closure twice.
        let onFailure = if let onFailure { onFailure } else { Hooks.unhandledError() }
        let terminal = SingleTerminal(onSuccess: onSuccess, onFailure: onFailure, onDisposed: onDisposed)
        return primitiveSequence.source.subscribe(terminal)
    }

    /// Subscribes closures that get `object`, held weakly. Nothing is called once it is deallocated. Disposing the
    /// result unsubscribes.
    #if Migration
        @preconcurrency
    #endif
    @_disfavoredOverload
    public func subscribe<Object: AnyObject & RxSendable>(
        with object: Object,
        onSuccess: (@Sendable (Object, Element) -> Void)? = nil,
        onFailure: (@Sendable (Object, any Error) -> Void)? = nil,
        onDisposed: (@Sendable (Object) -> Void)? = nil
    ) -> any Disposable {
        var handler: (@Sendable (any Error) -> Void)?
        if let onFailure {
            handler = { [weak object] error in
                guard let object else { return }
                onFailure(object, error)
            }
        }
        return subscribe(
            onSuccess: { [weak object] element in
                guard let object else { return }
                onSuccess?(object, element)
            },
            onFailure: handler,
            onDisposed: { [weak object] in
                guard let object else { return }
                onDisposed?(object)
            }
        )
    }
}

extension PrimitiveSequenceType where Trait == SingleTrait {
    /// Emits the element at once.
    ///
    /// ```
    /// just(1)  (1|)
    /// ```
    @inlinable
    public static func just(_ element: Element) -> Single<Element> { Single(raw: .just(element)) }

    /// Fails at once.
    ///
    /// ```
    /// error(failure)  #
    /// ```
    @inlinable
    public static func error(_ error: any Error) -> Single<Element> { Single(raw: .error(error)) }

    /// Emits no event and never ends.
    ///
    /// ```
    /// never()  ----
    /// ```
    @inlinable
    public static func never() -> Single<Element> { Single(raw: .never()) }
}

private final class SingleTerminal<Element: RxSendable>: Terminal<Element>, @unchecked Sendable {
    // Unchecked: see `Stage`.
    private let onSuccess: (@Sendable (Element) -> Void)?
    private let onFailure: @Sendable (any Error) -> Void
    private var isSettled = false

    init(
        onSuccess: (@Sendable (Element) -> Void)?,
        onFailure: @escaping @Sendable (any Error) -> Void,
        onDisposed: (@Sendable () -> Void)?
    ) {
        self.onSuccess = onSuccess
        self.onFailure = onFailure
        super.init(TraitSubscription(onDisposed: onDisposed))
    }

    override func next(_ element: Element) {
        guard isOpen, !isSettled else { return }
        isSettled = true
        onSuccess?(element)
        subscription.callOnDisposed()
    }

    override func failed(_ error: any Error) {
        if isSettled { return }
        onFailure(error)
        subscription.callOnDisposed()
    }

    override func finished() { assert(isSettled, "a single does not end without an element") }
}
