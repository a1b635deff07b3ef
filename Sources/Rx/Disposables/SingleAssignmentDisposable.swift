/// Holds a disposable that is known later than itself. A second assignment is a programming error.
public final class SingleAssignmentDisposable: DisposeBase, Cancelable, @unchecked Sendable {
    // Unchecked: its state is atomic.
    let slot = DisposableSlot()

    public override init() { super.init() }

    public var isDisposed: Bool { slot.isDisposed }

    /// Keeps `disposable`, or disposes it at once when this was disposed.
    public func setDisposable(_ disposable: any Disposable) {
        precondition(slot.set(.from(disposable)), "a SingleAssignmentDisposable is assigned once")
    }

    public override func dispose() { slot.dispose() }
}
