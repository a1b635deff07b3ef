/// The files of the state: SQLite's, and the few calls that are made beside it. Errors are errnos; 0 is success.
///
/// No call follows a symbolic link at the end of its path.
public struct Disk: Sendable {
    /// The name of SQLite's virtual file system, which is registered with SQLite; nil for its default.
    public var fileSystem: String?
    /// Makes a directory with a mode.
    public var makeDirectory: @Sendable (_ path: String, _ mode: UInt32) -> Int32 = SystemDisk.makeDirectory
    /// Makes an empty file with a mode unless there is one; opens it for writing in any case.
    public var makeFile: @Sendable (_ path: String, _ mode: UInt32) -> Int32 = SystemDisk.makeFile
    /// Checks that a file exists and may be read.
    public var checkReadable: @Sendable (_ path: String) -> Int32 = SystemDisk.checkReadable
    /// Locks a file, which is made with mode 0600 if there is none, and waits up to `patience` for another owner.
    public var lock: @Sendable (_ path: String, _ patience: Duration) throws(FileLock.Failure) -> FileLock =
        SystemDisk.lock
    /// The bytes of a file; nil if there is none.
    public var size: @Sendable (_ path: String) -> Int? = SystemDisk.size
    /// Maps the first bytes of an existing file, which is extended with zeros if it is shorter. The length is on the
    /// disk when this returns.
    public var map: @Sendable (_ path: String, _ bytes: Int) throws(DiskFailure) -> FileMapping = SystemDisk.map
    /// Gives a file another name; a file that has it is replaced.
    public var rename: @Sendable (_ path: String, _ newPath: String) -> Int32 = SystemDisk.rename
    /// Removes a file; success if there is none.
    public var remove: @Sendable (_ path: String) -> Int32 = SystemDisk.remove
    /// The identity of the machine's boot; nil if it is unknown.
    public var bootID: @Sendable () -> BootID? = SystemDisk.bootID

    /// The machine's disk.
    ///
    /// - Parameter fileSystem: the name of SQLite's virtual file system; nil for its default.
    public init(fileSystem: String? = nil) { self.fileSystem = fileSystem }

    /// The machine's disk.
    public static let system = Disk()
}
