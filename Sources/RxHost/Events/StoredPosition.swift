internal import RxAction
internal import RxStore

/// How far a reader has come with the part of the log that only the store has.
struct StoredPosition: Sendable {
    /// What was read with a page, beside the page.
    struct Reading: Sendable {
        /// Executions whose elements go on after the page; nil if they have to be looked for.
        var started: [StartedOutput]?
        /// Gaps that end after the page.
        var restGaps: [LogPage.Gap] = []
        /// Executions in flight of whose elements none are kept, once that is known to the reader.
        var unkept: Set<ExecutionID> = []
        /// Whether executions that began before the position may have elements after it.
        var looksBack = true

        /// The reader returns from memory.
        mutating func lookBack() {
            looksBack = true
            forgetStarted()
        }

        /// Executions whose elements go on after the page have to be looked for, with their gaps.
        mutating func forgetStarted() {
            started = nil
            restGaps.removeAll { !unkept.contains($0.execution) }
        }
    }

    /// The page that is being taken; nil if the next one has to be requested.
    var page: CatchUpPage?
    var reading = Reading()
    /// The page after that.
    var following = Following.none
    /// If given, the first page begins with the first event since this time.
    var since: Int64?
    /// Events up to this one are beyond the retention, and the reader does not lack them, or they are in `removed`.
    var trimmed: UInt64 = 0
    /// The events that the retention may have removed, until that is reported. Some between its bounds may be kept.
    var removed: UnknownLoss?
    /// What the reader does not want because it begins with a time.
    var unwanted: Unwanted?
    /// The number of the last event of each place in the source whose elements are not counted: the reader began
    /// before it, and nobody knows how many came before that.
    var uncounted: [Int: UInt64] = [:]
    /// Whether pages were read since the position was last compared with what is in memory.
    var wasUsed = false

    /// Events from before a time. Some come after the first event since then: elements of an execution that goes on,
    /// and what memory has of names without a history.
    struct Unwanted: Sendable {
        let before: Int64
        /// Later events are wanted, whatever their time is.
        let through: UInt64

        func contains(_ number: UInt64, at time: Int64) -> Bool { time < before && number <= through }
    }

    /// A page that is read while the one before it is taken.
    enum Following: Sendable {
        case none
        /// It was requested.
        case requested
        /// It is there, with the cursor that it follows.
        case read(CatchUpPage, Reading, after: UInt64)
    }

    /// Takes up the following page, if it was read.
    mutating func advance() {
        guard case .read(let page, let reading, _) = following else { return }
        (self.page, self.reading, following) = (page, reading, .none)
    }

    /// Notes what the retention had removed when a page was read.
    ///
    /// - Parameters:
    ///   - trimmed: events up to this one may be missing.
    ///   - cursor: the reader has everything up to here.
    mutating func note(trimmed: UInt64, after cursor: UInt64) {
        guard trimmed > max(self.trimmed, cursor) else { return }
        self.trimmed = trimmed
        removed = UnknownLoss(first: removed?.first ?? cursor + 1, last: trimmed)
    }

    /// The places in the source have changed.
    mutating func forget() {
        page = nil
        reading = Reading()
        following = .none
        uncounted = [:]
    }
}
