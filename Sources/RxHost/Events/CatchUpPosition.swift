/// How far a reader has caught up with the events that are kept.
public struct CatchUpPosition: Sendable {
    /// The reader has everything up to here.
    public internal(set) var cursor: UInt64
    /// Events to be read before anything that follows `cursor`.
    var first = RecordedEvents()
    /// How many events of each kind came up to `cursor`, for each action or execution of the source.
    var seen: [KindCounts]
    /// Where a loss begins that was found but not reported yet, by the place in the source: the others are further on.
    var unreported: [Int: UInt64] = [:]
    /// The last event, or the end of the last loss, of each execution of the source, by its place, since `start`: the
    /// next loss of the execution begins after it.
    var taken: [Int: UInt64] = [:]
    /// The reader began after this event.
    let start: UInt64
    /// A loss of an unknown number of events that the store was not to keep, of all names together, until it is
    /// reported: a report names no name.
    private(set) var unknown: UnknownLoss?
    /// What is read from the store.
    var stored = StoredPosition()

    init(cursor: UInt64, first: RecordedEvents = RecordedEvents(), seen: [KindCounts]) {
        self.cursor = cursor
        start = cursor
        self.first = first
        self.seen = seen
    }

    /// The reader has everything up to here, also of the events that come before `cursor`.
    public var reached: UInt64 { first.first.map { $0.cursor - 1 } ?? cursor }

    /// Forgets the name at this place of the source, which leaves the source.
    public mutating func forget(_ place: Int) {
        if place < seen.count { seen.remove(at: place) }
        unreported = [:]
        stored.forget()
        first = RecordedEvents()
    }

    /// Some name lacks events between these, or at one of them.
    mutating func lose(_ first: UInt64, through last: UInt64) {
        let (begin, end) = unknown.map { ($0.first, $0.last) } ?? (first, last)
        unknown = UnknownLoss(first: min(first, begin), last: max(last, end))
    }

    /// A loss that ends with this event was reported.
    mutating func didReport(through last: UInt64) {
        if last == unknown?.last { unknown = nil }
        if last == stored.removed?.last { stored.removed = nil }
    }
}

/// Events between two bounds are missing, and nobody knows how many.
struct UnknownLoss: Sendable {
    let first: UInt64
    let last: UInt64
}
