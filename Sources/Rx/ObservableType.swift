/// A sequence of events that can be subscribed to.
///
/// Clients may conform to it: `subscribe(_:)` starts sending `next* (completed | error)?` to the observer and returns a
/// disposable that stops it.
#if Migration
    @preconcurrency
#endif
public protocol ObservableType<Element>: ObservableConvertibleType {
    /// Starts sending events to `observer`. Disposing the result stops them.
    func subscribe<Observer: ObserverType>(_ observer: Observer) -> any Disposable where Observer.Element == Element
}

extension ObservableType {
    /// The same sequence as an `Observable`.
    public func asObservable() -> Observable<Element> {
        AnonymousObservable { observer in self.subscribe(observer) }
    }
}
