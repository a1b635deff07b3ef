// The forms of `bind` that correspond to those of `ObservableType`. The sequence does not fail, so a bound relay or
// closure needs no rule for errors.

extension InfallibleType {
    /// Passes all events to these observers. Disposing the result unsubscribes.
    public func bind<Observer: ObserverType>(to observers: Observer...) -> any Disposable
    where Observer.Element == Element {
        asObservable().subscribe { event in for observer in observers { observer.on(event) } }
    }

    /// Passes all events to these observers of optional elements. Disposing the result unsubscribes.
    public func bind<Observer: ObserverType>(to observers: Observer...) -> any Disposable
    where Observer.Element == Element? {
        asObservable().subscribe { event in
            let event = event.map { $0 as Element? }
            for observer in observers { observer.on(event) }
        }
    }

    /// Passes the elements to these relays. Ignores completion.
    public func bind(to relays: PublishRelay<Element>...) -> any Disposable {
        bind(onNext: { element in for relay in relays { relay.accept(element) } })
    }

    /// Passes the elements to these relays of optional elements. Ignores completion.
    public func bind(to relays: PublishRelay<Element?>...) -> any Disposable {
        bind(onNext: { element in for relay in relays { relay.accept(element) } })
    }

    /// Passes the elements to these relays. Ignores completion.
    public func bind(to relays: BehaviorRelay<Element>...) -> any Disposable {
        bind(onNext: { element in for relay in relays { relay.accept(element) } })
    }

    /// Passes the elements to these relays of optional elements. Ignores completion.
    public func bind(to relays: BehaviorRelay<Element?>...) -> any Disposable {
        bind(onNext: { element in for relay in relays { relay.accept(element) } })
    }

    /// Passes the elements to these relays. Ignores completion.
    public func bind(to relays: ReplayRelay<Element>...) -> any Disposable {
        bind(onNext: { element in for relay in relays { relay.accept(element) } })
    }

    /// Passes the elements to these relays of optional elements. Ignores completion.
    public func bind(to relays: ReplayRelay<Element?>...) -> any Disposable {
        bind(onNext: { element in for relay in relays { relay.accept(element) } })
    }

    /// Returns `binder(self)`.
    @_disfavoredOverload
    public func bind<Result>(to binder: (Self) -> Result) -> Result { binder(self) }

    /// Returns `binder(self)(curriedArgument)`.
    @_disfavoredOverload
    public func bind<Argument, Result>(
        to binder: (Self) -> (Argument) -> Result, curriedArgument: Argument
    ) -> Result {
        binder(self)(curriedArgument)
    }

    /// Calls `onNext` for each element.
    #if Migration
        @preconcurrency
    #endif
    @_disfavoredOverload
    public func bind(onNext: @escaping @Sendable (Element) -> Void) -> any Disposable { subscribe(onNext: onNext) }

    /// Calls `onNext` with `object`, held weakly, and each element.
    #if Migration
        @preconcurrency
    #endif
    @_disfavoredOverload
    public func bind<Object: AnyObject & RxSendable>(
        with object: Object, onNext: @escaping @Sendable (Object, Element) -> Void
    ) -> any Disposable {
        subscribe(with: object, onNext: onNext)
    }
}
