extension ObservableType {
    /// Hands all events to these observers.
    public func bind<Observer: ObserverType>(to observers: Observer...) -> any Disposable
    where Observer.Element == Element {
        subscribe { event in for observer in observers { observer.on(event) } }
    }

    /// Hands all events to these observers of optional elements.
    public func bind<Observer: ObserverType>(to observers: Observer...) -> any Disposable
    where Observer.Element == Element? {
        subscribe { event in
            let event = event.map { $0 as Element? }
            for observer in observers { observer.on(event) }
        }
    }

    /// What `binder` makes of the sequence.
    public func bind<Result>(to binder: (Self) -> Result) -> Result { binder(self) }

    /// What `binder` makes of the sequence and `curriedArgument`, given one after the other.
    public func bind<Argument, Result>(
        to binder: (Self) -> (Argument) -> Result, curriedArgument: Argument
    ) -> Result {
        binder(self)(curriedArgument)
    }

    /// Hands the elements to `onNext`. An error is a programming error and stops a debug build.
    public func bind(onNext: @escaping @Sendable (Element) -> Void) -> any Disposable { bindElements(onNext) }

    /// Hands the elements to `onNext` with `object`, which is held weakly. An error is a programming error and stops a
    /// debug build.
    public func bind<Object: AnyObject & Sendable>(
        with object: Object, onNext: @escaping @Sendable (Object, Element) -> Void
    ) -> any Disposable {
        bindElements { [weak object] element in
            guard let object else { return }
            onNext(object, element)
        }
    }
}
