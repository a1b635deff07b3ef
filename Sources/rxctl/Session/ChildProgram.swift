internal import Glibc

/// The program that ends with this process; 0 for none.
// nonisolated(unsafe): written on the only thread, and read there by the handler of a signal.
nonisolated(unsafe) private var child: pid_t = 0

/// A program whose stdout is read. Its stdin is empty, and its stderr goes nowhere. Without a session there is one at a
/// time; until it has ended, a signal that would interrupt this process ends both.
final class ChildProgram {
    /// Bytes that are read at once.
    private static let chunk = 65_536

    private let pid: pid_t
    private let isInSession: Bool
    /// What its stdout is read from.
    let output: Int32

    /// Nil if it cannot be started.
    ///
    /// - Parameter isInSession: whether a session handles the signals.
    init?(_ name: String, _ arguments: [String], isInSession: Bool = false) {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { return nil }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO)
        posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0)
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // rxctl ignores this signal, and the program would inherit that.
        var reset = sigset_t()
        sigemptyset(&reset)
        sigaddset(&reset, SIGPIPE)
        posix_spawnattr_setsigdefault(&attributes, &reset)
        // A signal before the handlers are set would leave the program without this process.
        var (blocked, before) = (sigset_t(), sigset_t())
        sigemptyset(&blocked)
        for number in EarlyInterrupts.signals { sigaddset(&blocked, number) }
        sigprocmask(SIG_BLOCK, &blocked, &before)
        defer { sigprocmask(SIG_SETMASK, &before, nil) }
        posix_spawnattr_setsigmask(&attributes, &before)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK))
        var words = ([name] + arguments).map { strdup($0) }
        words.append(nil)
        defer { words.forEach { free($0) } }
        var started = pid_t()
        let failure = posix_spawnp(&started, name, &actions, &attributes, words, environ)
        close(ends[1])
        guard failure == 0 else {
            close(ends[0])
            return nil
        }
        pid = started
        output = ends[0]
        self.isInSession = isInSession
        guard !isInSession else { return }
        child = started
        for number in EarlyInterrupts.signals where !EarlyInterrupts.isIgnored(number) {
            signal(number) { _ in
                kill(child, SIGTERM)
                _exit(130)
            }
        }
    }

    /// The next bytes; nil at the end.
    ///
    /// - Throws: when the reader of this process's own stdout has gone meanwhile.
    func read() throws(Ending) -> [UInt8]? {
        var polls = [
            pollfd(fd: output, events: Int16(POLLIN), revents: 0), pollfd(fd: STDOUT_FILENO, events: 0, revents: 0),
        ]
        while true {
            guard poll(&polls, 2, -1) > 0 else { continue }
            if polls[1].revents & Int16(POLLERR | POLLHUP) != 0 { throw Ending.readerGone }
            return readReady()
        }
    }

    /// The next bytes, once there are some; nil at the end.
    func readReady() -> [UInt8]? {
        while true {
            var bytes = [UInt8](repeating: 0, count: Self.chunk)
            let count = Glibc.read(output, &bytes, bytes.count)
            if count > 0 { return Array(bytes[..<count]) }
            if count == 0 || errno != EINTR { return nil }
        }
    }

    /// Ends the program, which may have ended by itself. To be called once.
    func end() {
        if !isInSession {
            EarlyInterrupts.exitAtOnce()
            child = 0
        }
        close(output)
        kill(pid, SIGTERM)
        var status: Int32 = 0
        while waitpid(pid, &status, 0) == -1, errno == EINTR {}
    }
}
