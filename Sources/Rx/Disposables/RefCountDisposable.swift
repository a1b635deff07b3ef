/// Disposes what it holds once it was disposed itself and all that retained it have let go.
public final class RefCountDisposable: DisposeBase, Cancelable, @unchecked Sendable {
    // Unchecked: what changes is guarded by `lock`.
    private let lock = Lock()
    private var held: (any Disposable)?
    private var uses = 0
    private var isReleased = false

    public init(disposable: any Disposable) {
        held = disposable
        super.init()
    }

    /// Whether what it holds was disposed.
    public var isDisposed: Bool { lock.withLock { held == nil } }

    /// Whether `dispose()` was called, although there may be uses left.
    var isReleasedByOwner: Bool { lock.withLock { isReleased } }

    /// One use more; disposing the result ends it. Does nothing once what is held was disposed.
    public func retain() -> any Disposable {
        let isHeld = lock.withLock {
            if held != nil { uses += 1 }
            return held != nil
        }
        return isHeld ? Use(self) : Disposables.create()
    }

    /// Gives up the owner's hold; the first call counts.
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
