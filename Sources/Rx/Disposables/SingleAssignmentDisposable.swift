/// Holds a disposable that is set once, after creation. A second assignment is a programming error.
public final class SingleAssignmentDisposable: DisposeBase, Cancelable, @unchecked Sendable {
    // Unchecked: its state is atomic.
    let slot = DisposableSlot()

    public override init() { super.init() }

    /// Whether it has been disposed.
    public var isDisposed: Bool { slot.isDisposed }

    /// Holds `disposable`, or disposes it at once if this has been disposed.
    public func setDisposable(_ disposable: any Disposable) {
        precondition(slot.set(.from(disposable)), "a SingleAssignmentDisposable is assigned once")
    }

    public override func dispose() { slot.dispose() }
}
