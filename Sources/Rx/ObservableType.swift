/// A sequence of events that can be subscribed to.
///
/// Implementable by clients: `subscribe(_:)` starts delivering `next* (error | completed)?` to the observer and returns
/// what stops it.
public protocol ObservableType<Element>: ObservableConvertibleType {
    func subscribe<Observer: ObserverType>(_ observer: Observer) -> any Disposable where Observer.Element == Element
}

extension ObservableType {
    /// The same sequence as an `Observable`.
    public func asObservable() -> Observable<Element> {
        AnonymousObservable { observer in self.subscribe(observer) }
    }
}
