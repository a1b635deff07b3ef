internal import Glibc

/// A directory of the machine's disk whose names are looked at.
final class SystemDirectory: OpenDirectory {
    /// O_PATH of fcntl(2), which Glibc declares for C programs with `_GNU_SOURCE` only.
    private static let pathOnly: Int32 = 0x20_0000
    private static let flags = pathOnly | O_DIRECTORY | O_CLOEXEC

    private let descriptor: Int32

    /// Permission to enter the directory is enough; to list it takes more.
    init(_ path: RawPath, following: Bool) throws(FileError) {
        descriptor = path.withPointer { open($0, Self.flags | (following ? 0 : O_NOFOLLOW)) }
        guard descriptor >= 0 else { throw FileError(errno) }
    }

    private init(_ name: UnsafePointer<CChar>, in directory: Int32) throws(FileError) {
        descriptor = openat(directory, name, Self.flags | O_NOFOLLOW)
        guard descriptor >= 0 else { throw FileError(errno) }
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    var status: FileStatus {
        get throws(FileError) {
            var status = stat()
            guard fstat(descriptor, &status) == 0 else { throw FileError(errno) }
            return FileStatus(status)
        }
    }

    func status(of name: UnsafeRawBufferPointer) throws(FileError) -> FileStatus {
        var status = stat()
        let result = Self.terminated(name) { fstatat(descriptor, $0, &status, AT_SYMLINK_NOFOLLOW) }
        guard result == 0 else { throw FileError(errno) }
        return FileStatus(status)
    }

    func directory(_ name: UnsafeRawBufferPointer) throws(FileError) -> any OpenDirectory {
        try Self.terminated(name) { name in
            Result { () throws(FileError) in try SystemDirectory(name, in: descriptor) }
        }.get()
    }

    func list() throws(FileError) -> any DirectoryListing {
        let listed = openat(descriptor, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard listed >= 0 else { throw FileError(errno) }
        return try SystemListing(descriptor: listed)
    }

    var watchPath: RawPath { RawPath("/proc/self/fd/\(descriptor)") }

    private static func terminated<Result>(
        _ name: UnsafeRawBufferPointer, _ body: (UnsafePointer<CChar>) -> Result
    ) -> Result {
        withUnsafeTemporaryAllocation(byteCount: name.count + 1, alignment: 1) { buffer in
            buffer.copyMemory(from: name)
            buffer[name.count] = 0
            return body(buffer.baseAddress!.assumingMemoryBound(to: CChar.self))
        }
    }
}
