/// The files of the state: SQLite's, and the few calls that are made beside it. Errors are errnos; 0 is success.
public struct Disk: Sendable {
    /// The name of SQLite's virtual file system, which is registered with SQLite; nil for its default.
    public var fileSystem: String?
    /// Makes a directory with a mode.
    public var makeDirectory: @Sendable (_ path: String, _ mode: UInt32) -> Int32
    /// Makes an empty file with a mode unless there is one; opens it for writing in any case.
    public var makeFile: @Sendable (_ path: String, _ mode: UInt32) -> Int32
    /// Checks that a file exists and may be read.
    public var checkReadable: @Sendable (_ path: String) -> Int32
    /// Locks a file, which is made with mode 0600 if there is none, and waits up to `patience` for another owner.
    public var lock: @Sendable (_ path: String, _ patience: Duration) throws(FileLock.Failure) -> FileLock

    /// - Parameters:
    ///   - fileSystem: the name of SQLite's virtual file system; nil for its default.
    ///   - makeDirectory: makes a directory with a mode.
    ///   - makeFile: makes an empty file with a mode unless there is one; opens it for writing in any case.
    ///   - checkReadable: checks that a file exists and may be read.
    ///   - lock: locks a file, which is made if there is none, and waits up to `patience` for another owner.
    public init(
        fileSystem: String?, makeDirectory: @escaping @Sendable (_ path: String, _ mode: UInt32) -> Int32,
        makeFile: @escaping @Sendable (_ path: String, _ mode: UInt32) -> Int32,
        checkReadable: @escaping @Sendable (_ path: String) -> Int32,
        lock: @escaping @Sendable (_ path: String, _ patience: Duration) throws(FileLock.Failure) -> FileLock
    ) {
        self.fileSystem = fileSystem
        self.makeDirectory = makeDirectory
        self.makeFile = makeFile
        self.checkReadable = checkReadable
        self.lock = lock
    }

    /// The machine's disk.
    public static let system = Disk(
        fileSystem: nil, makeDirectory: SystemDisk.makeDirectory, makeFile: SystemDisk.makeFile,
        checkReadable: SystemDisk.checkReadable, lock: SystemDisk.lock)
}
