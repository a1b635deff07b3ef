extension ObservableType {
    /// Subscribes a closure that receives every event.
    public func subscribe(_ on: @escaping @Sendable (Event<Element>) -> Void) -> any Disposable {
        let sink = EventSink(on)
        asObservable().subscribe(into: sink)
        return sink
    }

    /// Subscribes a closure for each kind of event.
    ///
    /// - Parameter onError: without it, an error goes to `Hooks.defaultErrorHandler`.
    /// - Parameter onDisposed: called once, after the sequence ended or when the subscription is disposed.
    public func subscribe(
        onNext: (@Sendable (Element) -> Void)? = nil,
        onError: (@Sendable (any Error) -> Void)? = nil,
        onCompleted: (@Sendable () -> Void)? = nil,
        onDisposed: (@Sendable () -> Void)? = nil
    ) -> any Disposable {
        let sink = AnonymousObserver(
            onNext: onNext, onError: onError ?? Hooks.unhandledError(), onCompleted: onCompleted, onDisposed: onDisposed
        )
        asObservable().subscribe(into: sink)
        return sink
    }

    /// As `subscribe(onNext:onError:onCompleted:onDisposed:)`, for an object that is held weakly and handed to the closures.
    public func subscribe<Object: AnyObject & Sendable>(
        with object: Object,
        onNext: (@Sendable (Object, Element) -> Void)? = nil,
        onError: (@Sendable (Object, any Error) -> Void)? = nil,
        onCompleted: (@Sendable (Object) -> Void)? = nil,
        onDisposed: (@Sendable (Object) -> Void)? = nil
    ) -> any Disposable {
        var handler: (@Sendable (any Error) -> Void)?
        if let onError {
            handler = { [weak object] error in
                guard let object else { return }
                onError(object, error)
            }
        }
        return subscribe(
            onNext: { [weak object] element in
                guard let object else { return }
                onNext?(object, element)
            },
            onError: handler,
            onCompleted: { [weak object] in
                guard let object else { return }
                onCompleted?(object)
            },
            onDisposed: { [weak object] in
                guard let object else { return }
                onDisposed?(object)
            }
        )
    }
}
