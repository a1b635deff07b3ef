internal import Glibc
internal import RxLoop
internal import RxPlatform

/// The errors of this module with their details: the system call, its `errno`, the path.
public enum SocketError: Error, Sendable, Equatable {
    /// A system call failed.
    case system(call: String, errno: Int32)
    /// A system call on a file failed.
    case file(call: String, path: String, errno: Int32)
    /// The path exceeds `limit`, the most bytes in the address of a Unix socket.
    case pathTooLong(path: String, limit: Int)
    /// A live or starting listener owns the path.
    case inUse(path: String)
    /// A file that is not a socket exists at the path; it is left unchanged.
    case notASocket(path: String)
    /// This process may not give the socket to the group, or the user namespace does not have it.
    case cannotGive(path: String, gid: UInt32, errno: Int32)
    /// The adopted descriptor is not a listening Unix stream socket; `found` describes it.
    case notAListener(fd: Int32, found: String)

    /// The error number of the failed call, if there was one.
    public var errno: Int32? {
        switch self {
        case .system(_, let errno), .file(_, _, let errno), .cannotGive(_, _, let errno): errno
        case .pathTooLong, .inUse, .notASocket, .notAListener: nil
        }
    }

    /// The path concerned, if there is one.
    public var path: String? {
        switch self {
        case .file(_, let path, _), .pathTooLong(let path, _), .inUse(let path), .notASocket(let path),
            .cannotGive(let path, _, _):
            path
        case .system, .notAListener: nil
        }
    }

    /// Whether the peer disconnected without receiving everything. This is normal and needs no warning.
    public var isPeerGone: Bool { errno == EPIPE || errno == ECONNRESET }
}

extension SocketError: CustomStringConvertible {
    /// A description on one line.
    public var description: String {
        switch self {
        case .system(let call, let errno): "\(call): \(SystemErrorName.sentence(of: errno))"
        case .file(let call, let path, let errno): "\(path): \(call): \(SystemErrorName.sentence(of: errno))"
        case .pathTooLong(let path, let limit):
            "\(path): too long for a socket (\(path.utf8.count) bytes, at most \(limit))"
        case .inUse(let path): "\(path): in use by another process"
        case .notASocket(let path): "\(path): exists and is not a socket"
        case .cannotGive(let path, let gid, let errno):
            """
            \(path): cannot be given to the group with the gid \(gid): \(SystemErrorName.sentence(of: errno)); make \
            the user of the daemon a member of that group, or run the daemon as root
            """
        case .notAListener(let fd, let found): "descriptor \(fd) is not a listening Unix stream socket: \(found)"
        }
    }

    init(_ error: SystemCallError) { self = .system(call: error.call, errno: error.errno) }
}

/// The result of a function of `CEpoll`, or the error that it reports.
@inline(__always)
func check(_ call: String, _ answer: Int32) throws(SocketError) -> Int32 {
    guard answer >= 0 else { throw .system(call: call, errno: -answer) }
    return answer
}
