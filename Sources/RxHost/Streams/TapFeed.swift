internal import Rx

/// What passes one step of a stream, for the clients that tap it. Nothing is published while nobody reads it.
// Unchecked as its superclass is: its own fields are constant or locked.
public final class TapFeed: StreamFeed, @unchecked Sendable {
    /// What is kept for readers that fall behind: little, because each step of a stream may be tapped.
    private static let limits = {
        var limits = CatchUpLimits()
        (limits.events, limits.bytes) = (1024, 256 << 10)
        return limits
    }()

    /// The place of the step; `0` for the source.
    public let step: String
    private let state: Locked<State>
    private let onReaders: @Sendable (TapFeed, _ hasReaders: Bool) -> Void

    private struct State {
        var readers = 0
        /// The last event before the first that it may have.
        var began: UInt64
    }

    /// - Parameters:
    ///   - cursor: the last event before it.
    ///   - onReaders: called, without a lock, when the first reader comes and when the last one leaves.
    init(
        _ stream: String, _ step: String, at cursor: UInt64, onReaders: @escaping @Sendable (TapFeed, Bool) -> Void
    ) {
        self.step = step
        state = Locked(State(began: cursor))
        self.onReaders = onReaders
        super.init(stream, Self.limits)
    }

    public override var isListed: Bool { false }

    override var beganAt: UInt64 { state.withLock { $0.began } }

    /// Whether someone reads it.
    var isRead: Bool { state.withLock { $0.readers > 0 } }

    /// Nobody has read it so far: what came up to this event has passed unseen.
    func begin(at cursor: UInt64) { state.withLock { if $0.readers == 0 { $0.began = cursor } } }

    override func watched(by change: Int) {
        let (before, now) = state.withLock { state in
            defer { state.readers += change }
            return (state.readers, state.readers + change)
        }
        if (before > 0) != (now > 0) { onReaders(self, now > 0) }
    }
}
