/// The lower end of a subscription: the stage that holds the observer.
///
/// The chain of stages above holds the terminal, and the subscriber holds its `subscription`. Nothing leads from the
/// subscription to the terminal but the chain, so the observer is released with the chain.
class Terminal<Element: RxSendable>: Stage<Element>, @unchecked Sendable {
    // Unchecked: see `Stage`.
    final let subscription: SubscriptionDisposable

    init(_ subscription: SubscriptionDisposable) {
        self.subscription = subscription
        super.init()
    }

    /// Whether events still pass. A subclass starts its `next(_:)` with `guard isOpen`.
    final var isOpen: Bool { @inline(__always) get { subscription.isOpen } }

    final override var heldBySubscriber: DisposeBase { subscription }

    final override func attach(_ upstream: DisposeBase) { subscription.attach(upstream) }
    final override func detach() { subscription.detach() }

    final override func error(_ error: any Error) {
        guard subscription.end() else { return }
        failed(error)
        subscription.release()
    }

    final override func completed() {
        guard subscription.end() else { return }
        finished()
        subscription.release()
    }

    final override func dispose() { subscription.dispose() }

    /// The sequence failed. At most one of this and `finished()` is called, at most once.
    func failed(_ error: any Error) {}

    /// The sequence completed.
    func finished() {}
}

extension Observable {
    /// Runs the sequence into `terminal` and returns what the subscriber holds.
    final func subscribe(_ terminal: Terminal<Element>) -> any Disposable {
        subscribe(into: terminal)
        return terminal.subscription
    }
}
