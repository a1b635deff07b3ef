public import Rx

// Everything here must be called on the main thread, because a driver may send its latest element before `drive`
// returns.

extension SharedSequenceConvertibleType where SharingStrategy == DriverSharingStrategy {
    /// Passes the events to these observers. Call it on the main thread. Disposing the result unsubscribes.
    public func drive<Observer: ObserverType>(_ observers: Observer...) -> any Disposable
    where Observer.Element == Element {
        driven().source.subscribe(to: observers)
    }

    /// Passes the events to these observers of optional elements. Call it on the main thread. Disposing the result
    /// unsubscribes.
    public func drive<Observer: ObserverType>(_ observers: Observer...) -> any Disposable
    where Observer.Element == Element? {
        driven().source.subscribe(toOptional: observers)
    }

    /// Passes the elements to these relays. Call it on the main thread. Disposing the result unsubscribes.
    public func drive(_ relays: BehaviorRelay<Element>...) -> any Disposable {
        driven().source.subscribe(onNext: { element in for relay in relays { relay.accept(element) } })
    }

    /// Passes the elements to these relays of optional elements. Call it on the main thread. Disposing the result
    /// unsubscribes.
    public func drive(_ relays: BehaviorRelay<Element?>...) -> any Disposable {
        driven().source.subscribe(onNext: { element in for relay in relays { relay.accept(element) } })
    }

    /// Passes the elements to these relays. Call it on the main thread. Disposing the result unsubscribes.
    public func drive(_ relays: ReplayRelay<Element>...) -> any Disposable {
        driven().source.subscribe(onNext: { element in for relay in relays { relay.accept(element) } })
    }

    /// Passes the elements to these relays of optional elements. Call it on the main thread. Disposing the result
    /// unsubscribes.
    public func drive(_ relays: ReplayRelay<Element?>...) -> any Disposable {
        driven().source.subscribe(onNext: { element in for relay in relays { relay.accept(element) } })
    }

    /// Returns `transformation` of the sequence as an observable. Call it on the main thread.
    public func drive<Result>(_ transformation: (Observable<Element>) -> Result) -> Result {
        transformation(driven().source)
    }

    /// Returns `with(sequence)(curriedArgument)`. Call it on the main thread.
    ///
    /// - Parameters:
    ///   - with: takes the sequence as an observable and returns a function.
    ///   - curriedArgument: the argument of that function.
    public func drive<Argument, Result>(
        _ with: (Observable<Element>) -> (Argument) -> Result, curriedArgument: Argument
    ) -> Result {
        with(driven().source)(curriedArgument)
    }

    /// Subscribes closures, which run on the main thread. Call it on the main thread. Disposing the result
    /// unsubscribes.
    ///
    /// - Parameters:
    ///   - onNext: called with each element.
    ///   - onCompleted: called at the completion.
    ///   - onDisposed: called once, after the completion or when the subscription is disposed, on that thread.
    #if Migration
        @preconcurrency
    #endif
    public func drive(
        onNext: MainClosure<Element, Void>? = nil,
        onCompleted: MainClosure<Void>? = nil,
        onDisposed: (@Sendable () -> Void)? = nil
    ) -> any Disposable {
        driven().subscribe(onNext: onNext, onCompleted: onCompleted, onDisposed: onDisposed)
    }

    /// Subscribes closures that get `object`, held weakly, and run on the main thread. Nothing is called once the
    /// object is deallocated. Call it on the main thread. Disposing the result unsubscribes.
    ///
    /// - Parameters:
    ///   - object: passed to the closures; held weakly.
    ///   - onNext: called with each element.
    ///   - onCompleted: called at the completion.
    ///   - onDisposed: called once, after the completion or when the subscription is disposed, on that thread.
    #if Migration
        @preconcurrency
    #endif
    public func drive<Object: AnyObject & RxSendable>(
        with object: Object,
        onNext: MainClosure<Object, Element, Void>? = nil,
        onCompleted: MainClosure<Object, Void>? = nil,
        onDisposed: (@Sendable (Object) -> Void)? = nil
    ) -> any Disposable {
        driven().subscribe(with: object, onNext: onNext, onCompleted: onCompleted, onDisposed: onDisposed)
    }

    /// Subscribes without a closure, for the side effects of the sequence. Call it on the main thread. Disposing the
    /// result unsubscribes.
    public func drive() -> any Disposable { driven().source.subscribe() }

    /// The sequence, once the caller is known to be on the main thread.
    private func driven() -> Driver<Element> {
        let driver = asSharedSequence()
        if Confinement.of(driver.confinement) == .mainThread {
            MainScheduler.ensureRunningOnMainThread(
                errorMessage: """
                    `drive` was called outside the main thread, where a driver must not send its latest \
                    element; call it on the main thread
                    """)
        }
        return driver
    }
}
