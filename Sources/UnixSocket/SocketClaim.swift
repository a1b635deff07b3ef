internal import Glibc
internal import Synchronization

/// The exclusive right of this process to listen at a path, from before it has a socket there.
///
/// A daemon takes it before it opens its state, which one that cannot serve must not change. It holds the lock file
/// `PATH.lock`, which it removes if no socket has come of it.
public final class SocketClaim: Sendable {
    let address: SocketPath
    private let lock: SocketLock
    private let hasSocket = Atomic(false)

    /// - Parameter path: where to listen; a dead socket there is left alone.
    /// - Throws: `inUse` if another socket is alive or starting there, `notASocket`, `pathTooLong`, or the error of a
    ///   system call.
    public init(_ path: String) throws(SocketError) {
        address = try SocketPath(path)
        lock = try SocketLock(for: path)
        _ = try findStale()
    }

    deinit {
        if !hasSocket.load(ordering: .relaxed) { lock.removeFile() }
    }

    /// The dead socket at the path; nil if there is nothing.
    func findStale() throws(SocketError) -> SocketFile? {
        guard let found = try SocketFile(at: address.text) else { return nil }
        guard found.isSocket else { throw .notASocket(path: address.text) }
        let probe = try SocketPath.makeSocket()
        defer { Glibc.close(probe) }
        switch address.connect(probe) {
        case -ECONNREFUSED: return found
        case -ENOENT: return nil
        // It answered; it is alive with a full queue; it is alive and of another type.
        case 0, -EAGAIN, -EPROTOTYPE: throw .inUse(path: address.text)
        case let answer: throw .file(call: "connect", path: address.text, errno: -answer)
        }
    }

    /// From now on, the lock file stays for as long as the socket.
    func noteSocket() { hasSocket.store(true, ordering: .relaxed) }

    /// Removes the lock file, while the lock is still held.
    func removeFile() { lock.removeFile() }
}
