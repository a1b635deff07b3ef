internal import CJq
internal import Glibc

// Used by one thread at a time.
/// The process of a worker and this end of its socket, which blocks.
final class WorkerChild {
    let descriptor: Int32
    let pid: pid_t
    private var isEnded = false

    /// Starts `executable`, a program that calls `JqWorker.serveIfAsked()` first, as the worker with this mark.
    init(executable: String, mark: String, limits: JqLimits) throws(WorkerStartError) {
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
            "rxd", mark, String(getpid()), String(limits.memory),
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
    }

    deinit { end() }

    /// Kills the worker if it has not ended.
    func end() {
        guard !isEnded else { return }
        kill(pid, SIGKILL)
        _ = wait()
    }

    /// Ends a worker that has closed its socket, and returns the reason for its end. A process that is exiting keeps
    /// its exit status.
    func finish() -> WorkerEnd {
        if !isEnded { kill(pid, SIGKILL) }
        return wait()
    }

    /// Waits for the end of a worker that has closed its socket or was killed, and returns the reason.
    func wait() -> WorkerEnd {
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
}
