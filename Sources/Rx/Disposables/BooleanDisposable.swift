internal import Synchronization

/// Remembers that it was disposed, for loops that look now and then.
public final class BooleanDisposable: DisposeBase, Cancelable, @unchecked Sendable {
    // Unchecked: its state is atomic.
    let flag: Atomic<Bool>

    public override convenience init() { self.init(isDisposed: false) }

    public init(isDisposed: Bool) {
        flag = Atomic(isDisposed)
        super.init()
    }

    public var isDisposed: Bool { flag.load(ordering: .acquiring) }
    public override func dispose() { flag.store(true, ordering: .releasing) }
}
