/// Limits of the events that are kept of each action or reactor for readers to catch up with: `replayEvents` and
/// `replayBytes` in the configuration.
public struct CatchUpLimits: Sendable, Equatable {
    /// The most events.
    public var events = 10_000
    /// The most memory, approximately.
    public var bytes = 4 << 20
    /// The last events of the log that a reader who comes from the store takes from memory, although the store has
    /// them: no page is worth its reading for so few.
    var fromMemory = 256

    /// The defaults of the daemon.
    public init() {}
}
