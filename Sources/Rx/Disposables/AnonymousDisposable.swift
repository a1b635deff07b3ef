internal import Synchronization

/// Calls a closure once, when disposed.
final class AnonymousDisposable: DisposeBase, Cancelable, @unchecked Sendable {
    // Unchecked: `action` belongs to the single call that sets `disposed`, which is atomic.
    private let disposed = Atomic(false)
    @exclusivity(unchecked) private var action: (@Sendable () -> Void)?

    init(_ action: @escaping @Sendable () -> Void) {
        self.action = action
    }

    var isDisposed: Bool { disposed.load(ordering: .acquiring) }

    override func dispose() {
        if disposed.exchange(true, ordering: .acquiringAndReleasing) { return }
        action.take()?()
    }
}
