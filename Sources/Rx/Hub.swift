/// A junction with a stage below it. Attach it there once it is whole.
@usableFromInline
class Hub<Output: Sendable>: Junction, @unchecked Sendable {
    // Unchecked: see `Junction`.
    final let downstream: Stage<Output>

    init(_ downstream: Stage<Output>) {
        self.downstream = downstream
    }

    /// Does `body` in a turn: at once, or, when one is under way, after it.
    final func turn(_ body: @escaping @Sendable (Hub<Output>) -> Void) {
        guard enter() else { return park(ClosureTurn { [self] in body(self) }) }
        body(self)
        leave()
    }

    /// In a turn.
    final func emit(_ element: Output) {
        if isOver || isDisposed { return }
        downstream.next(element)
    }

    /// In a turn.
    final func fail(_ error: any Error) {
        if isOver || isDisposed { return }
        isOver = true
        downstream.error(error)
        stopLegs()
    }

    /// In a turn.
    final func finish() {
        if isOver || isDisposed { return }
        isOver = true
        downstream.completed()
        stopLegs()
    }
}
