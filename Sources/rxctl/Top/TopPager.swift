internal import Glibc
internal import RxLoop

/// A pager with a text on its stdin: `$PAGER`, or less. It has the terminal until it ends.
final class TopPager {
    private let pid: pid_t
    /// Hung up when the pager and all that it has started have ended.
    private let ending: Int32
    private var watch: Watch?
    /// How often, each 10 ms, a pager is looked at that should have ended or stopped.
    private static let patience = 100
    private var hasEnded = false

    /// Starts the pager; nil if that is not possible.
    init?(_ text: [UInt8]) {
        guard let file = Self.file(with: text) else { return nil }
        defer { close(file) }
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { return nil }
        _ = fcntl(ends[0], F_SETFD, FD_CLOEXEC)
        defer { close(ends[1]) }
        ending = ends[0]
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, file, STDIN_FILENO)
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // rxctl ignores some of them, and the pager would inherit that.
        var reset = sigset_t()
        sigemptyset(&reset)
        for number in [SIGPIPE, SIGINT, SIGQUIT] { sigaddset(&reset, number) }
        posix_spawnattr_setsigdefault(&attributes, &reset)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF))
        // A short text would be gone at once with an option -F in LESS.
        let command = #"if [ -n "$PAGER" ]; then eval "exec $PAGER"; else exec less -+F; fi"#
        var words: [UnsafeMutablePointer<CChar>?] = ["sh", "-c", command].map { (word: String) in strdup(word) }
        words.append(nil)
        defer { words.forEach { free($0) } }
        var started = pid_t()
        guard posix_spawn(&started, "/bin/sh", &actions, &attributes, words, environ) == 0 else {
            close(ends[0])
            return nil
        }
        pid = started
        // Ctrl-C and Ctrl-\ are the pager's.
        interrupt = signal(SIGINT, SIG_IGN)
        quit = signal(SIGQUIT, SIG_IGN)
    }

    private let interrupt: (@convention(c) (Int32) -> Void)?
    private let quit: (@convention(c) (Int32) -> Void)?

    /// Calls `body` when the pager has ended.
    func watch(_ session: DaemonSession, _ body: @escaping () -> Void) throws(SystemCallError) {
        watch = try session.watch(ending) { body() }
    }

    /// Waits until Ctrl-Z has stopped the pager, or it does not want to: it restores the terminal, and the shell must
    /// not write before that.
    func waitUntilStopped() {
        for _ in 0..<Self.patience {
            var found = siginfo_t()
            guard waitid(P_PID, id_t(pid), &found, WSTOPPED | WEXITED | WNOHANG | WNOWAIT) == 0, found.si_signo == 0
            else { return }
            poll(nil, 0, 10)
        }
    }

    /// Ends the pager if it has not ended by itself.
    func end() {
        guard !hasEnded else { return }
        hasEnded = true
        watch?.cancel()
        close(ending)
        kill(pid, SIGTERM)
        // One that is stopped takes no other signal.
        kill(pid, SIGCONT)
        reap()
        signal(SIGINT, interrupt)
        signal(SIGQUIT, quit)
    }

    /// Kills the pager if SIGTERM does not end it.
    private func reap() {
        var status: Int32 = 0
        for _ in 0..<Self.patience {
            guard waitpid(pid, &status, WNOHANG) == 0 else { return }
            poll(nil, 0, 10)
        }
        kill(pid, SIGKILL)
        while waitpid(pid, &status, 0) == -1, errno == EINTR {}
    }

    /// A file without a name that has the text; its descriptor is at the beginning.
    private static func file(with text: [UInt8]) -> Int32? {
        var path = Array("/tmp/rxctl-top.XXXXXX".utf8CString)
        let file = mkstemp(&path)
        guard file >= 0 else { return nil }
        unlink(path)
        _ = fcntl(file, F_SETFD, FD_CLOEXEC)
        var rest = text[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { write(file, $0.baseAddress, $0.count) }
            guard count > 0 || errno == EINTR else {
                close(file)
                return nil
            }
            rest = rest.dropFirst(max(0, count))
        }
        lseek(file, 0, SEEK_SET)
        return file
    }
}
