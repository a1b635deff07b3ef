public import RxRecords
internal import Rx
internal import RxJSON

/// The elements of an execution that others may join, the newest of them, as the log has told them.
struct Recording: Sendable {
    /// Elements kept for who joins late: as much as a terminal shows of its past.
    static let elementsKept = 10_000
    /// Their bytes.
    static let bytesKept = 1_048_576
    /// What all recordings of a host may cost together: any number of executions can be in flight.
    static let costKept = 64 << 20
    /// What an element costs beside its bytes, about.
    static let costPerElement = 192

    private var events = Queue<HostEvent>()
    private var bytes = 0
    private var lost: Attachment.Lost?

    /// Bytes of memory, about.
    var cost: Int { bytes + events.count * Recording.costPerElement }

    /// - Parameter total: the cost of all recordings. The one that would make it too large gives up of its own.
    mutating func add(_ event: HostEvent, total: inout Int) {
        let before = cost
        let others = total - before
        events.append(event)
        bytes += event.elementBytes
        while bytes > Recording.bytesKept || events.count > Recording.elementsKept
            || others + cost > Recording.costKept, let oldest = events.removeFirst()
        {
            bytes -= oldest.elementBytes
            lost = Attachment.Lost(
                count: (lost?.count ?? 0) + 1, first: lost?.first ?? oldest.cursor, last: oldest.cursor)
        }
        total += cost - before
    }

    var attachment: (events: [HostEvent], lost: Attachment.Lost?) {
        var copy = events
        return (copy.removeAll(), lost)
    }
}

/// What somebody who joins an execution has to know to follow it with no gap and no duplicate.
public struct Attachment: Sendable {
    /// Elements that are no longer there, all of them before those that are.
    public struct Lost: Sendable, Hashable {
        public let count: Int
        /// The cursors of the first and the last.
        public let first: UInt64
        public let last: UInt64
    }

    /// The elements so far, oldest first.
    public let events: [HostEvent]
    public let lost: Lost?
    /// Events up to here are among those above or do not concern it.
    public let cursor: UInt64
    /// If it has ended.
    public let end: ExecutionRecord?
    /// The event of its error, if it has ended by one.
    public let failure: HostEvent?
    /// Where its reader goes on if what has happened since is not, or not all, before it: see `EventLog.position`.
    let position: ReplayPosition
}

extension HostEvent {
    fileprivate var elementBytes: Int {
        switch change {
        case .element(let element): element.utf8.count
        case .failure, .refusal, .queueFull, .conditionFailure, .executing, .enabled, .execution, .state, .fault,
            .added, .changed, .removed:
            0
        }
    }
}
