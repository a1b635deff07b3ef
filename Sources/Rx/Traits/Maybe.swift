/// The promise of a `Maybe`.
public enum MaybeTrait {}

/// One element, or an end without one, or an error.
///
/// ```
/// success --------1|
/// nothing --------|
/// failure --------x
/// ```
public typealias Maybe<Element: Sendable> = PrimitiveSequence<MaybeTrait, Element>

/// How a `Maybe` ends.
@frozen
public enum MaybeEvent<Element: Sendable>: Sendable {
    /// With an element.
    case success(Element)
    case error(any Error)
    /// Without an element.
    case completed
}

extension PrimitiveSequenceType where Trait == MaybeTrait {
    public typealias MaybeObserver = @Sendable (MaybeEvent<Element>) -> Void

    /// A maybe made by a closure, which is run anew for each subscriber and returns what stops its work.
    ///
    /// The first event the closure sends counts, from whatever thread; the others are dropped.
    public static func create(
        subscribe: @escaping @Sendable (@escaping MaybeObserver) -> any Disposable
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

    /// Subscribes a closure that receives the one event.
    public func subscribe(_ observer: @escaping @Sendable (MaybeEvent<Element>) -> Void) -> any Disposable {
        subscribe(
            onSuccess: { observer(.success($0)) }, onError: { observer(.error($0)) },
            onCompleted: { observer(.completed) })
    }

    /// Subscribes a closure for each kind of event; one of them is called.
    ///
    /// - Parameter onError: without it, an error goes to `Hooks.defaultErrorHandler`.
    /// - Parameter onDisposed: called once, right after the event or when the subscription is disposed.
    public func subscribe(
        onSuccess: (@Sendable (Element) -> Void)? = nil,
        onError: (@Sendable (any Error) -> Void)? = nil,
        onCompleted: (@Sendable () -> Void)? = nil,
        onDisposed: (@Sendable () -> Void)? = nil
    ) -> any Disposable {
        // Not `??`, which is generic and would wrap the closure in two others.
        let onError = if let onError { onError } else { Hooks.unhandledError() }
        let terminal = MaybeTerminal(
            onSuccess: onSuccess, onError: onError, onCompleted: onCompleted, onDisposed: onDisposed)
        return primitiveSequence.source.subscribe(terminal)
    }

    /// As `subscribe(onSuccess:onError:onCompleted:onDisposed:)`, for an object that is held weakly and handed to the closures.
    public func subscribe<Object: AnyObject & Sendable>(
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
    /// The element, at once.
    @inlinable
    public static func just(_ element: Element) -> Maybe<Element> { Maybe(raw: .just(element)) }

    /// The error, at once.
    @inlinable
    public static func error(_ error: any Error) -> Maybe<Element> { Maybe(raw: .error(error)) }

    /// No event, ever.
    @inlinable
    public static func never() -> Maybe<Element> { Maybe(raw: .never()) }

    /// The end without an element, at once.
    @inlinable
    public static func empty() -> Maybe<Element> { Maybe(raw: .empty()) }
}

private final class MaybeTerminal<Element: Sendable>: Terminal<Element>, @unchecked Sendable {
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
