internal import RxJSON

/// The newest elements, and records of attempts, of an execution that others may join, as the log published them.
struct Recording: Sendable {
    /// Events kept for those who join late: as much as a terminal shows of its past.
    static let eventsKept = 10_000
    /// The most bytes that these events may have.
    static let bytesKept = 1_048_576
    /// The most memory that all recordings of a host may use together: any number of executions can be in flight.
    static let costKept = 64 << 20
    private var chunks: [RecordedChunk] = []
    /// The events at the begin of the first chunk that are no longer kept.
    private var dropped = 0
    private var count = 0
    private var bytes = 0
    /// The number of elements that are kept.
    private(set) var elements = 0
    private var lost: LostElements?
    /// The memory of the user at the execution's origin; nil without a user.
    private var memory: UserMemory?

    init(for memory: UserMemory?) { self.memory = memory }

    /// Approximate bytes of memory.
    var cost: Int { bytes + count * HostEvent.ownCost }

    /// - Parameter total: the cost of all recordings. A recording that would make it, or that of the user's, too large
    ///   drops its own oldest events.
    mutating func add(_ event: HostEvent, total: inout Int) {
        let before = cost
        let others = total - before
        append(event)
        while bytes > Recording.bytesKept || count > Recording.eventsKept
            || others + cost > Recording.costKept || memory?.areRecordingsFull(with: cost - before) == true,
            let oldest = removeFirst()
        {
            guard oldest.kind == .elements else { continue }
            lost = LostElements(
                count: (lost?.count ?? 0) + 1, first: lost?.first ?? oldest.cursor, last: oldest.cursor)
        }
        total += cost - before
        memory?.record(cost - before)
    }

    /// Is no longer charged to the user.
    mutating func leaveUser() {
        memory?.record(-cost)
        memory = nil
    }

    /// - Parameter total: the cost of all recordings.
    mutating func removeAll(total: inout Int) {
        total -= cost
        memory?.record(-cost)
        self = Recording(for: memory)
    }

    private mutating func append(_ event: HostEvent) {
        if chunks.last?.hasRoom != true { chunks.append(RecordedChunk(after: count)) }
        chunks[chunks.count - 1].append(event)
        count += 1
        bytes += event.recordedBytes
        if event.kind == .elements { elements += 1 }
    }

    private mutating func removeFirst() -> HostEvent? {
        guard count > 0 else { return nil }
        let event = chunks[0][dropped]
        dropped += 1
        if dropped == chunks[0].count {
            chunks.removeFirst()
            dropped = 0
        }
        count -= 1
        bytes -= event.recordedBytes
        if event.kind == .elements { elements -= 1 }
        return event
    }

    /// The events that are kept, oldest first, and the elements that were dropped before them. The events are not
    /// copied, however many they are.
    var snapshot: (events: RecordedEvents, lost: LostElements?) {
        (RecordedEvents(chunks, dropping: dropped, count), lost)
    }
}

extension HostEvent {
    /// Approximate bytes of memory beside `ownCost`.
    var recordedBytes: Int { cost - HostEvent.ownCost }
}
