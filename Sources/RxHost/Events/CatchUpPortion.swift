public import RxRecords

/// Some of the events that a reader has missed, in order.
public struct CatchUpPortion: Sendable {
    /// An event, or a gap.
    public enum Item: Sendable {
        /// An event that is kept.
        case event(HostEvent)
        /// Events that are kept, if the reader has an encoder.
        case encoded(EncodedEvents)
        /// Events are no longer kept: their number, nil if it is unknown, and the bounds of the cursors of the first
        /// and the last.
        case lost(count: Int?, first: UInt64, last: UInt64)

        var cursor: UInt64 {
            switch self {
            case .event(let event): event.cursor
            case .encoded(let events): events.last.cursor
            case .lost(_, _, let last): last
            }
        }
    }

    /// The most events of one portion: a connection writes as many in a turn, which takes the loop about 150 µs.
    static let eventsTaken = 128
    /// The most events of a portion from a page that is merged with memory: fewer than `eventsTaken`, since nothing is
    /// lost while the reader is not there. Others wait for one portion, which takes the loop about 30 µs. Mostly a
    /// portion is a block of encoded events.
    static let eventsTakenOfPage = 16
    /// The bytes after which a portion ends, so that others wait for the loop no longer.
    static let bytesTaken = 65_536

    /// What the reader has to read from the store.
    public enum Need: Sendable {
        case nothing
        /// A page, before there is more: the portion has nothing else.
        case page(CatchUpRequest)
        /// The page that was requested last: the portion has nothing else.
        case requested
        /// The page after the one that the portion is from. The reader may go on with that one meanwhile.
        case following(CatchUpRequest)
    }

    /// What the reader has to read with `EventLog.read` and to take with `CatchUpPosition.take`.
    public let need: Need
    /// The events and losses, in the order of their cursors.
    public let items: [Item]
    /// Whether the reader has caught up: it is where the log is, at `cursor`.
    public let isComplete: Bool
    /// The reader has everything up to here.
    public let cursor: UInt64
    /// If the reader has caught up, the records of those executions of the source whose ends came up to `cursor`. The
    /// ends of the others follow, whatever their records are by now.
    public let ended: [ExecutionRecord]

    init(
        items: [Item] = [], isComplete: Bool = false, cursor: UInt64, ended: [ExecutionRecord] = [],
        need: Need = .nothing
    ) {
        self.items = items
        self.isComplete = isComplete
        self.cursor = cursor
        self.ended = ended
        self.need = need
    }
}
