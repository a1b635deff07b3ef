/// Calls a closure once, when disposed.
final class AnonymousDisposable: DisposeBase, Cancelable, @unchecked Sendable {
    // Unchecked: `action` is guarded by `lock`.
    private let lock = Lock()
    private var action: (@Sendable () -> Void)?

    init(_ action: @escaping @Sendable () -> Void) {
        self.action = action
    }

    var isDisposed: Bool { lock.withLock { action == nil } }

    override func dispose() {
        let action = lock.withLock { () -> (@Sendable () -> Void)? in
            defer { self.action = nil }
            return self.action
        }
        action?()
    }
}
