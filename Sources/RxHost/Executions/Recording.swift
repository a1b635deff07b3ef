internal import Rx
internal import RxJSON

/// The newest elements, and records of attempts, of an execution that others may join, as the log published them.
struct Recording: Sendable {
    /// Events kept for those who join late: as much as a terminal shows of its past.
    static let eventsKept = 10_000
    /// The most bytes that these events may have.
    static let bytesKept = 1_048_576
    /// The most memory that all recordings of a host may use together: any number of executions can be in flight.
    static let costKept = 64 << 20
    private var events = Queue<HostEvent>()
    private var bytes = 0
    private var lost: LostElements?

    /// Approximate bytes of memory.
    var cost: Int { bytes + events.count * HostEvent.ownCost }

    /// - Parameter total: the cost of all recordings. A recording that would make it too large drops its own oldest
    ///   events.
    mutating func add(_ event: HostEvent, total: inout Int) {
        let before = cost
        let others = total - before
        events.append(event)
        bytes += event.recordedBytes
        while bytes > Recording.bytesKept || events.count > Recording.eventsKept
            || others + cost > Recording.costKept, let oldest = events.removeFirst()
        {
            bytes -= oldest.recordedBytes
            guard oldest.kind == .elements else { continue }
            lost = LostElements(
                count: (lost?.count ?? 0) + 1, first: lost?.first ?? oldest.cursor, last: oldest.cursor)
        }
        total += cost - before
    }

    /// The events that are kept, oldest first, and the elements that were dropped before them.
    var attachment: (events: [HostEvent], lost: LostElements?) {
        var copy = events
        return (copy.removeAll(), lost)
    }
}

extension HostEvent {
    /// Approximate bytes of memory beside `ownCost`.
    fileprivate var recordedBytes: Int { cost - HostEvent.ownCost }
}
