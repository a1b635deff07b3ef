/// The trait of a `Maybe`.
public enum MaybeTrait {}

/// A sequence that emits one element, completes without one, or fails.
///
/// ```
/// success  --------(1|)
/// nothing  --------|
/// failure  --------#
/// ```
public typealias Maybe<Element: RxSendable> = PrimitiveSequence<MaybeTrait, Element>

/// The end of a `Maybe`.
@frozen
public enum MaybeEvent<Element: RxSendable>: Sendable {
    /// It emitted an element.
    case success(Element)
    /// It failed with this error.
    case error(any Error)
    /// It completed without an element.
    case completed
}

extension PrimitiveSequenceType where Trait == MaybeTrait {
    /// Receives the event of a `Maybe`.
    public typealias MaybeObserver = RxSendableClosure<MaybeEvent<Element>, Void>

    /// A maybe whose closure runs for each subscriber and returns a disposable that stops its work.
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
        subscribe: @escaping @Sendable (@escaping @Sendable (MaybeEvent<Element>) -> Void) -> any Disposable
    ) -> Maybe<Element> {
        Maybe(
            raw: .create { observer in
                let only = FirstOnly()
                return subscribe { event in
                    guard only.pass() else { return }
                    switch event {
                    case .success(let element):
                        observer.onNext(element)
                        observer.onCompleted()
                    case .error(let error):
                        observer.onError(error)
                    case .completed:
                        observer.onCompleted()
                    }
                }
            })
    }

    /// Subscribes a closure for the event. Disposing the result unsubscribes.
    #if Migration
        @preconcurrency
    #endif
    @_disfavoredOverload
    public func subscribe(_ observer: @escaping @Sendable (MaybeEvent<Element>) -> Void) -> any Disposable {
        subscribe(
            onSuccess: { observer(.success($0)) }, onError: { observer(.error($0)) },
            onCompleted: { observer(.completed) })
    }

    /// Subscribes a closure for each kind of event, one of which is called. Disposing the result unsubscribes.
    ///
    /// - Parameters:
    ///   - onSuccess: called with the element.
    ///   - onError: if nil, an error goes to `Hooks.defaultErrorHandler`.
    ///   - onCompleted: called at the completion.
    ///   - onDisposed: called once, right after the event or when the subscription is disposed.
    #if Migration
        @preconcurrency
    #endif
    @_disfavoredOverload
    public func subscribe(
        onSuccess: (@Sendable (Element) -> Void)? = nil,
        onError: (@Sendable (any Error) -> Void)? = nil,
        onCompleted: (@Sendable () -> Void)? = nil,
        onDisposed: (@Sendable () -> Void)? = nil
    ) -> any Disposable {
        // Not `??`, which is generic and would wrap the closure twice.
        let onError = if let onError { onError } else { Hooks.unhandledError() }
        let terminal = MaybeTerminal(
            onSuccess: onSuccess, onError: onError, onCompleted: onCompleted, onDisposed: onDisposed)
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
        onError: (@Sendable (Object, any Error) -> Void)? = nil,
        onCompleted: (@Sendable (Object) -> Void)? = nil,
        onDisposed: (@Sendable (Object) -> Void)? = nil
    ) -> any Disposable {
        var handler: (@Sendable (any Error) -> Void)?
        if let onError {
            handler = { [weak object] error in
                guard let object else { return }
                onError(object, error)
            }
        }
        return subscribe(
            onSuccess: { [weak object] element in
                guard let object else { return }
                onSuccess?(object, element)
            },
            onError: handler,
            onCompleted: { [weak object] in
                guard let object else { return }
                onCompleted?(object)
            },
            onDisposed: { [weak object] in
                guard let object else { return }
                onDisposed?(object)
            }
        )
    }
}

extension PrimitiveSequenceType where Trait == MaybeTrait {
    /// Emits the element at once.
    ///
    /// ```
    /// just(1)  (1|)
    /// ```
    @inlinable
    public static func just(_ element: Element) -> Maybe<Element> { Maybe(raw: .just(element)) }

    /// Fails at once.
    ///
    /// ```
    /// error(failure)  #
    /// ```
    @inlinable
    public static func error(_ error: any Error) -> Maybe<Element> { Maybe(raw: .error(error)) }

    /// Emits no event and never ends.
    ///
    /// ```
    /// never()  ----
    /// ```
    @inlinable
    public static func never() -> Maybe<Element> { Maybe(raw: .never()) }

    /// Completes at once without an element.
    ///
    /// ```
    /// empty()  |
    /// ```
    @inlinable
    public static func empty() -> Maybe<Element> { Maybe(raw: .empty()) }
}

private final class MaybeTerminal<Element: RxSendable>: Terminal<Element>, @unchecked Sendable {
    // Unchecked: see `Stage`.
    private let onSuccess: (@Sendable (Element) -> Void)?
    private let onError: @Sendable (any Error) -> Void
    private let onCompleted: (@Sendable () -> Void)?
    private var isSettled = false

    init(
        onSuccess: (@Sendable (Element) -> Void)?,
        onError: @escaping @Sendable (any Error) -> Void,
        onCompleted: (@Sendable () -> Void)?,
        onDisposed: (@Sendable () -> Void)?
    ) {
        self.onSuccess = onSuccess
        self.onError = onError
        self.onCompleted = onCompleted
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
        onError(error)
        subscription.callOnDisposed()
    }

    override func finished() {
        if isSettled { return }
        onCompleted?()
        subscription.callOnDisposed()
    }
}
