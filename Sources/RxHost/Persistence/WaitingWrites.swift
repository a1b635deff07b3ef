/// The writes that wait, in the order in which they were asked for, and no more than memory should hold.
struct WaitingWrites {
    /// A disk that hangs, or is slower than what is executed, costs this much memory and no more: about 100,000
    /// ordinary writes, half a second of work for a disk that does not hang.
    static let bytesKept = 64 << 20

    enum Admission {
        case admitted
        /// Nobody is at work on them: the caller sees to it.
        case first
        case refused(StoreError)
    }

    private let limit: Int
    private var writes: [Write] = []
    /// Of those that wait and those that are being written.
    private(set) var bytes = 0
    private var isAtWork = false
    private(set) var isClosed = false

    init(limit: Int = bytesKept) {
        self.limit = limit
    }

    mutating func add(_ write: Write) -> Admission {
        guard !isClosed else { return .refused(.closed) }
        // One larger than the limit is let through when nothing else waits.
        guard bytes == 0 || bytes + write.bytes <= limit else { return .refused(.overloaded(limit: limit)) }
        bytes += write.bytes
        writes.append(write)
        guard !isAtWork else { return .admitted }
        isAtWork = true
        return .first
    }

    /// Takes all that wait; none means that the next to be added is the first again.
    mutating func take() -> [Write] {
        var taken: [Write] = []
        swap(&taken, &writes)
        if taken.isEmpty { isAtWork = false }
        return taken
    }

    mutating func written(bytes: Int) {
        self.bytes -= bytes
    }

    mutating func close() {
        isClosed = true
    }
}
