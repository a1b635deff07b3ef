internal import Glibc

/// Holds a state directory for one daemon.
///
/// A file of its own, since SQLite's locks are for the length of a transaction and would let two daemons take turns. It
/// stays when the daemon ends: deleting it could let two in.
struct StoreLock: ~Copyable {
    private let descriptor: Int32

    init(path: String) throws(StoreError) {
        let file = path + "-lock"
        descriptor = open(file, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .file(call: "open", path: file, errno: errno) }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            throw errno == EWOULDBLOCK ? .inUse(path: path) : .file(call: "flock", path: file, errno: errno)
        }
    }

    deinit { if descriptor >= 0 { close(descriptor) } }
}
