internal import Glibc

/// A system call that failed.
public struct SystemCallError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The name of the call, such as "epoll_ctl".
    public let call: String
    public let errno: Int32

    /// epoll's answer to a descriptor that is always ready.
    static let neverBlocks = EPERM

    package init(_ call: String, errno: Int32) {
        self.call = call
        self.errno = errno
    }

    public var description: String { "\(call): \(Self.text(of: errno))" }

    /// The C library's sentence for an error number.
    package static func text(of errno: Int32) -> String {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
            guard let base = buffer.baseAddress, strerror_r(errno, base, buffer.count) == 0 else {
                return "errno \(errno)"
            }
            return String(cString: base)
        }
    }

    /// The result of a function of `CEpoll`, or the error that it reports.
    @inline(__always)
    static func check(_ call: String, _ result: Int32) throws(SystemCallError) -> Int32 {
        guard result >= 0 else { throw SystemCallError(call, errno: -result) }
        return result
    }
}
