internal import Synchronization

/// What `subscribe` of a trait returns. `onDisposed` follows the event that ends the trait at once, or comes when the
/// subscription is over, whichever is first.
final class TraitSubscription: SubscriptionDisposable, @unchecked Sendable {
    // Unchecked: see `SubscriptionDisposable`; the flag lets one call at `onDisposed`.
    private let hasCalled = Atomic(false)

    override func callOnDisposed() {
        if !hasCalled.exchange(true, ordering: .acquiringAndReleasing) { super.callOnDisposed() }
    }
}

/// Lets the first of several callers pass, on whatever threads they come.
final class FirstOnly: Sendable {
    private let hasPassed = Atomic(false)

    init() {}

    func pass() -> Bool { !hasPassed.exchange(true, ordering: .acquiringAndReleasing) }
}
