public import JSONRPC

/// Whatever can go wrong between asking and being answered.
public enum ClientError: Error, Sendable {
    /// Nobody answers at `path`; `errno` says why (ENOENT, ECONNREFUSED, EACCES, …).
    case unreachable(path: String, errno: Int32)
    /// The connection ended before the answer, by the daemon (0) or for the reason in `errno`.
    case closed(errno: Int32)
    /// The other end does not speak the protocol; the connection is closed.
    case protocolViolation(String)
    /// A request of `bytes` bytes: the daemon would refuse the line, and it was not sent.
    case tooLarge(bytes: Int, limit: Int)
    /// The daemon does not read what was sent to it; the request was not sent.
    case congested(unsentBytes: Int)
    /// The caller's task was cancelled. The request may have been carried out.
    case cancelled
    /// The daemon answered with an error.
    case refused(RPCError)
}

extension ClientError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .unreachable(let path, let errno): "cannot reach the daemon at \(path): \(SystemText.of(errno))"
        case .closed(errno: 0): "the daemon closed the connection"
        case .closed(let errno): "the connection was lost: \(SystemText.of(errno))"
        case .protocolViolation(let what): "the other end does not speak rx/1: \(what)"
        case .tooLarge(let bytes, let limit): "the request has \(bytes) bytes, more than the \(limit) of a line"
        case .congested(let bytes): "the daemon does not read: \(bytes) bytes are still unsent"
        case .cancelled: "cancelled"
        case .refused(let error): error.message
        }
    }
}
