/// Holds several disposables and disposes them together.
public final class CompositeDisposable: DisposeBase, Cancelable, @unchecked Sendable {
    // Unchecked: `lock` guards the mutable state.

    /// Identifies an inserted disposable.
    public struct DisposeKey: Hashable, Sendable {
        fileprivate let number: UInt64
    }

    private let lock = Lock()
    private var members: [UInt64: any Disposable]? = [:]
    private var nextNumber: UInt64 = 0

    public override init() { super.init() }

    /// Creates a composite of two disposables.
    public convenience init(_ first: any Disposable, _ second: any Disposable) {
        self.init(disposables: [first, second])
    }

    /// Creates a composite of three disposables.
    public convenience init(_ first: any Disposable, _ second: any Disposable, _ third: any Disposable) {
        self.init(disposables: [first, second, third])
    }

    /// Creates a composite of four or more disposables.
    public convenience init(
        _ first: any Disposable, _ second: any Disposable, _ third: any Disposable, _ fourth: any Disposable,
        _ others: any Disposable...
    ) {
        self.init(disposables: [first, second, third, fourth] + others)
    }

    /// Creates a composite of `disposables`.
    public init(disposables: [any Disposable]) {
        super.init()
        for disposable in disposables { _ = insert(disposable) }
    }

    /// Whether it has been disposed.
    public var isDisposed: Bool { lock.withLock { members == nil } }

    /// The number of disposables it holds; 0 after `dispose()`.
    public var count: Int { lock.withLock { members?.count ?? 0 } }

    /// Adds `disposable`. If the composite is already disposed, disposes it at once and returns nil.
    @discardableResult
    public func insert(_ disposable: any Disposable) -> DisposeKey? {
        let key = lock.withLock { () -> DisposeKey? in
            guard members != nil else { return nil }
            nextNumber += 1
            members?[nextNumber] = disposable
            return DisposeKey(number: nextNumber)
        }
        if key == nil { disposable.dispose() }
        return key
    }

    /// Removes and disposes the disposable inserted under `key`.
    public func remove(for key: DisposeKey) {
        let removed = lock.withLock { members?.removeValue(forKey: key.number) }
        removed?.dispose()
    }

    public override func dispose() {
        let all = lock.withLock { () -> [UInt64: any Disposable]? in
            defer { members = nil }
            return members
        }
        guard let all else { return }
        for (_, disposable) in all.sorted(by: { $0.key < $1.key }) { disposable.dispose() }
    }
}
