/// A stage that owns the stages above: it can stop them, and passes nothing on after its end or disposal.
///
/// Only this class and `Terminal` enforce the grammar `next* (error | completed)?`. A subclass starts its `next(_:)`
/// with `guard isOpen` and overrides `failed`, `finished`, and `closed`, each of which is called at most once.
///
/// After an end is sent down, the sink disposes itself, because a stage in between may have caused the end: first the
/// stages above, then `closed`. A sink further down that has ended does this earlier and disposes this one too, so
/// release proceeds from the top down, as with disposal from below.
open class Sink<Element: RxSendable>: Stage<Element>, Cancelable, @unchecked Sendable {
    // Unchecked: see `Stage`.
    @usableFromInline let slot = DisposableSlot()

    public override init() { super.init() }

    /// Whether events still pass. False from the terminal event or the disposal on.
    @inlinable public final var isOpen: Bool { @inline(__always) get { slot.isOpen } }

    /// Whether it has been disposed.
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

    /// Handles an error of the sequence above.
    open func failed(_ error: any Error) {}

    /// Handles completion of the sequence above.
    open func finished() {}

    /// Releases other resources after an end or a disposal, when the stages above are already disposed.
    open func closed() {}
}

/// A sink that passes ends to a stage below: the base of `take` and similar operators.
open class Valve<Element: RxSendable, Output: RxSendable>: Sink<Element>, @unchecked Sendable {
    // Unchecked: see `Stage`.
    /// The next stage down.
    public final let downstream: Stage<Output>

    /// Creates a sink above `downstream`. Attach it to `downstream` once it is complete, then run the source into it.
    public init(_ downstream: Stage<Output>) {
        self.downstream = downstream
        super.init()
    }

    /// Ends the sequence with an error of this operator.
    public final func abort(_ error: any Error) {
        guard slot.end() else { return }
        downstream.error(error)
        dispose()
    }

    open override func failed(_ error: any Error) { downstream.error(error) }
    open override func finished() { downstream.completed() }
}
