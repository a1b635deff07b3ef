internal import Glibc
internal import RxPlatform

/// A system call that failed.
public struct SystemCallError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The name of the call, such as "epoll_ctl".
    public let call: String
    /// The error number.
    public let errno: Int32

    /// epoll's error for a descriptor that is always ready.
    static let neverBlocks = EPERM

    package init(_ call: String, errno: Int32) {
        self.call = call
        self.errno = errno
    }

    /// The call and the system's message for the error.
    public var description: String { "\(call): \(SystemErrorName.sentence(of: errno))" }

    /// The result of a function of `CEpoll`, or the error that it reports.
    @inline(__always)
    static func check(_ call: String, _ result: Int32) throws(SystemCallError) -> Int32 {
        guard result >= 0 else { throw SystemCallError(call, errno: -result) }
        return result
    }
}
