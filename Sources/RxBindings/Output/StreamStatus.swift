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
        /// The elements that it took.
        package let taken: Int
        package let emitted: Int
        /// The elements that it holds back.
        package let waiting: Int
        package let failed: Int
    }

    package let state: State
    /// Elements of the sources.
    package let taken: Int
    /// Elements of the stream.
    package let emitted: Int
    package let failures: Int
    package let lost: Int
    /// Values of levels that a newer one has replaced before they were processed.
    package let coalesced: Int
    package let steps: [Step]
    /// The next slot of a schedule.
    package let next: Instant?
    /// When something is due next in the steps, such as the end of a `debounce`.
    package let due: Instant?
    /// The last firings of all its `on`s, oldest first.
    package let firings: [Firing]
    /// The firings since the daemon started, by the word for their outcome.
    package let counts: [String: Int]
}
