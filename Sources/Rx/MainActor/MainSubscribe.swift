extension MainObservable {
    /// Subscribes a closure for every event, called on the main thread. Disposing the result unsubscribes.
    public func subscribe(_ on: @escaping MainClosure<Event<Element>, Void>) -> any Disposable {
        source.subscribe(EventSink(confinement.confine(on)))
    }

    /// Subscribes closures, called on the main thread, for each kind of event. Disposing the result unsubscribes.
    ///
    /// - Parameters:
    ///   - onNext: called with each element.
    ///   - onError: if nil, an error goes to `Hooks.defaultErrorHandler`.
    ///   - onCompleted: called at the completion.
    ///   - onDisposed: called once, after the sequence ends or when the subscription is disposed, on that thread.
    #if Migration
        @preconcurrency
    #endif
    public func subscribe(
        onNext: MainClosure<Element, Void>? = nil,
        onError: MainClosure<any Error, Void>? = nil,
        onCompleted: MainClosure<Void>? = nil,
        onDisposed: (@Sendable () -> Void)? = nil
    ) -> any Disposable {
        let main = confinement
        return source.subscribe(
            onNext: main.confine(onNext), onError: main.confine(onError), onCompleted: main.confine(onCompleted),
            onDisposed: onDisposed)
    }

    /// Subscribes closures that get `object`, held weakly, and run on the main thread. Nothing is called once the
    /// object is deallocated. Disposing the result unsubscribes.
    ///
    /// - Parameters:
    ///   - object: passed to the closures; held weakly.
    ///   - onNext: called with each element.
    ///   - onError: if nil, an error goes to `Hooks.defaultErrorHandler`.
    ///   - onCompleted: called at the completion.
    ///   - onDisposed: called once, after the sequence ends or when the subscription is disposed, on that thread.
    #if Migration
        @preconcurrency
    #endif
    public func subscribe<Object: AnyObject & RxSendable>(
        with object: Object,
        onNext: MainClosure<Object, Element, Void>? = nil,
        onError: MainClosure<Object, any Error, Void>? = nil,
        onCompleted: MainClosure<Object, Void>? = nil,
        onDisposed: (@Sendable (Object) -> Void)? = nil
    ) -> any Disposable {
        let main = confinement
        return source.subscribe(
            with: object, onNext: main.confine(onNext), onError: main.confine(onError),
            onCompleted: main.confine(onCompleted), onDisposed: onDisposed)
    }

    /// Calls `onNext` on the main thread for each element. An error is a programming error and stops a debug build.
    public func bind(onNext: @escaping MainClosure<Element, Void>) -> any Disposable {
        source.bindElements(confinement.confine(onNext))
    }

    /// Calls `onNext` on the main thread with `object`, held weakly, and each element. An error is a programming error
    /// and stops a debug build.
    public func bind<Object: AnyObject & RxSendable>(
        with object: Object, onNext: @escaping MainClosure<Object, Element, Void>
    ) -> any Disposable {
        source.bind(with: object, onNext: confinement.confine(onNext))
    }
}
