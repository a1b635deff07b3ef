internal import Rx
internal import RxJSON

/// The newest elements of an execution that others may join, as the log published them.
struct Recording: Sendable {
    /// Elements kept for those who join late: as much as a terminal shows of its past.
    static let elementsKept = 10_000
    /// The most bytes that these elements may have.
    static let bytesKept = 1_048_576
    /// The most memory that all recordings of a host may use together: any number of executions can be in flight.
    static let costKept = 64 << 20
    /// The approximate memory of an element beside its bytes.
    static let costPerElement = 192

    private var events = Queue<HostEvent>()
    private var bytes = 0
    private var lost: LostElements?

    /// Approximate bytes of memory.
    var cost: Int { bytes + events.count * Recording.costPerElement }

    /// - Parameter total: the cost of all recordings. A recording that would make it too large drops its own oldest
    ///   events.
    mutating func add(_ event: HostEvent, total: inout Int) {
        let before = cost
        let others = total - before
        events.append(event)
        bytes += event.elementBytes
        while bytes > Recording.bytesKept || events.count > Recording.elementsKept
            || others + cost > Recording.costKept, let oldest = events.removeFirst()
        {
            bytes -= oldest.elementBytes
            lost = LostElements(
                count: (lost?.count ?? 0) + 1, first: lost?.first ?? oldest.cursor, last: oldest.cursor)
        }
        total += cost - before
    }

    /// The elements that are kept, oldest first, and those that were dropped before them.
    var attachment: (events: [HostEvent], lost: LostElements?) {
        var copy = events
        return (copy.removeAll(), lost)
    }
}

extension HostEvent {
    fileprivate var elementBytes: Int {
        switch change {
        case .element(let element): element.utf8.count
        case .failure, .refusal, .queueFull, .conditionFailure, .executing, .enabled, .execution, .state, .fault,
            .firing, .streamFailure, .drops, .added, .changed, .removed:
            0
        }
    }
}
