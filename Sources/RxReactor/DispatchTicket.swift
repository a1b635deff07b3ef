/// What a dispatch waits for. Changed in turns of the reactor only.
///
/// Of no particular state, so that who has none asks for no types: see `ReactorCore`.
class DispatchTicket: @unchecked Sendable {
    // Unchecked: see above.

    /// Its turn, and the mutates it has begun.
    private final var awaited = 1
    final let tag: DispatchTag?
    /// The first there was.
    final private(set) var failure: (any Error)?

    init(_ tag: DispatchTag?) {
        self.tag = tag
    }

    final func enter() { awaited += 1 }

    /// Whether it was the last that it waited for.
    final func leave(_ error: (any Error)?) -> Bool {
        if failure == nil { failure = error }
        awaited -= 1
        return awaited == 0
    }
}

/// One of a state, which tells the end.
final class ToldTicket<State: Sendable>: DispatchTicket, @unchecked Sendable {
    // Unchecked: see `DispatchTicket`.
    private var ended: (@Sendable (DispatchEnd<State>) -> Void)?

    init(_ tag: DispatchTag?, _ ended: @escaping @Sendable (DispatchEnd<State>) -> Void) {
        self.ended = ended
        super.init(tag)
    }

    /// Dropped by a reactor that goes.
    deinit { if ended != nil { release() } }

    // Apart, since few come here: see `ReactorCore`.
    @inline(never)
    private func release() { ended?(.released) }

    func end(_ snapshot: ReactorSnapshot<State>) {
        let ended = ended
        self.ended = nil
        if let failure { ended?(.failed(failure, snapshot)) } else { ended?(.completed(snapshot)) }
    }
}
