/// A page of the log, as a reader takes it.
///
/// Items are released one by one as they are taken: a page is released nowhere at once, which would take as long as
/// several turns of the loop.
// Unchecked: its reader alone uses it, with the event log's lock held.
final class CatchUpPage: @unchecked Sendable {
    enum Item: Sendable {
        case event(HostEvent, slot: Int)
        /// Successive events that were encoded where the page was read.
        case encoded(EncodedEvents)
        /// Elements that are not kept; nil for an unknown number.
        case gap(count: Int?, first: UInt64, last: UInt64, slot: Int)
        /// Events of a page that could not be read.
        case unread(first: UInt64, last: UInt64)
        /// Events that may be missing in the store, because they could not be written; memory may have them.
        case hole(first: UInt64, last: UInt64)

        /// The number of the last event.
        var number: UInt64 {
            switch self {
            case .event(let event, _): event.cursor
            case .encoded(let events): events.last.cursor
            case .gap(_, _, let last, _), .unread(_, let last), .hole(_, let last): last
            }
        }
    }

    /// The items that were not taken, the next one last.
    @exclusivity(unchecked) private var items: [Item]
    /// The page has everything up to here.
    let through: UInt64
    /// Events up to this one were beyond the retention when the page was read; 0 for none.
    let trimmed: UInt64

    /// - Parameter items: in the order of their numbers.
    init(_ items: [Item], through: UInt64, trimmed: UInt64 = 0) {
        self.items = items.reversed()
        self.through = through
        self.trimmed = trimmed
    }

    /// The next item that was not taken.
    var next: Item? { items.last }

    /// The item after that.
    var second: Item? { items.dropLast().last }

    /// Whether it has one item that was not taken, at most.
    var isLast: Bool { items.count < 2 }

    /// Calls `body` with the items after `cursor` in their order, encoded events one by one, until it returns false.
    func forEach(after cursor: UInt64, _ body: (Item) -> Bool) {
        for item in items.reversed() where item.number > cursor {
            guard case .encoded(let all) = item, let events = all.after(cursor) else {
                guard body(item) else { return }
                continue
            }
            for index in events.events.indices {
                guard body(.encoded(events.one(index))) else { return }
            }
        }
    }

    /// Drops the items up to `cursor`.
    func drop(through cursor: UInt64) {
        while let item = items.last, item.number <= cursor { items.removeLast() }
    }

    /// Whether it has an event with this number, among those that were not taken.
    func contains(_ number: UInt64) -> Bool {
        // The items from the end to here have smaller numbers.
        var (low, high) = (0, items.count)
        while low < high {
            let middle = (low + high) / 2
            if items[middle].number >= number { low = middle + 1 } else { high = middle }
        }
        for item in items[..<low].reversed() {
            switch item {
            case .event(let event, _): return event.cursor == number
            case .encoded(let events): return events.contains(number)
            case .gap, .unread, .hole: if item.number > number { return false }
            }
        }
        return false
    }
}
