internal import Synchronization

/// Calls a function once, when a number of things have happened.
package final class Countdown: Sendable {
    private let left: Atomic<Int>
    private let body: @Sendable () -> Void

    package init(_ count: Int, _ body: @escaping @Sendable () -> Void) {
        left = Atomic(count)
        self.body = body
    }

    /// One of them has happened.
    package func count() {
        if left.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 { body() }
    }
}
