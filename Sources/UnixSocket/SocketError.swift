internal import Glibc
internal import RxLoop

/// The errors of this module, with their facts: the system call, its `errno`, the path.
public enum SocketError: Error, Sendable, Equatable {
    case system(call: String, errno: Int32)
    case file(call: String, path: String, errno: Int32)
    /// A Unix socket's address holds `limit` bytes of path at most.
    case pathTooLong(path: String, limit: Int)
    /// A live listener, or one that is starting, owns the path.
    case inUse(path: String)
    /// Something else than a socket is at the path; it is left alone.
    case notASocket(path: String)
    /// A descriptor handed in is no listening Unix stream socket; `found` says what it is.
    case notAListener(fd: Int32, found: String)

    /// The error number of the failed call, where there was one.
    public var errno: Int32? {
        switch self {
        case .system(_, let errno), .file(_, _, let errno): errno
        case .pathTooLong, .inUse, .notASocket, .notAListener: nil
        }
    }

    /// The path concerned, where there is one.
    public var path: String? {
        switch self {
        case .file(_, let path, _), .pathTooLong(let path, _), .inUse(let path), .notASocket(let path): path
        case .system, .notAListener: nil
        }
    }

    /// The other end went away without taking everything: ordinary, not worth a warning.
    public var isPeerGone: Bool { errno == EPIPE || errno == ECONNRESET }
}

extension SocketError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .system(let call, let errno): "\(call): \(SystemErrorName.sentence(of: errno))"
        case .file(let call, let path, let errno): "\(path): \(call): \(SystemErrorName.sentence(of: errno))"
        case .pathTooLong(let path, let limit):
            "\(path): too long for a socket (\(path.utf8.count) bytes, at most \(limit))"
        case .inUse(let path): "\(path): in use by another process"
        case .notASocket(let path): "\(path): exists and is not a socket"
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
