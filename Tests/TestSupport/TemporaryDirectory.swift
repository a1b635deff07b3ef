package import Glibc

/// A directory of a test's own, removed with everything in it at the end.
package final class TemporaryDirectory: Sendable {
    package let path: String

    /// - Parameter parent: where it is made.
    package init(in parent: String = "/tmp") {
        var template = Array("\(parent)/rxd-tests.XXXXXX".utf8CString)
        path = template.withUnsafeMutableBufferPointer { buffer in
            String(cString: mkdtemp(buffer.baseAddress!))
        }
    }

    deinit { Self.remove(path) }

    /// Writes a file, and makes the directories on its way; returns its path.
    @discardableResult
    package func write(_ name: String, _ text: String, mode: mode_t = 0o644) -> String {
        write(name, bytes: Array(text.utf8), mode: mode)
    }

    @discardableResult
    package func write(_ name: String, bytes: [UInt8], mode: mode_t = 0o644) -> String {
        var directory = path
        for part in name.split(separator: "/").dropLast() {
            directory += "/\(part)"
            mkdir(directory, 0o755)
        }
        let file = "\(path)/\(name)"
        let descriptor = open(file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode)
        precondition(descriptor >= 0)
        precondition(Glibc.write(descriptor, bytes, bytes.count) == bytes.count)
        close(descriptor)
        chmod(file, mode)
        if mode & 0o111 != 0 { Self.awaitNoWriter(file) }
        return file
    }

    /// A child that another test starts meanwhile has a copy of our descriptor until its own exec, and nobody can
    /// execute the file before that (`ETXTBSY`). A read lease is granted as soon as no descriptor may write.
    private static func awaitNoWriter(_ file: String) {
        let setLease: Int32 = 1024  // F_SETLEASE of fcntl(2), which Glibc declares with `_GNU_SOURCE` only.
        let descriptor = open(file, O_RDONLY | O_CLOEXEC)
        defer { close(descriptor) }
        while fcntl(descriptor, setLease, F_RDLCK) != 0, errno == EAGAIN { sched_yield() }
    }

    package func read(_ name: String) -> String? { readText("\(path)/\(name)") }

    /// Names in the directory or one below it, hidden ones left out.
    package func names(in directory: String = "") -> [String] {
        guard let stream = opendir("\(path)/\(directory)") else { return [] }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            if !name.hasPrefix(".") { names.append(name) }
        }
        return names.sorted()
    }

    private static func remove(_ path: String) {
        var status = stat()
        guard lstat(path, &status) == 0 else { return }
        if status.st_mode & S_IFMT == S_IFDIR {
            chmod(path, 0o700)
            if let stream = opendir(path) {
                while let entry = readdir(stream) {
                    let name = withUnsafeBytes(of: entry.pointee.d_name) {
                        String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
                    }
                    if name != "." && name != ".." { remove("\(path)/\(name)") }
                }
                closedir(stream)
            }
            rmdir(path)
        } else {
            unlink(path)
        }
    }
}

package func readText(_ path: String) -> String? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while case let count = read(descriptor, &buffer, buffer.count), count > 0 { bytes += buffer[..<count] }
    return String(decoding: bytes, as: UTF8.self)
}
