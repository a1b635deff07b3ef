internal import Glibc

/// The file system, as far as finding programs requires it. A relative path starts at the daemon's working directory.
protocol ProgramFiles: Sendable {
    /// The error of changing to a directory; nil if there is none.
    func directoryError(_ path: String) -> Int32?
    /// The error that execve(2) would report for the file itself, EACCES for a directory or a device; nil if there is
    /// none.
    func programError(_ path: String) -> Int32?
    /// Whether anything exists at the path.
    func exists(_ path: String) -> Bool
    /// The first bytes of a file, at most `limit`; nil if it cannot be read.
    func head(of path: String, atMost limit: Int) -> [UInt8]?
}

struct LinuxFiles: ProgramFiles {
    func directoryError(_ path: String) -> Int32? {
        var status = stat()
        guard stat(path, &status) == 0 else { return errno }
        guard status.st_mode & S_IFMT == S_IFDIR else { return ENOTDIR }
        return access(path, X_OK) == 0 ? nil : errno
    }

    func programError(_ path: String) -> Int32? {
        var status = stat()
        guard stat(path, &status) == 0 else { return errno }
        guard status.st_mode & S_IFMT == S_IFREG else { return EACCES }
        return access(path, X_OK) == 0 ? nil : errno
    }

    func exists(_ path: String) -> Bool {
        access(path, F_OK) == 0
    }

    func head(of path: String, atMost limit: Int) -> [UInt8]? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var head = [UInt8](repeating: 0, count: limit)
        let count = read(descriptor, &head, head.count)
        return count < 0 ? nil : Array(head[..<count])
    }
}
