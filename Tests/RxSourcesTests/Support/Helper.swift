import Glibc

/// A program that a test needs beside it; ended with the object.
final class Helper {
    private let pid: pid_t
    private let input: Int32

    /// Starts a program; nil if it is not installed. What is written with `write` is its standard input.
    init?(_ path: String, _ arguments: [String]) {
        guard access(path, X_OK) == 0 else { return nil }
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { return nil }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        posix_spawn_file_actions_adddup2(&actions, ends[0], STDIN_FILENO)
        var list: [UnsafeMutablePointer<CChar>?] = ([path] + arguments).map { strdup($0) } + [nil]
        var pid: pid_t = 0
        let result = posix_spawn(&pid, path, &actions, nil, &list, environ)
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
        waitpid(pid, &status, 0)
    }
}
