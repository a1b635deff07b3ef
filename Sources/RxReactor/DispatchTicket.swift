internal import Rx

/// Tracks the work that a dispatch waits for. Changed only in turns of the reactor.
///
/// Independent of the state type, so that a dispatch without one costs no type lookup: see `ReactorCore`.
class DispatchTicket: @unchecked Sendable {
    // Unchecked: see above.

    /// The number of pending items: the dispatch's turn and the mutates it has started.
    private final var awaited = 1
    final let tag: DispatchTag?
    /// The first error.
    final private(set) var failure: (any Error)?

    init(_ tag: DispatchTag?) {
        self.tag = tag
    }

    final func enter() { awaited += 1 }

    /// Finishes one item. Returns whether it was the last.
    final func leave(_ error: (any Error)?) -> Bool {
        if failure == nil { failure = error }
        awaited -= 1
        return awaited == 0
    }
}

/// A ticket that reports the end of its dispatch to a closure.
final class ReportingTicket<State: RxSendable>: DispatchTicket, @unchecked Sendable {
    // Unchecked: see `DispatchTicket`.
    private var ended: (@Sendable (DispatchEnd<State>) -> Void)?

    required init(_ tag: DispatchTag?, _ ended: @escaping @Sendable (DispatchEnd<State>) -> Void) {
        self.ended = ended
        super.init(tag)
    }

    /// The reactor was released before the dispatch ended.
    deinit { if ended != nil { release() } }

    // A separate function because this path is rare: see `ReactorCore`.
    @inline(never)
    private func release() { ended?(.released) }

    func end(_ snapshot: ReactorSnapshot<State>) {
        let ended = ended
        self.ended = nil
        if let failure { ended?(.failed(failure, snapshot)) } else { ended?(.completed(snapshot)) }
    }
}
