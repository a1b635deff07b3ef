/// The delay before each further attempt: it doubles from the first one to the longest one.
package struct DoublingDelay: Sendable {
    private let first: Duration
    private let longest: Duration
    private var upcoming: Duration

    /// Delays from `first` to `longest`.
    package init(first: Duration, longest: Duration) {
        self.first = first
        self.longest = longest
        upcoming = first
    }

    /// The delay before the attempt after a failed one.
    package mutating func next() -> Duration {
        let delay = upcoming
        upcoming = min(upcoming * 2, longest)
        return delay
    }

    /// An attempt has succeeded: the next delay is the first one again.
    package mutating func reset() { upcoming = first }
}
