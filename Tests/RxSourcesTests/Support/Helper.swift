import Glibc

/// A program that a test needs beside it; ended with the object.
final class Helper {
    private let pid: pid_t
    private let input: Int32

    /// Starts a program; nil if it is not installed. What is written with `write` is its standard input.
    ///
    /// The threads of tests block signals, and other tests ignore some. A program would inherit both, and would not end
    /// at SIGTERM.
    init?(_ path: String, _ arguments: [String]) {
        guard access(path, X_OK) == 0 else { return nil }
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { return nil }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var (none, all) = (sigset_t(), sigset_t())
        sigemptyset(&none)
        sigfillset(&all)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setsigdefault(&attributes, &all)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        posix_spawn_file_actions_adddup2(&actions, ends[0], STDIN_FILENO)
        var list: [UnsafeMutablePointer<CChar>?] = ([path] + arguments).map { strdup($0) } + [nil]
        var pid: pid_t = 0
        let result = posix_spawn(&pid, path, &actions, &attributes, &list, environ)
        for argument in list { free(argument) }
        posix_spawn_file_actions_destroy(&actions)
        close(ends[0])
        guard result == 0 else { return nil }
        self.pid = pid
        input = ends[1]
    }

    func write(_ text: String) {
        let bytes = Array(text.utf8)
        precondition(Glibc.write(input, bytes, bytes.count) == bytes.count)
    }

    deinit {
        close(input)
        kill(pid, SIGTERM)
        var status: Int32 = 0
        // At most ten seconds, so that a program that hangs fails its test and no other one.
        for _ in 0..<1000 {
            if waitpid(pid, &status, WNOHANG) != 0 { return }
            usleep(10_000)
        }
        kill(pid, SIGKILL)
        waitpid(pid, &status, 0)
    }
}
