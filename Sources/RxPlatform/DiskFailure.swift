/// A system call on a file failed.
public struct DiskFailure: Error, Sendable, Equatable {
    /// The name of the call.
    public let call: String
    /// Its error number.
    public let errno: Int32

    /// A failure of `call`.
    public init(call: String, errno: Int32) {
        self.call = call
        self.errno = errno
    }
}
