/// A resource or activity that can be stopped. `dispose()` may be called from any thread and repeatedly; only the first
/// call has an effect.
#if Migration
    @preconcurrency
#endif
public protocol Disposable: RxSendable {
    /// Stops the activity or releases the resource. Thread-safe; later calls have no effect.
    func dispose()
}

/// A disposable that reports whether it has been disposed.
#if Migration
    @preconcurrency
#endif
public protocol Cancelable: Disposable {
    /// Whether it has been disposed.
    var isDisposed: Bool { get }
}

extension Disposable {
    /// Adds this disposable to a bag, which disposes it.
    public func disposed(by bag: DisposeBag) {
        bag.members.insert(.from(self))
    }
}

/// The base class of this library's disposables, so that one fits into a single atomic word.
open class DisposeBase: Disposable, @unchecked Sendable {
    // Unchecked: subclasses guard their mutable state.

    #if TRACE_RESOURCES
        /// Creates a disposable and counts it in `Resources`, unless it lives as long as the process.
        public init() { if !(self is NopDisposable) { Resources.incrementTotal() } }
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

    /// Stores the bag that is about to hold this, for a subscription, which leaves its bag when it ends. Returns false
    /// if it has already ended. Other disposables stay until the bag disposes them. Called with the bag's lock held.
    func keep(in bag: BagMembers) -> Bool { true }

    /// Returns `disposable` itself if it derives from this class, otherwise a wrapper.
    static func from<Wrapped: Disposable>(_ disposable: Wrapped) -> DisposeBase {
        // Not `disposable as? DisposeBase`, which takes several hundred instructions to consider bridging. Most are
        // closures, which need no search among the superclasses.
        guard Wrapped.self == AnonymousDisposable.self || Wrapped.self is DisposeBase.Type else {
            return DisposableBox(disposable)
        }
        return unsafeBitCast(disposable, to: Unmanaged<DisposeBase>.self).takeUnretainedValue()
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
