// The forms with closures are disfavored, all of them, for the reason in ObservableType+Subscribe.

extension ObservableType {
    /// Passes all events to these observers. Disposing the result unsubscribes.
    public func bind<Observer: ObserverType>(to observers: Observer...) -> any Disposable
    where Observer.Element == Element {
        subscribe { event in for observer in observers { observer.on(event) } }
    }

    /// Passes all events to these observers of optional elements. Disposing the result unsubscribes.
    public func bind<Observer: ObserverType>(to observers: Observer...) -> any Disposable
    where Observer.Element == Element? {
        subscribe { event in
            let event = event.map { $0 as Element? }
            for observer in observers { observer.on(event) }
        }
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

    /// Calls `onNext` for each element. An error is a programming error and stops a debug build.
    #if Migration
        @preconcurrency
    #endif
    @_disfavoredOverload
    public func bind(onNext: @escaping @Sendable (Element) -> Void) -> any Disposable { bindElements(onNext) }

    /// Calls `onNext` with `object`, held weakly, and each element. An error is a programming error and stops a debug
    /// build.
    #if Migration
        @preconcurrency
    #endif
    @_disfavoredOverload
    public func bind<Object: AnyObject & RxSendable>(
        with object: Object, onNext: @escaping @Sendable (Object, Element) -> Void
    ) -> any Disposable {
        bindElements { [weak object] element in
            guard let object else { return }
            onNext(object, element)
        }
    }
}
