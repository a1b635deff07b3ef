internal import Glibc

/// Reserves a state directory for one daemon.
///
/// It locks a file of its own, since SQLite's locks last for a transaction and would let two daemons take turns. The
/// file stays when the daemon ends: after a deletion, two daemons could hold locks on two files.
struct StoreLock: ~Copyable {
    /// Milliseconds to wait for a child of a daemon that was killed: until it runs its program, it has the lock too.
    private static let patience = 250

    private let descriptor: Int32

    init(path: String) throws(StoreError) {
        let file = path + "-lock"
        descriptor = open(file, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .file(call: "open", path: file, errno: errno) }
        for millisecond in 0... {
            if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { return }
            let reason = errno
            guard reason == EWOULDBLOCK || reason == EINTR else {
                throw .file(call: "flock", path: file, errno: reason)
            }
            guard millisecond < Self.patience else { throw .inUse(path: path) }
            usleep(1000)
        }
    }

    deinit {
        guard descriptor >= 0 else { return }
        // Closing alone would leave the lock to a child that has not executed its program yet.
        flock(descriptor, LOCK_UN)
        close(descriptor)
    }
}
