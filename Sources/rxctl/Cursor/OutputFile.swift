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

    var inode: Int? { status.map { Int(clamping: $0.st_ino) } }

    /// The size, if the next write appends; nil otherwise.
    var sizeForAppending: Int? {
        guard let status else { return nil }
        let size = Int(status.st_size)
        return isAppending || lseek(descriptor, 0, SEEK_CUR) == size ? size : nil
    }

    var size: Int? { status.map { Int($0.st_size) } }

    private var isAppending: Bool { fcntl(descriptor, F_GETFL) & O_APPEND != 0 }

    /// A new descriptor of the directory with the file's name, if it has one and may be read.
    var directory: Int32? {
        var path = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlink("/proc/self/fd/\(descriptor)", &path, path.count - 1)
        guard count > 0, path[0] == CChar(UInt8(ascii: "/")),
            let slash = path.lastIndex(of: CChar(UInt8(ascii: "/")))
        else { return nil }
        path[max(slash, 1)] = 0
        let directory = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        return directory < 0 ? nil : directory
    }

    /// Moves the offset after the file was truncated: a descriptor that does not append would leave a hole.
    func moveToEnd() {
        if !isAppending { lseek(descriptor, 0, SEEK_END) }
    }

    /// Exactly `count` bytes from `offset`; nil if they cannot be read.
    func bytes(_ offset: Int, _ count: Int) -> [UInt8]? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count)
        guard read(offset, count, { bytes += $0 }), bytes.count == count else { return nil }
        return bytes
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
