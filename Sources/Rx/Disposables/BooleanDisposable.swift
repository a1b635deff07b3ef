internal import Synchronization

/// Records its disposal, for loops that check it.
public final class BooleanDisposable: DisposeBase, Cancelable, @unchecked Sendable {
    // Unchecked: its state is atomic.
    let flag: Atomic<Bool>

    public override convenience init() { self.init(isDisposed: false) }

    /// Creates a disposable that may already be disposed.
    public init(isDisposed: Bool) {
        flag = Atomic(isDisposed)
        super.init()
    }

    /// Whether it has been disposed.
    public var isDisposed: Bool { flag.load(ordering: .acquiring) }
    public override func dispose() { flag.store(true, ordering: .releasing) }
}
