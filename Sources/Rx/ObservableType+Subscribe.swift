// The forms with closures are disfavored: a sequence whose events arrive on the main thread has the same forms with
// `@MainActor` closures, and the compiler would otherwise prefer these, which cannot use the state of the main actor.

extension ObservableType {
    /// Subscribes a closure for every event. Disposing the result unsubscribes.
    #if Migration
        @preconcurrency
    #endif
    @_disfavoredOverload
    public func subscribe(_ on: @escaping @Sendable (Event<Element>) -> Void) -> any Disposable {
        asObservable().subscribe(EventSink(on))
    }

    /// Subscribes a closure for each kind of event. Disposing the result unsubscribes.
    ///
    /// - Parameters:
    ///   - onNext: called with each element.
    ///   - onError: if nil, an error goes to `Hooks.defaultErrorHandler`.
    ///   - onCompleted: called at the completion.
    ///   - onDisposed: called once, after the sequence ends or when the subscription is disposed.
    #if Migration
        @preconcurrency
    #endif
    @_disfavoredOverload
    public func subscribe(
        onNext: (@Sendable (Element) -> Void)? = nil,
        onError: (@Sendable (any Error) -> Void)? = nil,
        onCompleted: (@Sendable () -> Void)? = nil,
        onDisposed: (@Sendable () -> Void)? = nil
    ) -> any Disposable {
        let subscription = SubscriptionDisposable(onDisposed: onDisposed)
        // Not `??`, which is generic and would wrap the closure twice.
        let onError = if let onError { onError } else { Hooks.unhandledError() }
        let observer =
            if let onNext {
                AnonymousObserver(subscription, onNext: onNext, onError: onError, onCompleted: onCompleted)
            } else {
                EndObserver<Element>(subscription, onError: onError, onCompleted: onCompleted)
            }
        return asObservable().subscribe(observer)
    }

    /// Subscribes closures that get `object`, held weakly. Nothing is called once it is deallocated. Disposing the
    /// result unsubscribes.
    ///
    /// - Parameters:
    ///   - object: passed to the closures; held weakly.
    ///   - onNext: called with each element.
    ///   - onError: if nil, an error goes to `Hooks.defaultErrorHandler`.
    ///   - onCompleted: called at the completion.
    ///   - onDisposed: called once, after the sequence ends or when the subscription is disposed.
    #if Migration
        @preconcurrency
    #endif
    @_disfavoredOverload
    public func subscribe<Object: AnyObject & RxSendable>(
        with object: Object,
        onNext: (@Sendable (Object, Element) -> Void)? = nil,
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
            onNext: { [weak object] element in
                guard let object else { return }
                onNext?(object, element)
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
