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
///
/// Items are released one by one as they are taken: a page is released nowhere at once, which would take as long as
/// several turns of the loop.
// Unchecked: its reader alone uses it, with the event log's lock held.
final class CatchUpPage: @unchecked Sendable {
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

    /// The items that were not taken, the next one last.
    @exclusivity(unchecked) private var items: [Item]
    /// The page has everything up to here.
    let through: UInt64

    /// - Parameter items: in the order of their numbers.
    init(_ items: [Item], through: UInt64) {
        self.items = items.reversed()
        self.through = through
    }

    /// The items that were not taken, in their order.
    var rest: ReversedCollection<[Item]> { items.reversed() }

    /// Drops the items up to `cursor`.
    func drop(through cursor: UInt64) {
        while let item = items.last, item.number <= cursor { items.removeLast() }
    }

    /// Whether it has an event with this number, among those that were not taken.
    func contains(_ number: UInt64) -> Bool {
        var (low, high) = (0, items.count)
        while low < high {
            let middle = (low + high) / 2
            if items[middle].number > number { low = middle + 1 } else { high = middle }
        }
        while low < items.count, items[low].number == number {
            if case .event = items[low] { return true }
            low += 1
        }
        return false
    }
}
