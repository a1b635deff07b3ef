/// A junction with a stage below. Attach it there once it is complete.
@usableFromInline
class Hub<Output: RxSendable>: Junction, @unchecked Sendable {
    // Unchecked: see `Junction`.
    final let downstream: Stage<Output>

    init(_ downstream: Stage<Output>) {
        self.downstream = downstream
    }

    /// Runs `body` in a turn: at once, or after the current turn.
    final func turn(_ body: @escaping @Sendable (Hub<Output>) -> Void) {
        guard enter() else { return park(ClosureTurn { [self] in body(self) }) }
        body(self)
        leave()
    }

    /// Emits an element. Called in a turn.
    final func emit(_ element: Output) {
        if isOver || isDisposed { return }
        downstream.next(element)
    }

    /// Fails the sequence. Called in a turn.
    final func fail(_ error: any Error) {
        if isOver || isDisposed { return }
        isOver = true
        downstream.error(error)
        stopLegs()
    }

    /// Completes the sequence. Called in a turn.
    final func finish() {
        if isOver || isDisposed { return }
        isOver = true
        downstream.completed()
        stopLegs()
    }
}
