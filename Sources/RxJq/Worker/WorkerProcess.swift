internal import CJq
internal import Glibc

/// A worker, seen from the process that uses it: its pending requests, its replies, and its end.
///
/// Create and use it on one thread that lives at least as long, because a worker dies with the thread that started it.
public final class WorkerProcess: WorkerConnection {
    /// The nonblocking socket of the worker, for polling.
    public let descriptor: Int32
    private let pid: pid_t
    private let replies = WorkerReplies()
    private var unwritten: [UInt8] = []
    private var written = 0
    private var isEnded = false

    /// Starts a worker.
    ///
    /// - Parameter executable: a program that calls `JqWorker.serveIfAsked()` first.
    /// - Throws: an error if the process or its socket cannot be created.
    public init(executable: String = "/proc/self/exe", limits: JqLimits) throws(WorkerStartError) {
        var ends: (Int32, Int32) = (-1, -1)
        let failure = withUnsafeMutableBytes(of: &ends) {
            socketpair(
                AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0,
                $0.assumingMemoryBound(to: Int32.self).baseAddress)
        }
        guard failure == 0 else { throw WorkerStartError(code: errno) }
        defer { close(ends.1) }
        let time = limits.processorTime.components
        let arguments = [
            "rxd", JqWorker.mark, String(getpid()), String(limits.memory),
            String(max(1, time.seconds * 1000 + time.attoseconds / 1_000_000_000_000_000)),
        ]
        var pid: pid_t = 0
        let code = Self.spawn(executable, arguments, socket: ends.1, &pid)
        guard code == 0 else {
            close(ends.0)
            throw WorkerStartError(code: code)
        }
        self.pid = pid
        descriptor = ends.0
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
    }

    deinit { end() }

    private static func spawn(_ path: String, _ arguments: [String], socket: Int32, _ pid: inout pid_t) -> Int32 {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, socket, JqWorker.descriptor)
        for standard in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] {
            posix_spawn_file_actions_addopen(&actions, standard, "/dev/null", O_RDWR, 0)
        }
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var signals = sigset_t()
        sigfillset(&signals)
        posix_spawnattr_setsigdefault(&attributes, &signals)
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        // A separate group, so that signals from a terminal to the daemon's group do not reach it.
        posix_spawnattr_setpgroup(&attributes, 0)
        posix_spawnattr_setflags(
            &attributes, Int16(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP))
        var pointers = arguments.map { strdup($0) } + [nil]
        defer { pointers.forEach { free($0) } }
        var environment: [UnsafeMutablePointer<CChar>?] = [nil]
        return posix_spawn(&pid, path, &actions, &attributes, &pointers, &environment)
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
            throw wait()
        }
    }

    /// Returns the next complete reply, or nil if there is none yet.
    ///
    /// - Throws: `.malformed` for bytes that are not a reply.
    public func next() throws(WorkerEnd) -> WorkerReply? {
        do {
            return try replies.next()
        } catch {
            end()
            throw .malformed
        }
    }

    // MARK: End

    /// Kills the worker if it has not ended.
    public func end() {
        guard !isEnded else { return }
        kill(pid, SIGKILL)
        _ = wait()
    }

    private func wait() -> WorkerEnd {
        guard !isEnded else { return .renewed }
        isEnded = true
        var status: Int32 = 0
        while waitpid(pid, &status, 0) < 0 && errno == EINTR {}
        close(descriptor)
        let signal = status & 0x7F
        guard signal == 0 else { return .signal(signal) }
        let code = UInt32(status >> 8 & 0xFF)
        let cause = code & ~7
        switch cause {
        case cjq_exit_time.rawValue: return .time
        case cjq_exit_memory.rawValue: return .memory
        case cjq_exit_abort.rawValue, cjq_exit_crash.rawValue: return .aborted(WorkerStage(Int(code & 7)))
        case 0: return code == 0 ? .renewed : .status(Int32(code))
        default: return .status(Int32(code))
        }
    }
}
