internal import Glibc

/// A file of the machine's disk that is being read.
final class SystemFile: OpenFile {
    private let descriptor: Int32

    init(_ path: RawPath) throws(FileError) {
        // Without waiting for a writer, if it is a pipe.
        let descriptor = path.withPointer { open($0, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY) }
        guard descriptor >= 0 else { throw FileError(errno) }
        self.descriptor = descriptor
    }

    deinit { close(descriptor) }

    var status: FileStatus {
        get throws(FileError) {
            var status = stat()
            guard fstat(descriptor, &status) == 0 else { throw FileError(errno) }
            return FileStatus(status)
        }
    }

    func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws(FileError) -> Int {
        var count: Int
        repeat {
            count = pread(descriptor, buffer.baseAddress, buffer.count, off_t(offset))
        } while count < 0 && errno == EINTR
        guard count >= 0 else { throw FileError(errno) }
        return count
    }

    var watchPath: RawPath { RawPath("/proc/self/fd/\(descriptor)") }
}
