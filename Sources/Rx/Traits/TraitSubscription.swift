internal import Synchronization

/// The result of a trait's `subscribe`. Calls `onDisposed` right after the event that ends the trait, or at the end of
/// the subscription, whichever is first.
final class TraitSubscription: SubscriptionDisposable, @unchecked Sendable {
    // Unchecked: see `SubscriptionDisposable`; the flag permits one call of `onDisposed`.
    private let hasCalled = Atomic(false)

    override func callOnDisposed() {
        if !hasCalled.exchange(true, ordering: .acquiringAndReleasing) { super.callOnDisposed() }
    }
}

/// Admits only the first of several callers on any threads.
final class FirstOnly: Sendable {
    private let hasPassed = Atomic(false)

    init() {}

    func pass() -> Bool { !hasPassed.exchange(true, ordering: .acquiringAndReleasing) }
}
