/// A sequence whose subscribers share one subscription to its source, which begins when someone connects.
public protocol ConnectableObservableType<Element>: ObservableType {
    /// Subscribes to the source on behalf of all. While that lasts, each call returns the same connection; disposing it
    /// stops the source for all, without an event.
    func connect() -> any Disposable
}

/// The class that `publish`, `replay` and `multicast` return.
open class ConnectableObservable<Element: Sendable>: Observable<Element>, ConnectableObservableType, @unchecked Sendable
{
    // Unchecked: see `Observable`.

    public override init() { super.init() }

    open func connect() -> any Disposable { preconditionFailure("a connectable observable overrides connect()") }

    /// What those who subscribe now share. For `refCount()`.
    func generation() -> any Generation<Element> { ForeignGeneration(self) }
}
