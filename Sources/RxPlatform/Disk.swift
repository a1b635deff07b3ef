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
    /// Makes an empty file with a mode; EEXIST if the path is taken.
    public var makeNewFile: @Sendable (_ path: String, _ mode: UInt32) -> Int32 = SystemDisk.makeNewFile
    /// Checks that a file exists and may be read.
    public var checkReadable: @Sendable (_ path: String) -> Int32 = SystemDisk.checkReadable
    /// Locks a file, which is made with mode 0600 if there is none, and waits up to `patience` for another owner.
    public var lock: @Sendable (_ path: String, _ patience: Duration) throws(FileLock.Failure) -> FileLock =
        SystemDisk.lock
    /// A path of the same file without symbolic links, unless the file is one; nil if its directory does not exist.
    public var resolve: @Sendable (_ path: String) -> String? = SystemDisk.resolve
    /// The owner and the permission bits of a file or a directory.
    public var access: @Sendable (_ path: String) throws(DiskFailure) -> FileAccess = SystemDisk.access
    /// The uid whose rights the process has: the effective one.
    public var user: @Sendable () -> UInt32 = SystemDisk.user
    /// The bytes of a file; nil if there is none.
    public var size: @Sendable (_ path: String) -> Int? = SystemDisk.size
    /// Which file has this path; nil if none has.
    public var identity: @Sendable (_ path: String) -> FileIdentity? = SystemDisk.identity
    /// The names in a directory, in no order.
    public var names: @Sendable (_ path: String) throws(DiskFailure) -> [String] = SystemDisk.names
    /// The first bytes of a file: fewer than `bytes` if it is shorter.
    public var read: @Sendable (_ path: String, _ bytes: Int) throws(DiskFailure) -> [UInt8] = SystemDisk.read
    /// Writes bytes to the beginning of a file that exists.
    public var write: @Sendable (_ path: String, _ bytes: [UInt8]) -> Int32 = SystemDisk.write
    /// Cuts a file off after its first bytes.
    public var truncate: @Sendable (_ path: String, _ bytes: Int) -> Int32 = SystemDisk.truncate
    /// Writes what was changed in a file, or the names that were changed in a directory, to the disk, and returns when
    /// it is there.
    public var sync: @Sendable (_ path: String) -> Int32 = SystemDisk.sync
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
