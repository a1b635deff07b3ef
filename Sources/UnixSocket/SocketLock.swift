internal import Glibc

/// The right to own a socket's path, held from before the path is looked at until the listener is closed.
///
/// Two daemons that start at once would both find a stale socket and both replace it, the second one taking the path from
/// under the first. So whoever wants the path first locks the file `PATH.lock` beside it, and keeps it: the kernel releases
/// the lock with the process, however that ends. A lock file can be deleted safely by its holder only, and a newcomer who
/// waited for one that is deleted meanwhile notices, because the path then names another file or none.
struct SocketLock: ~Copyable {
    private let path: String
    private let fd: Int32

    init(for socketPath: String) throws(SocketError) {
        path = socketPath + ".lock"
        while true {
            let fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
            guard fd >= 0 else { throw .file(call: "open", path: path, errno: errno) }
            guard flock(fd, LOCK_EX | LOCK_NB) == 0 else {
                let failure = errno
                Glibc.close(fd)
                throw failure == EWOULDBLOCK
                    ? .inUse(path: socketPath) : .file(call: "flock", path: path, errno: failure)
            }
            var facts = stat()
            if fstat(fd, &facts) == 0, let found = try? FileIdentity(at: path), found == FileIdentity(facts) {
                self.fd = fd
                return
            }
            Glibc.close(fd)
        }
    }

    /// Unlocks before closing: a child between fork and exec still shares the descriptor and would keep the lock.
    deinit {
        flock(fd, LOCK_UN)
        Glibc.close(fd)
    }

    /// While the lock is held, so that nobody else can hold the file that disappears.
    func removeFile() { unlink(path) }
}
