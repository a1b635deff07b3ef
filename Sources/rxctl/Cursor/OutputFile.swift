internal import Glibc

/// stdout as a regular file, whose content can be read again.
struct OutputFile {
    private static let chunkBytes = 65_536

    let descriptor: Int32

    /// The status of a regular file; nil for anything else.
    private var status: stat? {
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        return status
    }

    static func identity(_ status: stat) -> String { "\(status.st_dev):\(status.st_ino)" }

    var identity: String? { status.map(OutputFile.identity) }

    /// The size, if the next write appends; nil otherwise.
    var sizeForAppending: Int? {
        guard let status else { return nil }
        let size = Int(status.st_size)
        return isAppending || lseek(descriptor, 0, SEEK_CUR) == size ? size : nil
    }

    var size: Int? { status.map { Int($0.st_size) } }

    private var isAppending: Bool { fcntl(descriptor, F_GETFL) & O_APPEND != 0 }

    /// Moves the offset after the file was truncated: a descriptor that does not append would leave a hole.
    func moveToEnd() {
        if !isAppending { lseek(descriptor, 0, SEEK_END) }
    }

    /// Calls `body` with at most `count` bytes from `offset`, chunk by chunk; returns false if they cannot be read.
    func read(_ offset: Int, _ count: Int, _ body: (UnsafeRawBufferPointer) -> Void) -> Bool {
        // The shell has opened the descriptor for writing only.
        let reading = open("/proc/self/fd/\(descriptor)", O_RDONLY | O_CLOEXEC)
        guard reading >= 0 else { return false }
        defer { close(reading) }
        let chunk = UnsafeMutableRawBufferPointer.allocate(byteCount: OutputFile.chunkBytes, alignment: 1)
        defer { chunk.deallocate() }
        var done = 0
        while done < count {
            let read = pread(reading, chunk.baseAddress, min(chunk.count, count - done), offset + done)
            guard read > 0 else { return read == 0 }
            body(UnsafeRawBufferPointer(rebasing: chunk[..<read]))
            done += read
        }
        return true
    }
}
