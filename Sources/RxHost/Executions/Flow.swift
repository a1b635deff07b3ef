internal import Rx

/// Flow control of an execution's elements.
///
/// A requester that reads the stream of its execution may hold the work back while it catches up, up to a time limit of
/// the server; so `rxctl execute dump | slow-program` loses nothing. Other subscribers never hold the work. Work that
/// cannot wait ignores it, and a reader that falls behind receives the number of lost elements.
public final class Flow: Sendable {
    private struct State {
        var readers = 0
        var holds = 0
        var handler: (@Sendable (_ isHeld: Bool) -> Void)?
    }

    private let state = Locked(State())

    /// Without readers, nothing is held.
    public init() {}

    /// Whether there is a reader that may hold the work back: elements should come in small portions then.
    public var isPaced: Bool { state.withLock { $0.readers > 0 } }

    /// Sets the handler for the moments when the work has to wait and when it may go on. It is called before this
    /// returns if the work has to wait already.
    public func onChange(_ handler: @escaping @Sendable (_ isHeld: Bool) -> Void) {
        let isHeld = state.withLock { state in
            state.handler = handler
            return state.holds > 0
        }
        if isHeld { handler(true) }
    }

    /// The work is over: removes the handler.
    public func finish() {
        state.withLock { $0.handler = nil }
    }

    /// Adds a reader that may hold the work.
    public func addReader() {
        state.withLock { $0.readers += 1 }
    }

    /// Takes back one `addReader`.
    public func removeReader() {
        state.withLock { $0.readers -= 1 }
    }

    /// Makes the work wait until `release` was called as often as this.
    public func hold() {
        change { $0.holds += 1 }
    }

    /// Takes back one `hold`.
    public func release() {
        change { $0.holds -= 1 }
    }

    private func change(_ body: (inout State) -> Void) {
        let (handler, isHeld) = state.withLock { state -> ((@Sendable (Bool) -> Void)?, Bool) in
            let wasHeld = state.holds > 0
            body(&state)
            let isHeld = state.holds > 0
            return (wasHeld == isHeld ? nil : state.handler, isHeld)
        }
        handler?(isHeld)
    }
}
