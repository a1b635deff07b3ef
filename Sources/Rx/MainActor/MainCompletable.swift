extension MainPrimitiveSequence where Trait == CompletableTrait, Element == Never {
    /// Subscribes a closure for the event, called on the main thread. Disposing the result unsubscribes.
    public func subscribe(_ observer: @escaping MainClosure<CompletableEvent, Void>) -> any Disposable {
        primitiveSequence.subscribe(Confinement.mainThread.confine(observer))
    }

    /// Subscribes closures, called on the main thread, for each kind of event. Disposing the result unsubscribes.
    ///
    /// - Parameters:
    ///   - onCompleted: called at the completion.
    ///   - onError: if nil, an error goes to `Hooks.defaultErrorHandler`.
    ///   - onDisposed: called once, right after the event or when the subscription is disposed, on that thread.
    #if Migration
        @preconcurrency
    #endif
    public func subscribe(
        onCompleted: MainClosure<Void>? = nil,
        onError: MainClosure<any Error, Void>? = nil,
        onDisposed: (@Sendable () -> Void)? = nil
    ) -> any Disposable {
        let main = Confinement.mainThread
        return primitiveSequence.subscribe(
            onCompleted: main.confine(onCompleted), onError: main.confine(onError), onDisposed: onDisposed)
    }

    /// Subscribes closures that get `object`, held weakly, and run on the main thread. Nothing is called once the
    /// object is deallocated. Disposing the result unsubscribes.
    ///
    /// - Parameters:
    ///   - object: passed to the closures; held weakly.
    ///   - onCompleted: called at the completion.
    ///   - onError: if nil, an error goes to `Hooks.defaultErrorHandler`.
    ///   - onDisposed: called once, right after the event or when the subscription is disposed, on that thread.
    #if Migration
        @preconcurrency
    #endif
    public func subscribe<Object: AnyObject & RxSendable>(
        with object: Object,
        onCompleted: MainClosure<Object, Void>? = nil,
        onError: MainClosure<Object, any Error, Void>? = nil,
        onDisposed: (@Sendable (Object) -> Void)? = nil
    ) -> any Disposable {
        let main = Confinement.mainThread
        return primitiveSequence.subscribe(
            with: object, onCompleted: main.confine(onCompleted), onError: main.confine(onError),
            onDisposed: onDisposed)
    }

    /// Calls closures, on the main thread, as the event passes. An error that they throw ends the sequence.
    ///
    /// ```
    /// source                --|
    /// do(onCompleted: log)  --|
    /// ```
    ///
    /// - Parameters:
    ///   - onError: called before an error is sent.
    ///   - afterError: called after an error is sent.
    ///   - onCompleted: called before the completion is sent.
    ///   - afterCompleted: called after the completion is sent.
    ///   - onSubscribe: called before the source is subscribed to, on any thread.
    ///   - onSubscribed: called after the source is subscribed to, on any thread.
    ///   - onDispose: called once, after the event is sent or when the subscription is disposed, on any thread.
    #if Migration
        @preconcurrency
    #endif
    public func `do`(
        onError: ThrowingMainClosure<any Error, Void>? = nil,
        afterError: ThrowingMainClosure<any Error, Void>? = nil,
        onCompleted: ThrowingMainClosure<Void>? = nil,
        afterCompleted: ThrowingMainClosure<Void>? = nil,
        onSubscribe: (@Sendable () -> Void)? = nil,
        onSubscribed: (@Sendable () -> Void)? = nil,
        onDispose: (@Sendable () -> Void)? = nil
    ) -> MainCompletable {
        let main = Confinement.mainThread
        return MainCompletable(
            primitiveSequence.do(
                onError: main.confine(throwing: onError), afterError: main.confine(throwing: afterError),
                onCompleted: main.confine(throwing: onCompleted),
                afterCompleted: main.confine(throwing: afterCompleted),
                onSubscribe: onSubscribe, onSubscribed: onSubscribed, onDispose: onDispose))
    }
}
