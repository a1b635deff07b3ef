internal import Rx

/// How fast work may yield its elements.
///
/// Whoever asked for an execution and reads its stream may hold the work back while it catches up, for as long as the
/// server has patience; so `rxctl execute dump | slow-program` loses nothing. Other subscribers never hold anything.
/// Work that has no means to wait ignores it, and a reader that falls behind is told what it lost.
public final class Flow: Sendable {
    private struct State {
        var readers = 0
        var holds = 0
        var handler: (@Sendable (_ isHeld: Bool) -> Void)?
    }

    private let state = Locked(State())

    public init() {}

    /// Whether somebody reads who may hold the work back: elements should come in small portions then.
    public var isPaced: Bool { state.withLock { $0.readers > 0 } }

    /// Sets who is told when the work is to wait and when it may go on; told at once if it is to wait already.
    public func onChange(_ handler: @escaping @Sendable (_ isHeld: Bool) -> Void) {
        let isHeld = state.withLock { state in
            state.handler = handler
            return state.holds > 0
        }
        if isHeld { handler(true) }
    }

    /// The work is over: nobody is told any more.
    public func finish() {
        state.withLock { $0.handler = nil }
    }

    public func addReader() {
        state.withLock { $0.readers += 1 }
    }

    public func removeReader() {
        state.withLock { $0.readers -= 1 }
    }

    public func hold() {
        change { $0.holds += 1 }
    }

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
