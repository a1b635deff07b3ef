internal import RxAction

/// The pending writes of a queue, in the order of their calls, bounded by memory.
struct WaitingWrites<Item: QueuedWrite> {
    enum Admission {
        /// A drain is under way or scheduled.
        case admitted
        /// The caller has to drain the queue now.
        case first
        /// The caller has to schedule a drain.
        case firstLater
        /// The write was not added.
        case refused(StoreError)
    }

    private enum Work {
        case none
        /// A drain is scheduled.
        case later
        /// The queue is being drained.
        case now
    }

    private let limit: Int
    /// The number of bytes from which on no write waits for more of its kind.
    private let crowd: Int
    private var writes: [Item] = []
    private var refusedEnds: [ExecutionID] = []
    /// The bytes of the pending writes and of those being written.
    private(set) var bytes = 0
    private var work = Work.none
    private(set) var isClosed = false

    init(limit: Int = StoreLimits.waitingBytes) {
        self.limit = limit
        crowd = limit / StoreLimits.crowd
    }

    /// Whether so much is pending that callers should slow down.
    var isCrowded: Bool { bytes > crowd }

    mutating func add(_ write: Item) -> Admission {
        guard !isClosed else { return .refused(.closed) }
        guard hasRoom(for: write) else { return .refused(.overloaded(limit: limit)) }
        bytes += write.bytes
        write.share?.bytes += write.bytes
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

    /// Takes all pending writes. If there are none, the drain is over, and the next write starts another.
    mutating func take() -> [Item] {
        var taken: [Item] = []
        swap(&taken, &writes)
        work = taken.isEmpty ? .none : .now
        return taken
    }

    /// The ends of these executions were refused. Of such, at most `StoreLimits.lostEnds` are remembered.
    mutating func refused(_ ends: [ExecutionID]) {
        if refusedEnds.count < StoreLimits.lostEnds { refusedEnds += ends }
    }

    /// Takes the executions whose ends were refused. What was added before them is pending, or was taken.
    mutating func takeRefusedEnds() -> [ExecutionID] {
        var taken: [ExecutionID] = []
        swap(&taken, &refusedEnds)
        return taken
    }

    /// A write of any size is admitted when nothing else is pending, or nothing else of a user with a share: the
    /// memory above the limit is at most one write of each such user, and what is owed.
    private func hasRoom(for write: Item) -> Bool {
        guard bytes > 0, !write.isOwed else { return true }
        guard let share = write.share else { return bytes + write.bytes <= limit }
        return share.bytes == 0
            || share.bytes + write.bytes <= WriteShare.shareOfFree * (limit - bytes - write.bytes)
    }

    mutating func written(_ writes: some Collection<Item>) {
        for write in writes {
            bytes -= write.bytes
            write.share?.bytes -= write.bytes
        }
    }

    mutating func close() {
        isClosed = true
    }
}
