internal import Rx

/// What a dispatch waits for. Changed in turns of the reactor only.
final class DispatchTicket<State: Sendable>: @unchecked Sendable {
    // Unchecked: see above.

    /// Its turn, and the mutates it has begun.
    private var awaited = 1
    private var failure: (any Error)?
    let tag: DispatchTag?
    private var ended: (@Sendable (DispatchEnd<State>) -> Void)?

    init(_ tag: DispatchTag?, _ ended: @escaping @Sendable (DispatchEnd<State>) -> Void) {
        self.tag = tag
        self.ended = ended
    }

    /// Dropped by a reactor that goes.
    deinit { ended?(.released) }

    func enter() { awaited += 1 }

    func leave(_ error: (any Error)?, _ snapshot: @autoclosure () -> ReactorSnapshot<State>?) {
        if failure == nil { failure = error }
        awaited -= 1
        guard awaited == 0, let ended, let snapshot = snapshot() else { return }
        self.ended = nil
        if let failure { ended(.failed(failure, snapshot)) } else { ended(.completed(snapshot)) }
    }
}
