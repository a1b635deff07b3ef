internal import RxAction
internal import RxStore

/// How far a reader has come with the part of the log that only the store has.
struct StoredPosition: Sendable {
    /// What was read with a page, beside the page.
    struct Reading: Sendable {
        /// Elements that come after the page.
        var rest: [LoggedEvent] = []
        /// Gaps that end after the page.
        var restGaps: [LogPage.Gap] = []
        /// Executions in flight whose elements were taken from memory, so that they are not taken from the store as
        /// well.
        var taken: Set<ExecutionID> = []
        /// Whether executions that began before the position may have elements after it.
        var looksBack = true
    }

    /// The page that is being taken; nil if the next one has to be requested.
    var page: CatchUpPage?
    var reading = Reading()
    /// The page after that.
    var following = Following.none
    /// If given, the first page begins with the first event since this time.
    var since: Int64?
    /// The number of the last event of each place in the source whose elements are not counted: the reader began
    /// before it, and nobody knows how many came before that.
    var uncounted: [Int: UInt64] = [:]
    /// Whether pages were read since the position was last compared with what is in memory.
    var wasUsed = false

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

    /// The places in the source have changed.
    mutating func forget() {
        page = nil
        reading = Reading()
        following = .none
        uncounted = [:]
    }
}

/// A page of the log, as a reader takes it.
struct CatchUpPage: Sendable {
    enum Item: Sendable {
        case event(HostEvent, slot: Int)
        /// Elements that are not kept; nil for an unknown number.
        case gap(count: Int?, first: UInt64, last: UInt64, slot: Int)
        /// Events that were beyond the retention when the page was read.
        case trimmed(first: UInt64, last: UInt64)

        var number: UInt64 {
            switch self {
            case .event(let event, _): event.cursor
            case .gap(_, _, let last, _), .trimmed(_, let last): last
            }
        }
    }

    /// In the order of their numbers.
    let items: [Item]
    /// The first item that was not taken.
    private(set) var next = 0
    /// The page has everything up to here.
    let through: UInt64

    init(_ items: [Item], through: UInt64) {
        self.items = items
        self.through = through
    }

    /// The items after those that were taken.
    var rest: ArraySlice<Item> { items[next...] }

    /// Drops the items up to `cursor`.
    mutating func drop(through cursor: UInt64) {
        while next < items.count, items[next].number <= cursor { next += 1 }
    }

    /// Whether it has an event with this number, among those that were not taken.
    func contains(_ number: UInt64) -> Bool {
        var (low, high) = (next, items.count)
        while low < high {
            let middle = (low + high) / 2
            if items[middle].number < number { low = middle + 1 } else { high = middle }
        }
        while low < items.count, items[low].number == number {
            if case .event = items[low] { return true }
            low += 1
        }
        return false
    }
}
