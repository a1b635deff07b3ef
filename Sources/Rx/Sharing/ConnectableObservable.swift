/// A sequence whose subscribers share one subscription to its source, which `connect()` starts.
#if Migration
    @preconcurrency
#endif
public protocol ConnectableObservableType<Element>: ObservableType {
    /// Subscribes to the source for all subscribers. While connected, every call returns the same connection. Disposing
    /// it stops the source for all, without an event.
    func connect() -> any Disposable
}

/// The class of the results of `publish`, `replay`, and `multicast`.
open class ConnectableObservable<Element: RxSendable>: Observable<Element>, ConnectableObservableType,
    @unchecked Sendable
{
    // Unchecked: see `Observable`.

    public override init() { super.init() }

    open func connect() -> any Disposable { preconditionFailure("a connectable observable overrides connect()") }

    /// The state that current subscribers share. For `refCount()`.
    func generation() -> any Generation<Element> { ForeignGeneration(self) }
}
