internal import Glibc
internal import RxPlatform

/// One file of a configuration.
struct ConfigurationFile {
    /// The path, as messages show it.
    let path: String
    let bytes: [UInt8]
}

enum ConfigurationFiles {
    /// Largest file in bytes, far above any real one: a wrong path (a log, a device) must not fill the memory.
    static let largestFile = 4 * 1_048_576

    /// `rxd.toml` first, then `conf.d/*.toml` in the order of their names. Hidden files, such as editors', are skipped.
    static func paths(directory: String, mayBeMissing: Bool, faults: FaultList) -> [String] {
        if case .failure(let error) = names(in: directory) {
            if !(error.code == ENOENT && mayBeMissing) {
                faults.add("cannot be read: \(SystemErrorName.text(of: error.code))", file: directory)
            }
            return []
        }
        return ["\(directory)/rxd.toml"] + files(in: "\(directory)/conf.d", faults: faults)
    }

    /// `tests/*.toml`, likewise.
    static func tests(directory: String, faults: FaultList) -> [String] {
        files(in: "\(directory)/tests", faults: faults)
    }

    private static func files(in directory: String, faults: FaultList) -> [String] {
        switch names(in: directory) {
        case .success(let names):
            let wanted = names.filter { $0.hasSuffix(".toml") && !$0.hasPrefix(".") }
            return wanted.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }.map { "\(directory)/\($0)" }
        case .failure(let error):
            if error.code != ENOENT {
                faults.add("cannot be read: \(SystemErrorName.text(of: error.code))", file: directory)
            }
            return []
        }
    }

    /// Nil if the file cannot be read; then it adds a fault, unless the file `isOptional` and missing.
    static func read(_ path: String, isOptional: Bool, faults: FaultList) -> ConfigurationFile? {
        switch contents(of: path, atMost: largestFile) {
        case .success(let bytes): return ConfigurationFile(path: path, bytes: bytes)
        case .failure(.system(ENOENT)) where isOptional: break
        case .failure(let error): faults.add(error.description, file: path)
        }
        return nil
    }

    private struct SystemError: Error { let code: Int32 }

    /// The description follows the file's name in messages.
    enum ReadError: Error, CustomStringConvertible {
        case system(Int32)
        case tooLarge(limit: Int)
        case notAFile

        var description: String {
            switch self {
            case .system(let code): "cannot be read: \(SystemErrorName.text(of: code))"
            case .tooLarge(let limit): "is larger than \(limit) bytes"
            case .notAFile: "is not a regular file"
            }
        }
    }

    private static func names(in directory: String) -> Result<[String], SystemError> {
        guard let stream = opendir(directory) else { return .failure(SystemError(code: errno)) }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            names.append(
                withUnsafeBytes(of: entry.pointee.d_name) { name in
                    String(decoding: name.prefix { $0 != 0 }, as: UTF8.self)
                })
        }
        return .success(names)
    }

    static func contents(of path: String, atMost limit: Int) -> Result<[UInt8], ReadError> {
        // Nonblocking: opening a FIFO must not hang.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { return .failure(.system(errno)) }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return .failure(.system(errno)) }
        guard status.st_mode & S_IFMT == S_IFREG else { return .failure(.notAFile) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while bytes.count <= limit {
            let count = buffer.withUnsafeMutableBytes { Glibc.read(descriptor, $0.baseAddress, $0.count) }
            if count < 0 && errno == EINTR { continue }
            guard count >= 0 else { return .failure(.system(errno)) }
            if count == 0 { return .success(bytes) }
            bytes.append(contentsOf: buffer[..<count])
        }
        return .failure(.tooLarge(limit: limit))
    }
}
