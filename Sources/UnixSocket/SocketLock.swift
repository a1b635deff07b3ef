internal import Glibc

/// The exclusive right to a socket's path, held from before the path is inspected until the listener closes.
///
/// Without it, two daemons that start at once would both find a stale socket and replace it, and the second would take
/// the path from the first. Each therefore locks the file `PATH.lock` first and keeps the lock, which the kernel
/// releases with the process. Only the holder can delete the lock file safely. A process that waited for a deleted lock
/// file detects this, because the path then refers to another file or to none.
struct SocketLock: ~Copyable {
    private let path: String
    private let fd: Int32
    /// How often to wait for a child of a killed daemon, which shares the lock until it executes its program.
    private static let attempts = 250

    /// - Parameter wait: called while another process has the lock, at most 250 times; for a millisecond by default.
    init(for socketPath: String, wait: () -> Void = { usleep(1000) }) throws(SocketError) {
        path = socketPath + ".lock"
        var waited = 0
        while true {
            let fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
            guard fd >= 0 else { throw .file(call: "open", path: path, errno: errno) }
            guard flock(fd, LOCK_EX | LOCK_NB) == 0 else {
                let failure = errno
                Glibc.close(fd)
                guard failure == EWOULDBLOCK else { throw .file(call: "flock", path: path, errno: failure) }
                guard waited < Self.attempts else { throw .inUse(path: socketPath) }
                wait()
                waited += 1
                continue
            }
            var facts = stat()
            if fstat(fd, &facts) == 0, let found = try? SocketFile(at: path), found == SocketFile(facts) {
                self.fd = fd
                return
            }
            Glibc.close(fd)
        }
    }

    /// Unlocks before closing, because a child between fork and exec shares the descriptor and would keep the lock.
    deinit {
        flock(fd, LOCK_UN)
        Glibc.close(fd)
    }

    /// Removes the file. Call it while holding the lock, so that nobody else can hold the removed file.
    func removeFile() { unlink(path) }
}
