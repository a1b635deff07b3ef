internal import Glibc

/// A directory of the machine's disk that is being listed.
final class SystemListing: DirectoryListing {
    private let stream: OpaquePointer

    convenience init(_ path: RawPath, following: Bool) throws(FileError) {
        let flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NONBLOCK | (following ? 0 : O_NOFOLLOW)
        let descriptor = path.withPointer { open($0, flags) }
        guard descriptor >= 0 else { throw FileError(errno) }
        try self.init(descriptor: descriptor)
    }

    /// Takes over the descriptor of a directory.
    init(descriptor: Int32) throws(FileError) {
        guard let stream = fdopendir(descriptor) else {
            let reason = errno
            close(descriptor)
            throw FileError(reason)
        }
        self.stream = stream
    }

    deinit { closedir(stream) }

    func next(_ body: (UnsafeRawBufferPointer, FileStatus?) -> Void) -> Bool {
        while let entry = readdir(stream) {
            let begin = UnsafeRawPointer(entry) + MemoryLayout<dirent>.offset(of: \dirent.d_name)!
            let pointer = begin.assumingMemoryBound(to: CChar.self)
            let name = UnsafeRawBufferPointer(start: begin, count: strlen(pointer))
            if name.count <= 2, name.allSatisfy({ $0 == UInt8(ascii: ".") }) { continue }
            var status = stat()
            let result = fstatat(dirfd(stream), pointer, &status, AT_SYMLINK_NOFOLLOW)
            body(name, result == 0 ? FileStatus(status) : nil)
            return true
        }
        return false
    }
}
