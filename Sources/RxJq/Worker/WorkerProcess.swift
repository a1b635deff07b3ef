internal import CJq
internal import Glibc

/// A worker, seen from the process that uses it: what is to be written to it, what it says, how it ended.
///
/// One thread makes and uses it, and lives as long as it does: a worker dies with the thread that started it.
public final class WorkerProcess {
    public let descriptor: Int32
    private let pid: pid_t
    private let replies = WorkerReplies()
    private var unwritten: [UInt8] = []
    private var written = 0
    private var isEnded = false

    /// Why there is no worker: an errno.
    public struct StartError: Error, Sendable {
        public let code: Int32
    }

    /// Why a worker has gone.
    public enum End: Error, Sendable, Hashable {
        /// It had grown, and left before the first request that it did not answer.
        case renewed
        case time
        case memory
        /// A fault of jq's own.
        case aborted(WorkerStage)
        case signal(Int32)
        /// With a status that is none of a worker's: it has never become one.
        case status(Int32)
        /// What it said was no reply.
        case malformed
    }

    /// - Parameter executable: calls `JqWorker.serveIfAsked()` first.
    public init(executable: String = "/proc/self/exe", limits: JqLimits) throws(StartError) {
        var ends: (Int32, Int32) = (-1, -1)
        let failure = withUnsafeMutableBytes(of: &ends) {
            socketpair(
                AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0,
                $0.assumingMemoryBound(to: Int32.self).baseAddress)
        }
        guard failure == 0 else { throw StartError(code: errno) }
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
            throw StartError(code: code)
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
        // A group of its own: what a terminal sends to the daemon's is not for it.
        posix_spawnattr_setpgroup(&attributes, 0)
        posix_spawnattr_setflags(
            &attributes, Int16(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP))
        var pointers = arguments.map { strdup($0) } + [nil]
        defer { pointers.forEach { free($0) } }
        var environment: [UnsafeMutablePointer<CChar>?] = [nil]
        return posix_spawn(&pid, path, &actions, &attributes, &pointers, &environment)
    }

    // MARK: Talking

    /// Bytes that the socket has not taken yet.
    public var waitingBytes: Int { unwritten.count - written }

    /// Writes as much as the socket takes now; `flush` does the rest when it takes more.
    public func send(_ request: WorkerRequest) {
        request.write(to: &unwritten)
    }

    public func flush() {
        while written < unwritten.count {
            let count = unwritten.withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress! + written, $0.count - written, Int32(MSG_NOSIGNAL))
            }
            if count < 0 && errno == EINTR { continue }
            // Full; or gone, which reading tells.
            guard count >= 0 else { break }
            written += count
        }
        guard written == unwritten.count else { return }
        unwritten.removeAll(keepingCapacity: unwritten.capacity <= 1 << 20)
        written = 0
    }

    /// Reads what has come; throws why the worker has gone, after all that it said has been taken by `next`.
    public func receive() throws(End) {
        while true {
            let count = replies.fill(from: descriptor)
            if count > 0 { return }
            if count < 0 && errno == EINTR { continue }
            if count < 0 && errno == EAGAIN { return }
            throw wait()
        }
    }

    public func next() throws(End) -> WorkerReply? {
        do {
            return try replies.next()
        } catch {
            end()
            throw .malformed
        }
    }

    // MARK: End

    /// Ends it now, if it has not ended.
    public func end() {
        guard !isEnded else { return }
        kill(pid, SIGKILL)
        _ = wait()
    }

    private func wait() -> End {
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
