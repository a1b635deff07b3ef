/// Limits of execution keys.
public struct ExecutionKeyLimits: Sendable, Equatable {
    /// The most keys that are remembered at a time.
    public var count = 10_000
    /// The most keys of one user that are remembered at a time, so that no user can take all of them.
    public var perUser = 2500
    /// The time for which a key is remembered, by the monotonic clock.
    public var lifetime = Duration.seconds(3600)

    /// The defaults of the daemon.
    public init() {}
}
