package import RxTime

/// What a stream has done since the daemon started, and why it waits.
package struct StreamStatus: Sendable {
    package enum State: Sendable, Hashable {
        case running
        /// The source or an `on` waits, with the reason.
        case waiting(String)
        /// Nothing will come any more.
        case ended
        /// By hand or by its condition, with the reason.
        case disabled(String)
    }

    /// One step, with its figures.
    package struct Step: Sendable {
        package let place: String
        package let name: String
        package let emitted: Int
        package let failed: Int
    }

    package let state: State
    /// Elements of the sources.
    package let taken: Int
    /// Elements of the stream.
    package let emitted: Int
    package let failures: Int
    package let lost: Int
    package let steps: [Step]
    /// The next slot of a schedule.
    package let next: Instant?
    /// The last firings of all its `on`s, oldest first.
    package let firings: [Firing]
    /// The firings since the daemon started, by the word for their outcome.
    package let counts: [String: Int]
}

/// The figures of a stream.
struct StreamFigures: Sendable {
    var taken = 0
    var emitted = 0
    var failures = 0
    var lost = 0
    var hasEnded = false
    var steps: [StreamStatus.Step] = []
    private var hasFirings = false
    private var firingsStored: Instant?

    /// - Returns: whether nobody has noted any since they were stored.
    mutating func noteFirings() -> Bool {
        defer { hasFirings = true }
        return !hasFirings
    }

    /// Whether firings are to be stored now: at most once in a second.
    mutating func takeFiringsDue(at now: Instant) -> Bool {
        guard hasFirings, firingsStored.map({ $0.adding(microseconds: 1_000_000) <= now || now < $0 }) ?? true else {
            return false
        }
        hasFirings = false
        firingsStored = now
        return true
    }
}
