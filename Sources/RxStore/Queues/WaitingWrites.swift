/// The writes that wait, in the order in which they were asked for, and no more than memory should hold.
struct WaitingWrites<Item: QueuedWrite> {
    enum Admission {
        case admitted
        /// Nobody is at work on them: the caller sees to it,
        case first
        /// or sees to it in a moment.
        case firstLater
        case refused(StoreError)
    }

    private enum Work {
        case none
        /// Somebody comes in a moment.
        case later
        case now
    }

    private let limit: Int
    /// From so many bytes on, nothing waits for more.
    private let crowd: Int
    private var writes: [Item] = []
    /// Of those that wait and those that are being written.
    private(set) var bytes = 0
    private var work = Work.none
    private(set) var isClosed = false

    init(limit: Int = StoreLimits.waitingBytes) {
        self.limit = limit
        crowd = limit / StoreLimits.crowd
    }

    /// Whether so much waits that who adds more should wait too.
    var isCrowded: Bool { bytes > crowd }

    mutating func add(_ write: Item) -> Admission {
        guard !isClosed else { return .refused(.closed) }
        // One larger than the limit is let through when nothing else waits.
        guard bytes == 0 || bytes + write.bytes <= limit else { return .refused(.overloaded(limit: limit)) }
        bytes += write.bytes
        writes.append(write)
        let isUrgent = write.isUrgent || isCrowded
        switch work {
        case .none where !isUrgent:
            work = .later
            return .firstLater
        case .later where !isUrgent, .now: return .admitted
        case .none, .later:
            work = .now
            return .first
        }
    }

    /// Takes all that wait; none means that the next to be added is the first again.
    mutating func take() -> [Item] {
        var taken: [Item] = []
        swap(&taken, &writes)
        work = taken.isEmpty ? .none : .now
        return taken
    }

    mutating func written(bytes: Int) {
        self.bytes -= bytes
    }

    mutating func close() {
        isClosed = true
    }
}
