internal import RxTime

/// The figures of a stream since it began.
struct StreamFigures: Sendable {
    /// Elements of the sources.
    var taken = 0
    /// Elements of the stream.
    var emitted = 0
    var failures = 0
    /// Elements that had to be dropped.
    var lost = 0
    /// Values of levels that a newer one has replaced before they were processed.
    var coalesced = 0
    var hasEnded = false
    /// As of the last turn.
    var steps: [StreamStatus.Step] = []
    /// When something is due next in the steps, as of the last turn; nil if nothing is.
    var due: Instant?
}
