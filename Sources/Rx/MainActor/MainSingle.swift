extension MainPrimitiveSequence where Trait == SingleTrait {
    /// Subscribes a closure for the event, called on the main thread. Disposing the result unsubscribes.
    public func subscribe(_ observer: @escaping MainClosure<SingleEvent<Element>, Void>) -> any Disposable {
        primitiveSequence.subscribe(Confinement.mainThread.confine(observer))
    }

    /// Subscribes closures, called on the main thread, for each kind of event. Disposing the result unsubscribes.
    ///
    /// - Parameters:
    ///   - onSuccess: called with the element.
    ///   - onFailure: if nil, an error goes to `Hooks.defaultErrorHandler`.
    ///   - onDisposed: called once, right after the event or when the subscription is disposed, on that thread.
    #if Migration
        @preconcurrency
    #endif
    public func subscribe(
        onSuccess: MainClosure<Element, Void>? = nil,
        onFailure: MainClosure<any Error, Void>? = nil,
        onDisposed: (@Sendable () -> Void)? = nil
    ) -> any Disposable {
        let main = Confinement.mainThread
        return primitiveSequence.subscribe(
            onSuccess: main.confine(onSuccess), onFailure: main.confine(onFailure), onDisposed: onDisposed)
    }

    /// Subscribes closures that get `object`, held weakly, and run on the main thread. Nothing is called once the
    /// object is deallocated. Disposing the result unsubscribes.
    ///
    /// - Parameters:
    ///   - object: passed to the closures; held weakly.
    ///   - onSuccess: called with the element.
    ///   - onFailure: if nil, an error goes to `Hooks.defaultErrorHandler`.
    ///   - onDisposed: called once, right after the event or when the subscription is disposed, on that thread.
    #if Migration
        @preconcurrency
    #endif
    public func subscribe<Object: AnyObject & RxSendable>(
        with object: Object,
        onSuccess: MainClosure<Object, Element, Void>? = nil,
        onFailure: MainClosure<Object, any Error, Void>? = nil,
        onDisposed: (@Sendable (Object) -> Void)? = nil
    ) -> any Disposable {
        let main = Confinement.mainThread
        return primitiveSequence.subscribe(
            with: object, onSuccess: main.confine(onSuccess), onFailure: main.confine(onFailure),
            onDisposed: onDisposed)
    }

    /// Calls closures, on the main thread, as the event passes. An error that they throw ends the sequence.
    ///
    /// ```
    /// source              --(1|)
    /// do(onSuccess: log)  --(1|)
    /// ```
    ///
    /// - Parameters:
    ///   - onSuccess: called before the element is sent.
    ///   - afterSuccess: called after the element is sent.
    ///   - onError: called before an error is sent.
    ///   - afterError: called after an error is sent.
    ///   - onSubscribe: called before the source is subscribed to, on any thread.
    ///   - onSubscribed: called after the source is subscribed to, on any thread.
    ///   - onDispose: called once, after the event is sent or when the subscription is disposed, on any thread.
    #if Migration
        @preconcurrency
    #endif
    public func `do`(
        onSuccess: ThrowingMainClosure<Element, Void>? = nil,
        afterSuccess: ThrowingMainClosure<Element, Void>? = nil,
        onError: ThrowingMainClosure<any Error, Void>? = nil,
        afterError: ThrowingMainClosure<any Error, Void>? = nil,
        onSubscribe: (@Sendable () -> Void)? = nil,
        onSubscribed: (@Sendable () -> Void)? = nil,
        onDispose: (@Sendable () -> Void)? = nil
    ) -> MainSingle<Element> {
        let main = Confinement.mainThread
        return MainSingle(
            primitiveSequence.do(
                onSuccess: main.confine(throwing: onSuccess), afterSuccess: main.confine(throwing: afterSuccess),
                onError: main.confine(throwing: onError), afterError: main.confine(throwing: afterError),
                onSubscribe: onSubscribe, onSubscribed: onSubscribed, onDispose: onDispose))
    }

    /// Emits the element if `predicate`, called on the main thread, holds for it, otherwise completes without one. An
    /// error that it throws ends the sequence.
    ///
    /// ```
    /// source             --(1|)
    /// filter { $0 > 1 }  --|
    /// ```
    @inlinable
    public func filter(_ predicate: @escaping ThrowingMainClosure<Element, Bool>) -> MainMaybe<Element> {
        MainMaybe(primitiveSequence.filter(Confinement.mainThread.confine(throwing: predicate)))
    }

    /// Transforms the element on the main thread. An error that `transform` throws ends the sequence.
    ///
    /// ```
    /// source           --(1|)
    /// map { $0 * 10 }  --(10|)
    /// ```
    @inlinable
    public func map<Result: RxSendable>(
        _ transform: @escaping ThrowingMainClosure<Element, Result>
    ) -> MainSingle<Result> {
        MainSingle(primitiveSequence.map(Confinement.mainThread.confine(throwing: transform)))
    }

    /// Emits the result of `transform`, called on the main thread, or completes without an element if it is nil. An
    /// error that it throws ends the sequence.
    ///
    /// ```
    /// source                  --(x|)
    /// compactMap { Int($0) }  --|
    /// ```
    @inlinable
    public func compactMap<Result: RxSendable>(
        _ transform: @escaping ThrowingMainClosure<Element, Result?>
    ) -> MainMaybe<Result> {
        MainMaybe(primitiveSequence.compactMap(Confinement.mainThread.confine(throwing: transform)))
    }
}
