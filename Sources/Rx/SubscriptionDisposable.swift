/// The result of `subscribe`: stops the source and reports whether the subscription is over.
///
/// It does not hold the observer. Only the chain of stages above holds the observer (see `Terminal`), and that chain is
/// released at the end of the sequence and by `dispose()`. A delivery in progress on another thread, or further up the
/// stack, keeps the chain until it returns. A subscriber may therefore keep this object for as long as it likes without
/// keeping what its closures hold.
///
/// When the subscription is over, it leaves its bag, so that a bag holds live subscriptions only.
class SubscriptionDisposable: DisposeBase, Cancelable, @unchecked Sendable {
    // Unchecked: the slots are atomic; only the call that closes `slot` touches `onDisposed`, or, in a trait, the first
    // that calls it (see `TraitSubscription`).
    private let slot = DisposableSlot()
    private let bag = BagSlot()
    @exclusivity(unchecked) private var onDisposed: (@Sendable () -> Void)?

    /// - Parameter onDisposed: called once, when the subscription is over, and released then.
    init(onDisposed: (@Sendable () -> Void)? = nil) {
        self.onDisposed = onDisposed
        super.init()
    }

    /// Whether events still pass: false from the moment the end arrives or the subscription is disposed.
    final var isOpen: Bool { @inline(__always) get { slot.isOpen } }

    final var isDisposed: Bool { slot.isDisposed }

    final override func keep(in bag: BagMembers) -> Bool { self.bag.set(bag) }

    final func attach(_ upstream: DisposeBase) {
        precondition(slot.set(upstream), "a subscription has one upstream")
    }

    /// Releases the upstream, which is over without an end. The subscription stays open until it is disposed.
    final func detach() { slot.clear() }

    /// Marks the end of the sequence; false when it had ended or was disposed before.
    final func end() -> Bool { slot.end() }

    /// The observer has received the end. `onDisposed` comes first, then what is above is released.
    final func release() {
        guard let upstream = slot.close() else { return }
        close()
        upstream?.settle()
    }

    final override func dispose() {
        guard let upstream = slot.close() else { return }
        upstream?.dispose()
        close()
    }

    private func close() {
        callOnDisposed()
        bag.close()?.leave(self)
    }

    func callOnDisposed() {
        let action = onDisposed
        onDisposed = nil
        action?()
    }
}
