internal import Rx

/// What a `ReactorHost` stores, which declares it as a property: `let hosting = Hosting()`.
///
/// Releasing the host releases it: the subscriptions are disposed, and the reactor is released. It is thread-safe; a
/// host that several threads use must itself see to it that one assignment of `reactor` ends before the next.
public final class ReactorHosting<Reactor: RxReactor.Reactor>: Sendable {
    private let stored = Locked<Reactor?>(nil)
    private let bag = Locked(DisposeBag())

    /// Creates the storage of a host without a reactor.
    public init() {}

    var reactor: Reactor? {
        get { stored.withLock { $0 } }
        set { replace(stored, by: newValue) }
    }

    var disposeBag: DisposeBag {
        get { bag.withLock { $0 } }
        set { replace(bag, by: newValue) }
    }

    /// Releases the previous value without the lock, because that may run code.
    private func replace<Value>(_ place: Locked<Value>, by value: Value) {
        var previous = value
        place.withLock { swap(&$0, &previous) }
    }
}
