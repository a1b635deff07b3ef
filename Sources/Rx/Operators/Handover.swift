/// A sink that another sequence can replace at its end. `both` is attached below instead of it.
///
/// Subscribes to the other sequence first, then releases the ended one.
class Handover<Element: RxSendable>: Valve<Element, Element>, @unchecked Sendable {
    // Unchecked: see `Stage`.
    private let successor = SingleAssignmentDisposable()

    final var both: DisposeBase { HandoverDisposal(self, successor) }

    /// Continues with `other`. Call it once, instead of sending the end down.
    final func handOver(to other: Observable<Element>) {
        let sink = Forward(downstream)
        successor.setDisposable(sink)
        if sink.isOpen { other.subscribe(into: sink) }
    }
}

private final class HandoverDisposal: DisposeBase, @unchecked Sendable {
    // Unchecked: immutable.
    private let first: DisposeBase
    private let second: DisposeBase

    init(_ first: DisposeBase, _ second: DisposeBase) {
        self.first = first
        self.second = second
    }

    override func dispose() {
        first.dispose()
        second.dispose()
    }
}
