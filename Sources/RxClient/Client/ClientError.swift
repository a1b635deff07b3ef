public import JSONRPC
internal import RxPlatform

/// Why a request has no result, or a stream no end: the only type of error that `Client` and its streams throw.
///
/// Their functions are declared with plain `throws`, because Swift 6.3.1 crashes on a `catch` of one case of a typed
/// error that is not trivial, in the top-level code of an async `main.swift`.
public enum ClientError: Error, Sendable {
    /// Nobody answers at `path`; `errno` is the reason (ENOENT, ECONNREFUSED, EACCES, …).
    case unreachable(path: String, errno: Int32)
    /// The connection ended before the reply: closed by the daemon (0), or for the reason in `errno`.
    case closed(errno: Int32)
    /// The peer does not speak the protocol; the connection is closed. The text describes what it sent.
    case protocolViolation(String)
    /// The request has `bytes` bytes, more than the `limit` that the daemon accepts. It was not sent.
    case tooLarge(bytes: Int, limit: Int)
    /// The daemon does not read, and `unsentBytes` bytes are waiting already. The request was not sent.
    case congested(unsentBytes: Int)
    /// The caller's task was canceled. The request may have been carried out.
    case cancelled
    /// The daemon answered with this error.
    case refused(RPCError)
}

extension ClientError: CustomStringConvertible {
    /// One sentence for people, without a final period.
    public var description: String {
        switch self {
        case .unreachable(let path, let errno): "cannot reach the daemon at \(path): \(SystemErrorName.text(of: errno))"
        case .closed(errno: 0): "the daemon closed the connection"
        case .closed(let errno): "the connection was lost: \(SystemErrorName.text(of: errno))"
        case .protocolViolation(let what): "the peer does not speak rx/1: \(what)"
        case .tooLarge(let bytes, let limit): "the request is \(bytes) bytes long; the daemon accepts at most \(limit)"
        case .congested(let bytes): "the daemon is not reading: \(bytes) bytes are waiting to be sent"
        case .cancelled: "cancelled"
        case .refused(let error): error.message
        }
    }
}
