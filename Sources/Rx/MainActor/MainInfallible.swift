/// An infallible sequence whose events arrive on the main thread: the result of
/// `observe(on: MainScheduler.instance)`.
///
/// The closures of its `subscribe`, `bind`, and `do`, and of the operators that return this type again, are
/// `@MainActor`; see `MainObservable`. All other operators return a plain `Infallible`.
public struct MainInfallible<Element: RxSendable>: InfallibleType, Sendable {
    @usableFromInline let main: MainObservable<Element>

    /// `main` must not fail.
    @usableFromInline
    init(_ main: MainObservable<Element>) {
        self.main = main
    }

    /// The same sequence as an observable.
    public func asObservable() -> Observable<Element> { main.source }

    /// The same sequence as a plain infallible.
    public func asInfallible() -> Infallible<Element> { Infallible(main.source) }
}

extension MainInfallible {
    /// Subscribes a closure for every event, called on the main thread. Disposing the result unsubscribes.
    public func subscribe(_ on: @escaping MainClosure<Event<Element>, Void>) -> any Disposable { main.subscribe(on) }

    /// Subscribes closures, called on the main thread, for each kind of event. Disposing the result unsubscribes.
    ///
    /// - Parameters:
    ///   - onNext: called with each element.
    ///   - onCompleted: called at the completion.
    ///   - onDisposed: called once, after the sequence ends or when the subscription is disposed, on that thread.
    #if Migration
        @preconcurrency
    #endif
    public func subscribe(
        onNext: MainClosure<Element, Void>? = nil,
        onCompleted: MainClosure<Void>? = nil,
        onDisposed: (@Sendable () -> Void)? = nil
    ) -> any Disposable {
        main.subscribe(onNext: onNext, onCompleted: onCompleted, onDisposed: onDisposed)
    }

    /// Subscribes closures that get `object`, held weakly, and run on the main thread. Nothing is called once the
    /// object is deallocated. Disposing the result unsubscribes.
    ///
    /// - Parameters:
    ///   - object: passed to the closures; held weakly.
    ///   - onNext: called with each element.
    ///   - onCompleted: called at the completion.
    ///   - onDisposed: called once, after the sequence ends or when the subscription is disposed, on that thread.
    #if Migration
        @preconcurrency
    #endif
    public func subscribe<Object: AnyObject & RxSendable>(
        with object: Object,
        onNext: MainClosure<Object, Element, Void>? = nil,
        onCompleted: MainClosure<Object, Void>? = nil,
        onDisposed: (@Sendable (Object) -> Void)? = nil
    ) -> any Disposable {
        main.subscribe(with: object, onNext: onNext, onCompleted: onCompleted, onDisposed: onDisposed)
    }

    /// Calls `onNext` on the main thread for each element.
    public func bind(onNext: @escaping MainClosure<Element, Void>) -> any Disposable { subscribe(onNext: onNext) }

    /// Calls `onNext` on the main thread with `object`, held weakly, and each element.
    public func bind<Object: AnyObject & RxSendable>(
        with object: Object, onNext: @escaping MainClosure<Object, Element, Void>
    ) -> any Disposable {
        subscribe(with: object, onNext: onNext)
    }
}
