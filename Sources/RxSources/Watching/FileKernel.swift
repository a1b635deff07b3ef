internal import RxTime

/// Everything that the sources of files use of the kernel. Used by one thread at a time.
///
/// `SystemFileKernel` is the real one. A model puts files in memory in its place, and changes them between any two
/// calls.
protocol FileKernel: AnyObject {
    /// Creates the inotify instance unless there is one.
    func open() throws(FileError)
    /// The descriptor that is readable when `read` has events; nil without an instance.
    var descriptor: Int32? { get }
    /// Removes all watches.
    func close()

    /// Adds events to the watch of a file, and returns its descriptor: the same one for the same file.
    func watch(_ path: RawPath, _ events: WatchEvents, isDirectory: Bool) throws(FileError) -> Int32
    /// Removes a watch; does nothing if it is gone.
    func unwatch(_ watch: Int32)
    /// Calls `body` with the next events, as many as one `read` returns, and returns their number.
    func read(_ body: (WatchEvent) -> Void) -> Int

    /// Returns what a path is. Without `following`, a symbolic link is a link.
    func status(_ path: RawPath, following: Bool) throws(FileError) -> FileStatus
    /// Opens a directory to list it. Follows no link at the end of the path without `following`.
    func list(_ path: RawPath, following: Bool) throws(FileError) -> any DirectoryListing
    /// Opens a directory to look at its names. Follows no link at the end of the path without `following`.
    func directory(_ path: RawPath, following: Bool) throws(FileError) -> any OpenDirectory
    /// Opens a file to read it.
    func file(_ path: RawPath) throws(FileError) -> any OpenFile

    /// Time that never goes back, for waits.
    var uptime: Duration { get }
    /// The time of day.
    var time: Instant { get }
}

/// A directory, wherever it is moved; closed with the object.
protocol OpenDirectory: AnyObject {
    var status: FileStatus { get throws(FileError) }
    /// Returns what a name in it is. A symbolic link is a link.
    func status(of name: UnsafeRawBufferPointer) throws(FileError) -> FileStatus
    /// Opens a directory in it. Follows no link.
    func directory(_ name: UnsafeRawBufferPointer) throws(FileError) -> any OpenDirectory
    /// Begins to list it.
    func list() throws(FileError) -> any DirectoryListing
    /// A path that leads to the open directory, whatever its name is by now.
    var watchPath: RawPath { get }
}

/// A directory that is being listed; closed with the object.
protocol DirectoryListing: AnyObject {
    /// Calls `body` with the next name and what it is, and returns true; false at the end. A name that is gone in the
    /// meantime has no status. Names that exist throughout are listed; others may be.
    func next(_ body: (UnsafeRawBufferPointer, FileStatus?) -> Void) -> Bool
}

/// A file that is being read; closed with the object.
protocol OpenFile: AnyObject {
    var status: FileStatus { get throws(FileError) }
    /// Reads bytes at an offset into the start of `buffer`, and returns how many; 0 at the end.
    func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws(FileError) -> Int
    /// A path that leads to the open file, whatever its name is by now.
    var watchPath: RawPath { get }
}

extension OpenFile {
    /// Reads bytes at an offset into a part of an array, and returns how many.
    func read(at offset: Int64, into bytes: inout [UInt8], _ part: Range<Int>) throws(FileError) -> Int {
        let result: Result<Int, FileError> = bytes.withUnsafeMutableBytes { bytes in
            do throws(FileError) {
                return .success(try read(at: offset, into: UnsafeMutableRawBufferPointer(rebasing: bytes[part])))
            } catch {
                return .failure(error)
            }
        }
        return try result.get()
    }
}
