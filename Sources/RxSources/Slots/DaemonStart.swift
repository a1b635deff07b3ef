internal import Rx
public import RxTime

/// The start of a daemon, for the sources `start = true`: those that exist by then emit once it is ready.
public final class DaemonStart: Sendable {
    private struct State {
        var isReady = false
        var waiting: [@Sendable (Instant) -> Void] = []
    }

    private let state = Locked(State())
    /// When the daemon before this one stopped; nil if that is not known.
    public let stopped: Instant?

    /// A start that is under way.
    public init(stopped: Instant?) { self.stopped = stopped }

    /// The daemon is ready. Later calls do nothing.
    public func ready(at now: Instant) {
        let waiting = state.withLock { state in
            defer {
                state.isReady = true
                state.waiting = []
            }
            return state.waiting
        }
        for body in waiting { body(now) }
    }

    /// Calls `body` when the daemon is ready; never if it is already, as after a reload.
    func whenReady(_ body: @escaping @Sendable (Instant) -> Void) {
        state.withLock { if !$0.isReady { $0.waiting.append(body) } }
    }
}
