import Glibc

/// Small files, whole.
enum Files {
    static func read(_ path: String) -> String? {
        access(path, R_OK) == 0 ? String(decoding: bytes(path), as: UTF8.self) : nil
    }

    /// None of a file that cannot be read.
    static func bytes(_ path: String) -> [UInt8] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return [] }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while case let count = Glibc.read(descriptor, &chunk, chunk.count), count > 0 {
            bytes.append(contentsOf: chunk[..<count])
        }
        return bytes
    }

    static func write(_ text: String, to path: String, mode: mode_t = 0o644) {
        write(Array(text.utf8), to: path, mode: mode)
    }

    static func write(_ bytes: [UInt8], to path: String, mode: mode_t = 0o644) {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode)
        precondition(descriptor >= 0, "cannot write \(path)")
        defer { close(descriptor) }
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            precondition(count > 0, "cannot write \(path)")
            rest = rest.dropFirst(count)
        }
    }

    static func exists(_ path: String) -> Bool {
        access(path, F_OK) == 0
    }

    /// Where a symbolic link points to; nil if it is none.
    static func target(of link: String) -> String? {
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = buffer.withUnsafeMutableBytes {
            readlink(link, $0.baseAddress!.assumingMemoryBound(to: CChar.self), $0.count)
        }
        return count < 0 ? nil : String(decoding: buffer.prefix(count), as: UTF8.self)
    }

    static func names(in directory: String) -> [String] {
        guard let stream = opendir(directory) else { return [] }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names.sorted()
    }

    /// The directory with everything in it.
    static func removeTree(_ path: String) {
        for name in names(in: path) {
            let entry = "\(path)/\(name)"
            var status = stat()
            if lstat(entry, &status) == 0, status.st_mode & S_IFMT == S_IFDIR {
                removeTree(entry)
            } else {
                unlink(entry)
            }
        }
        rmdir(path)
    }
}
