/// Something that can be stopped or released. `dispose()` may be called from any thread, any number of times; the first
/// call counts.
public protocol Disposable: Sendable {
    func dispose()
}

/// A disposable that can tell whether it was disposed.
public protocol Cancelable: Disposable {
    var isDisposed: Bool { get }
}

extension Disposable {
    /// Hands the duty to dispose to a bag.
    public func disposed(by bag: DisposeBag) {
        bag.insert(self)
    }
}

/// The class that disposables of this library derive from, so that one can be kept in a single atomic word.
open class DisposeBase: Disposable, @unchecked Sendable {
    // Unchecked: subclasses guard what changes.

    #if TRACE_RESOURCES
        public init() { Resources.incrementTotal() }
        deinit { Resources.decrementTotal() }
    #else
        public init() {}
    #endif

    open func dispose() {}

    /// The subscription below is over: dispose, unless its end came from here, where disposal is under way anyhow.
    func settle() { dispose() }

    /// The disposable that the subscriber holds for this one.
    var heldBySubscriber: DisposeBase { self }

    /// `disposable` itself when it derives from this class, else a wrapper of it.
    static func from(_ disposable: any Disposable) -> DisposeBase {
        (disposable as? DisposeBase) ?? DisposableBox(disposable)
    }
}

/// A client's own kind of disposable.
final class DisposableBox: DisposeBase, @unchecked Sendable {
    // Unchecked: immutable.
    let disposable: any Disposable

    init(_ disposable: any Disposable) {
        self.disposable = disposable
    }

    override func dispose() { disposable.dispose() }
}
