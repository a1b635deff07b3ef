/// Holds one disposable at a time. Setting another one disposes the previous.
public final class SerialDisposable: DisposeBase, Cancelable, @unchecked Sendable {
    // Unchecked: `state` is guarded by `lock`.
    private enum State {
        case live((any Disposable)?)
        case disposed
    }

    private let lock = Lock()
    private var state = State.live(nil)

    public override init() { super.init() }

    /// Whether it has been disposed.
    public var isDisposed: Bool {
        lock.withLock {
            switch state {
            case .live: false
            case .disposed: true
            }
        }
    }

    /// The held disposable. One that is set after `dispose()` is disposed at once; reading then returns a disposable
    /// without effect.
    public var disposable: any Disposable {
        get {
            lock.withLock {
                switch state {
                case .live(let current): current ?? NopDisposable.instance
                case .disposed: NopDisposable.instance
                }
            }
        }
        set {
            let unwanted = lock.withLock { () -> (any Disposable)? in
                switch state {
                case .live(let previous):
                    state = .live(newValue)
                    return previous
                case .disposed:
                    return newValue
                }
            }
            unwanted?.dispose()
        }
    }

    public override func dispose() {
        let held = lock.withLock { () -> (any Disposable)? in
            switch state {
            case .live(let current):
                state = .disposed
                return current
            case .disposed:
                return nil
            }
        }
        held?.dispose()
    }
}
