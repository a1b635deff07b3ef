internal import Synchronization

/// The lower end of a subscription to a trait, where `onDisposed` follows the event that ends the trait at once.
class TraitTerminal<Element: Sendable>: Terminal<Element>, @unchecked Sendable {
    // Unchecked: see `Stage`; `onDisposed` is immutable.
    private let onDisposed: (@Sendable () -> Void)?
    private let hasToldDisposal = Atomic(false)

    init(onDisposed: (@Sendable () -> Void)?) {
        self.onDisposed = onDisposed
        super.init()
    }

    final func tellDisposal() {
        guard let onDisposed, !hasToldDisposal.exchange(true, ordering: .acquiringAndReleasing) else { return }
        onDisposed()
    }

    final override func closed() {
        tellDisposal()
        super.closed()
    }
}

/// Lets the first of several callers pass, on whatever threads they come.
final class FirstOnly: Sendable {
    private let hasPassed = Atomic(false)

    init() {}

    func pass() -> Bool { !hasPassed.exchange(true, ordering: .acquiringAndReleasing) }
}
