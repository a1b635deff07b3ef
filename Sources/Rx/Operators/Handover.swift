/// A sink whose place another sequence may take at its end. Below, `both` is attached in its stead.
///
/// The other sequence is subscribed first, then the one that ended is released.
class Handover<Element: Sendable>: Valve<Element, Element>, @unchecked Sendable {
    // Unchecked: see `Stage`.
    private let successor = SingleAssignmentDisposable()

    final var both: DisposeBase { HandoverDisposal(self, successor) }

    /// Once, instead of handing down the end.
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
