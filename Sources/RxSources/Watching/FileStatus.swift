/// What `lstat(2)` returns of a file.
struct FileStatus: Equatable, Sendable {
    /// What a file is.
    enum Kind: Sendable {
        case file, directory, link, other
    }

    var kind: Kind
    var device: UInt64
    var inode: UInt64
    /// Nanoseconds since 1970: the last change of the content.
    var modified: Int64
    /// Nanoseconds since 1970: the last change of the content, the name, or the attributes.
    var changed: Int64
    var size: Int64
    /// The number of names.
    var links: UInt64

    /// Whether both are the same file.
    func isSameFile(as other: FileStatus) -> Bool { device == other.device && inode == other.inode }
}

/// A system call on a file failed.
struct FileError: Error, Equatable {
    let errno: Int32

    init(_ errno: Int32) { self.errno = errno }
}
