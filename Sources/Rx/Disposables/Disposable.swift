/// A resource or activity that can be stopped. `dispose()` may be called from any thread and repeatedly; only the first
/// call has an effect.
public protocol Disposable: Sendable {
    /// Stops the activity or releases the resource. Thread-safe; later calls have no effect.
    func dispose()
}

/// A disposable that reports whether it has been disposed.
public protocol Cancelable: Disposable {
    /// Whether it has been disposed.
    var isDisposed: Bool { get }
}

extension Disposable {
    /// Adds this disposable to a bag, which disposes it.
    public func disposed(by bag: DisposeBag) {
        bag.insert(self)
    }
}

/// The base class of this library's disposables, so that one fits into a single atomic word.
open class DisposeBase: Disposable, @unchecked Sendable {
    // Unchecked: subclasses guard their mutable state.

    #if TRACE_RESOURCES
        /// Creates a disposable and counts it in `Resources`.
        public init() { Resources.incrementTotal() }
        deinit { Resources.decrementTotal() }
    #else
        /// Creates a disposable.
        public init() {}
    #endif

    /// Stops the activity. Does nothing in this class.
    open func dispose() {}

    /// Handles the end of the subscription below: disposes this, unless the end came from here and disposal is under
    /// way.
    func settle() { dispose() }

    /// The disposable that the subscriber holds instead of this one.
    var heldBySubscriber: DisposeBase { self }

    /// Returns `disposable` itself if it derives from this class, otherwise a wrapper.
    static func from(_ disposable: any Disposable) -> DisposeBase {
        (disposable as? DisposeBase) ?? DisposableBox(disposable)
    }
}

/// A wrapper of a client's disposable type.
final class DisposableBox: DisposeBase, @unchecked Sendable {
    // Unchecked: immutable.
    let disposable: any Disposable

    init(_ disposable: any Disposable) {
        self.disposable = disposable
    }

    override func dispose() { disposable.dispose() }
}
