public import Rx

// Controls send on the main thread, so the closures of their subscribers are `@MainActor`. An element that arrives on
// another thread stops the process before such a closure runs.

/// A sequence of a control's events or values, which sends on the main thread.
///
/// `ControlEvent` and `ControlProperty` conform to it; their subscribers may use the state of the main actor.
#if Migration
    @preconcurrency
#endif
public protocol ControlSequenceType<Element>: ObservableType {}

extension ControlSequenceType {
    /// Subscribes a closure for every event, called on the main thread. Disposing the result unsubscribes.
    public func subscribe(_ on: @escaping MainClosure<Event<Element>, Void>) -> any Disposable {
        let on: @Sendable (Event<Element>) -> Void = Confinement.current.confine(on)
        return asObservable().subscribe(AnyObserver(eventHandler: on))
    }

    /// Subscribes closures, called on the main thread, for each kind of event. Disposing the result unsubscribes.
    ///
    /// - Parameters:
    ///   - onNext: called with each element.
    ///   - onError: a control does not fail. If nil, an error goes to `Hooks.defaultErrorHandler`.
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
        let confinement = Confinement.current
        return asObservable().subscribe(
            onNext: confinement.confine(onNext), onError: confinement.confine(onError),
            onCompleted: confinement.confine(onCompleted), onDisposed: onDisposed)
    }

    /// Subscribes closures that get `object`, held weakly, and run on the main thread. Nothing is called once the
    /// object is deallocated. Disposing the result unsubscribes.
    ///
    /// - Parameters:
    ///   - object: passed to the closures; held weakly.
    ///   - onNext: called with each element.
    ///   - onError: a control does not fail. If nil, an error goes to `Hooks.defaultErrorHandler`.
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
        let confinement = Confinement.current
        return asObservable().subscribe(
            with: object, onNext: confinement.confine(onNext), onError: confinement.confine(onError),
            onCompleted: confinement.confine(onCompleted), onDisposed: onDisposed)
    }

    /// Calls `onNext` on the main thread for each element. An error is a programming error and stops a debug build.
    public func bind(onNext: @escaping MainClosure<Element, Void>) -> any Disposable {
        let onNext: @Sendable (Element) -> Void = Confinement.current.confine(onNext)
        return asObservable().bind(onNext: onNext)
    }

    /// Calls `onNext` on the main thread with `object`, held weakly, and each element. An error is a programming error
    /// and stops a debug build.
    public func bind<Object: AnyObject & RxSendable>(
        with object: Object, onNext: @escaping MainClosure<Object, Element, Void>
    ) -> any Disposable {
        asObservable().bind(with: object, onNext: Confinement.current.confine(onNext))
    }
}
