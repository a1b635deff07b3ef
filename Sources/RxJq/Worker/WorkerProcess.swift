internal import Glibc

/// A worker, seen from the process that uses it: its pending requests, its replies, and its end.
///
/// Create and use it on one thread that lives at least as long, because a worker dies with the thread that started it.
public final class WorkerProcess: WorkerConnection {
    /// The nonblocking socket of the worker, for polling.
    public let descriptor: Int32
    private let child: WorkerChild
    private let replies = WorkerReplies()
    private var unwritten: [UInt8] = []
    private var written = 0

    /// Starts a worker.
    ///
    /// - Parameter executable: a program that calls `JqWorker.serveIfAsked()` first.
    /// - Throws: an error if the process or its socket cannot be created.
    public init(executable: String = "/proc/self/exe", limits: JqLimits) throws(WorkerStartError) {
        child = try WorkerChild(executable: executable, mark: JqWorker.mark, limits: limits)
        descriptor = child.descriptor
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
    }

    // MARK: Talking

    /// The number of bytes that the socket has not accepted yet.
    public var waitingBytes: Int { unwritten.count - written }

    /// Sends as much of `request` as the socket accepts now; `flush` sends the rest later.
    public func send(_ request: WorkerRequest) {
        request.write(to: &unwritten)
    }

    /// Sends pending bytes, as many as the socket accepts now.
    public func flush() {
        while written < unwritten.count {
            let count = unwritten.withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress! + written, $0.count - written, Int32(MSG_NOSIGNAL))
            }
            if count < 0 && errno == EINTR { continue }
            // Full, or closed, which reading detects.
            guard count >= 0 else { break }
            written += count
        }
        guard written == unwritten.count else { return }
        unwritten.removeAll(keepingCapacity: unwritten.capacity <= 1 << 20)
        written = 0
    }

    /// Reads the available bytes.
    ///
    /// - Throws: the reason for the worker's end, once `next` has returned all of its replies.
    public func receive() throws(WorkerEnd) {
        while true {
            let count = replies.fill(from: descriptor)
            if count > 0 { return }
            if count < 0 && errno == EINTR { continue }
            if count < 0 && errno == EAGAIN { return }
            throw child.wait()
        }
    }

    /// Returns the next complete reply, or nil if there is none yet.
    ///
    /// - Throws: `.malformed` for bytes that are not a reply.
    public func next() throws(WorkerEnd) -> WorkerReply? {
        do {
            return try replies.next()
        } catch {
            child.end()
            throw .malformed
        }
    }

    /// Kills the worker if it has not ended.
    public func end() { child.end() }
}
