/// A stage that owns what is above it: it can stop it, and lets nothing through once it has ended or was disposed.
///
/// The grammar `next* (error | completed)?` is enforced here and nowhere else. A subclass starts its `next(_:)` with
/// `guard isOpen`, and answers to `failed`, `finished` and `closed`, each called at most once.
///
/// After an end was handed down the sink disposes itself, since a stage in between may have made the end: first what is
/// above, then `closed`. A sink further down that has ended comes first and disposes this one too, so things are released
/// from the top down, as when disposed from below.
open class Sink<Element: Sendable>: Stage<Element>, Cancelable, @unchecked Sendable {
    // Unchecked: see `Stage`.
    @usableFromInline let slot = DisposableSlot()

    public override init() { super.init() }

    /// Whether events still pass: false from the moment the terminal event arrives or the sink is disposed.
    @inlinable public final var isOpen: Bool { @inline(__always) get { slot.isOpen } }

    public final var isDisposed: Bool { slot.isDisposed }

    public final override func attach(_ upstream: DisposeBase) {
        precondition(slot.set(upstream), "a sink has one upstream")
    }

    public final override func error(_ error: any Error) {
        guard slot.end() else { return }
        failed(error)
        dispose()
    }

    public final override func completed() {
        guard slot.end() else { return }
        finished()
        dispose()
    }

    public final override func dispose() {
        guard let upstream = slot.close() else { return }
        upstream?.dispose()
        closed()
    }

    final override func settle() { if !slot.isEnding { dispose() } }

    /// The sequence above failed.
    open func failed(_ error: any Error) {}

    /// The sequence above completed.
    open func finished() {}

    /// It is over, by an end or by disposal, and what is above was disposed: release what else is held.
    open func closed() {}
}

/// A sink with a stage below it, which the ends are handed to: the base of `take` and its like.
open class Valve<Element: Sendable, Output: Sendable>: Sink<Element>, @unchecked Sendable {
    // Unchecked: see `Stage`.
    public final let downstream: Stage<Output>

    /// Once it is whole, attach it to `downstream`, then run the source into it.
    public init(_ downstream: Stage<Output>) {
        self.downstream = downstream
        super.init()
    }

    /// Ends here with an error of the operator's own, one that did not come from above.
    public final func abort(_ error: any Error) {
        guard slot.end() else { return }
        downstream.error(error)
        dispose()
    }

    open override func failed(_ error: any Error) { downstream.error(error) }
    open override func finished() { downstream.completed() }
}
