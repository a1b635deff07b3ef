public import Rx

extension SharedSequenceConvertibleType where SharingStrategy == SignalSharingStrategy {
    /// Passes the events to these observers. Disposing the result unsubscribes.
    public func emit<Observer: ObserverType>(to observers: Observer...) -> any Disposable
    where Observer.Element == Element {
        asObservable().subscribe(to: observers)
    }

    /// Passes the events to these observers of optional elements. Disposing the result unsubscribes.
    public func emit<Observer: ObserverType>(to observers: Observer...) -> any Disposable
    where Observer.Element == Element? {
        asObservable().subscribe(toOptional: observers)
    }

    /// Passes the elements to these relays. Disposing the result unsubscribes.
    public func emit(to relays: BehaviorRelay<Element>...) -> any Disposable {
        asObservable().subscribe(onNext: { element in for relay in relays { relay.accept(element) } })
    }

    /// Passes the elements to these relays of optional elements. Disposing the result unsubscribes.
    public func emit(to relays: BehaviorRelay<Element?>...) -> any Disposable {
        asObservable().subscribe(onNext: { element in for relay in relays { relay.accept(element) } })
    }

    /// Passes the elements to these relays. Disposing the result unsubscribes.
    public func emit(to relays: PublishRelay<Element>...) -> any Disposable {
        asObservable().subscribe(onNext: { element in for relay in relays { relay.accept(element) } })
    }

    /// Passes the elements to these relays of optional elements. Disposing the result unsubscribes.
    public func emit(to relays: PublishRelay<Element?>...) -> any Disposable {
        asObservable().subscribe(onNext: { element in for relay in relays { relay.accept(element) } })
    }

    /// Passes the elements to these relays. Disposing the result unsubscribes.
    public func emit(to relays: ReplayRelay<Element>...) -> any Disposable {
        asObservable().subscribe(onNext: { element in for relay in relays { relay.accept(element) } })
    }

    /// Passes the elements to these relays of optional elements. Disposing the result unsubscribes.
    public func emit(to relays: ReplayRelay<Element?>...) -> any Disposable {
        asObservable().subscribe(onNext: { element in for relay in relays { relay.accept(element) } })
    }

    /// Subscribes closures, which run on the main thread. Disposing the result unsubscribes.
    ///
    /// - Parameters:
    ///   - onNext: called with each element.
    ///   - onCompleted: called at the completion.
    ///   - onDisposed: called once, after the completion or when the subscription is disposed, on that thread.
    #if Migration
        @preconcurrency
    #endif
    public func emit(
        onNext: MainClosure<Element, Void>? = nil,
        onCompleted: MainClosure<Void>? = nil,
        onDisposed: (@Sendable () -> Void)? = nil
    ) -> any Disposable {
        asSharedSequence().subscribe(onNext: onNext, onCompleted: onCompleted, onDisposed: onDisposed)
    }

    /// Subscribes closures that get `object`, held weakly, and run on the main thread. Nothing is called once the
    /// object is deallocated. Disposing the result unsubscribes.
    ///
    /// - Parameters:
    ///   - object: passed to the closures; held weakly.
    ///   - onNext: called with each element.
    ///   - onCompleted: called at the completion.
    ///   - onDisposed: called once, after the completion or when the subscription is disposed, on that thread.
    #if Migration
        @preconcurrency
    #endif
    public func emit<Object: AnyObject & RxSendable>(
        with object: Object,
        onNext: MainClosure<Object, Element, Void>? = nil,
        onCompleted: MainClosure<Object, Void>? = nil,
        onDisposed: (@Sendable (Object) -> Void)? = nil
    ) -> any Disposable {
        asSharedSequence().subscribe(with: object, onNext: onNext, onCompleted: onCompleted, onDisposed: onDisposed)
    }

    /// Subscribes without a closure, for the side effects of the sequence. Disposing the result unsubscribes.
    public func emit() -> any Disposable { asObservable().subscribe() }
}
