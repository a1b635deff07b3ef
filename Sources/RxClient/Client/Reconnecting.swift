/// How a client finds its daemon again after the connection was lost.
public struct Reconnecting: Sendable, Equatable {
    /// Time before the first attempt; each failure doubles it.
    public var first: Duration
    /// Longest time between two attempts.
    public var longest: Duration
    /// Failures in a row after which the client gives up and is closed; nil: it never gives up.
    public var attempts: Int?
    /// Longest time that a call without a connection waits for one, before it fails as the last attempt did.
    public var patience: Duration

    /// The defaults are those of `forever`.
    public init(
        first: Duration = .milliseconds(50), longest: Duration = .seconds(5), attempts: Int? = nil,
        patience: Duration = .seconds(10)
    ) {
        self.first = first
        self.longest = longest
        self.attempts = attempts
        self.patience = patience
    }

    /// After 50 ms, doubled up to 5 s, without end; calls wait for 10 s.
    public static let forever = Reconnecting()

    /// The time before the next attempt after `failures` failed ones.
    package func delay(after failures: Int) -> Duration {
        var (delay, doublings) = (first, failures)
        while doublings > 0, delay < longest {
            delay = delay * 2
            doublings -= 1
        }
        return min(delay, longest)
    }
}
