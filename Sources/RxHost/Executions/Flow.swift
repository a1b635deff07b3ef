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
        /// What the handler was last called with.
        var reported = false
        /// Whether a thread calls the handler at present: it goes on until the handler has the newest value.
        var isCalling = false
    }

    private let state = Locked(State())

    /// Without readers, nothing is held.
    public init() {}

    /// Whether there is a reader that may hold the work back: elements should come in small portions then.
    public var isPaced: Bool { state.withLock { $0.readers > 0 } }

    /// Sets the handler for the moments when the work has to wait and when it may go on: one call at a time, in order,
    /// on the thread of one of those who hold and release. It is called before this returns if the work has to wait
    /// already.
    public func onChange(_ handler: @escaping @Sendable (_ isHeld: Bool) -> Void) {
        change { state in
            state.handler = handler
            state.reported = false
        }
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

    // Two threads that hold and release must not pass each other on the way to the handler: work that misses the last
    // hold would never wait again, and work that misses the last release would never go on.
    private func change(_ body: (inout State) -> Void) {
        let mustCall = state.withLock { state in
            body(&state)
            guard !state.isCalling, state.handler != nil, state.reported != (state.holds > 0) else { return false }
            state.isCalling = true
            return true
        }
        if mustCall { report() }
    }

    /// Calls the handler until it has the newest value.
    private func report() {
        while let (handler, isHeld) = nextReport() { handler(isHeld) }
    }

    private func nextReport() -> (handler: @Sendable (Bool) -> Void, isHeld: Bool)? {
        state.withLock { state in
            let isHeld = state.holds > 0
            guard let handler = state.handler, state.reported != isHeld else {
                state.isCalling = false
                return nil
            }
            state.reported = isHeld
            return (handler, isHeld)
        }
    }
}
