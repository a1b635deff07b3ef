/// Limits of the events that are kept of actions, reactors, and streams for readers to catch up with: `replayEvents`,
/// `replayBytes`, and `replayBytesOfAll` in the configuration.
public struct CatchUpLimits: Sendable, Equatable {
    /// The most events of a name.
    public var events = 10_000
    /// The most memory for the events of a name, approximately.
    public var bytes = 4 << 20
    /// The most memory for the events of all names together, approximately.
    public var bytesOfAll = 32 << 20
    /// The last events of the log that a reader who comes from the store takes from memory, although the store has
    /// them: no page is worth its reading for so few.
    var fromMemory = 256

    /// The defaults of the daemon.
    public init() {}
}
