/// Disposes its disposable once it has been disposed itself and every `retain()` has been released.
public final class RefCountDisposable: DisposeBase, Cancelable, @unchecked Sendable {
    // Unchecked: `lock` guards the mutable state.
    private let lock = Lock()
    private var held: (any Disposable)?
    private var uses = 0
    private var isReleased = false

    /// Creates a reference-counted holder of `disposable`.
    public init(disposable: any Disposable) {
        held = disposable
        super.init()
    }

    /// Whether the held disposable has been disposed.
    public var isDisposed: Bool { lock.withLock { held == nil } }

    /// Whether `dispose()` was called, even if references remain.
    var isReleasedByOwner: Bool { lock.withLock { isReleased } }

    /// Adds a reference; disposing the result releases it. Has no effect after the held disposable is disposed.
    public func retain() -> any Disposable {
        let isHeld = lock.withLock {
            if held != nil { uses += 1 }
            return held != nil
        }
        return isHeld ? Use(self) : Disposables.create()
    }

    /// Releases the owner's reference. Only the first call counts.
    public override func dispose() {
        letGo { isReleased = true }
    }

    private func letGo(_ change: () -> Void) {
        let unused = lock.withLock { () -> (any Disposable)? in
            if held == nil { return nil }
            change()
            guard isReleased, uses == 0 else { return nil }
            defer { held = nil }
            return held
        }
        unused?.dispose()
    }

    private final class Use: DisposeBase, Cancelable, @unchecked Sendable {
        // Unchecked: its state is guarded by `lock`.
        private var used: RefCountDisposable?
        private let lock = Lock()

        init(_ used: RefCountDisposable) {
            self.used = used
        }

        var isDisposed: Bool { lock.withLock { used == nil } }

        override func dispose() {
            let used = lock.withLock {
                defer { self.used = nil }
                return self.used
            }
            used?.letGo { used?.uses -= 1 }
        }
    }
}
