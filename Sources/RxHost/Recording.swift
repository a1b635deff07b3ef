internal import Rx
internal import RxJSON

/// The elements of an execution that others may join, the newest of them, as the log has told them.
struct Recording: Sendable {
    /// Elements kept for who joins late: as much as a terminal shows of its past.
    static let elementsKept = 10_000
    /// Their bytes.
    static let bytesKept = 1_048_576

    private var events = Queue<HostEvent>()
    private(set) var bytes = 0
    private var lost: Attachment.Lost?

    mutating func add(_ event: HostEvent) {
        events.append(event)
        bytes += event.elementBytes
        drop(toElements: Recording.elementsKept, bytes: Recording.bytesKept)
    }

    mutating func drop(toElements elements: Int = elementsKept, bytes limit: Int) {
        while bytes > limit || events.count > elements, let oldest = events.removeFirst() {
            bytes -= oldest.elementBytes
            lost = Attachment.Lost(
                count: (lost?.count ?? 0) + 1, first: lost?.first ?? oldest.cursor, last: oldest.cursor)
        }
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
}

extension HostEvent {
    fileprivate var elementBytes: Int {
        switch change {
        case .element(let element): element.utf8.count
        case .failure, .refusal, .queueFull, .conditionFailure, .executing, .enabled, .execution, .removed: 0
        }
    }
}
