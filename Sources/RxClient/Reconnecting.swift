/// How a client finds its daemon again after the connection was lost.
public struct Reconnecting: Sendable, Equatable {
    /// Time before the first attempt; each one that fails doubles it.
    public var first: Duration
    /// The time between attempts grows no further than this.
    public var longest: Duration
    /// Attempts in a row without an answer after which the client gives up and is closed; nil: it never does.
    public var attempts: Int?
    /// Longest that a call made without a connection waits for one, before it fails as the last attempt did.
    public var patience: Duration

    public init(
        first: Duration = .milliseconds(50), longest: Duration = .seconds(5), attempts: Int? = nil,
        patience: Duration = .seconds(10)
    ) {
        self.first = first
        self.longest = longest
        self.attempts = attempts
        self.patience = patience
    }

    /// After 50 ms, doubled up to 5 s, for as long as it takes.
    public static let forever = Reconnecting()

    /// The time before the next attempt after `failures` of them.
    func delay(after failures: Int) -> Duration {
        var (delay, doublings) = (first, failures)
        while doublings > 0, delay < longest {
            delay = delay * 2
            doublings -= 1
        }
        return min(delay, longest)
    }
}
