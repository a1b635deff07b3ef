/// The exclusive lock of a file; released with the object.
public final class FileLock: Sendable {
    /// Why a file cannot be locked.
    public enum Failure: Error, Equatable {
        /// Another process has the lock.
        case taken
        /// A call failed with an errno.
        case system(call: String, errno: Int32)
    }

    private let release: @Sendable () -> Void

    /// - Parameter release: called once.
    public init(release: @escaping @Sendable () -> Void) { self.release = release }

    deinit { release() }
}
