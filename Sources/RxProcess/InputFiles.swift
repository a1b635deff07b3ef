internal import Glibc
internal import RxLoop

/// Files with parts of inputs that are passed to programs by path, because every user of the machine can read a
/// program's arguments.
///
/// All files of a daemon are in one directory that only its user can read. It is in a file system in memory if the
/// system offers one, so that nothing reaches a disk. A file exists from before the start of its process to its end;
/// those that a killed daemon left behind are removed by the next one.
package struct InputFiles: Sendable {
    /// The directory, which need not exist yet.
    package let directory: String

    /// - Parameters:
    ///   - stateDirectory: names the daemon, because it belongs to one daemon at a time. It exists.
    ///   - runtimeDirectories: candidates for the place, from the best; a missing or empty one is skipped. The state
    ///     directory is the last resort.
    package init(stateDirectory: String, runtimeDirectories: [String?]) {
        // systemd separates several directories by colons.
        let candidates = runtimeDirectories.map { $0?.split(separator: ":").first.map(String.init) }
        let place = candidates.compactMap { $0 }.first { $0.hasPrefix("/") && access($0, W_OK | X_OK) == 0 }
        guard let place else {
            directory = "\(stateDirectory)/inputs"
            return
        }
        var status = stat()
        _ = stat(stateDirectory, &status)
        directory = "\(place)/rxd-inputs-\(String(status.st_dev, radix: 16))-\(String(status.st_ino, radix: 16))"
    }

    /// What an administrator should know if the directory is on a disk; nil without actions.
    ///
    /// - Parameter actions: those that pass parts of their inputs as files.
    package func warningOfDisk(for actions: [String]) -> String? {
        guard let first = actions.first else { return nil }
        let others = actions.count > 1 ? " and \(actions.count - 1) more pass" : " passes"
        return """
            the action \(first)\(others) parts of inputs as files, which are on a disk (\(directory)), secrets \
            included; set RuntimeDirectory=rxd in the unit, or XDG_RUNTIME_DIR to a directory in memory
            """
    }

    /// Writes a file (mode 0600) and returns its path. Makes the directory (mode 0700) if necessary.
    ///
    /// - Parameter name: unique among the files that exist, without a slash.
    func write(_ content: [UInt8], name: String) throws(InputFileError) -> String {
        guard mkdir(directory, 0o700) == 0 || errno == EEXIST else {
            throw InputFileError(path: directory, code: errno)
        }
        try checkDirectory()
        let path = "\(directory)/\(name)"
        // A left-over file would belong to nobody: no two attempts share a name.
        unlink(path)
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw InputFileError(path: path, code: errno) }
        defer { close(descriptor) }
        var rest = content[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            guard count > 0 || count < 0 && errno == EINTR else {
                let code = count == 0 ? ENOSPC : errno
                unlink(path)
                throw InputFileError(path: path, code: code)
            }
            rest = rest.dropFirst(max(0, count))
        }
        return path
    }

    func remove(_ paths: [String]) {
        for path in paths { unlink(path) }
    }

    /// Removes what a killed daemon left behind. Call it before starting any process.
    package func removeAll() {
        // Another user may have put a link to any directory in its place.
        let descriptor = open(directory, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        var status = stat()
        guard fstat(descriptor, &status) == 0, Self.isOwn(status), let stream = fdopendir(descriptor) else {
            close(descriptor)
            return
        }
        defer { closedir(stream) }
        while let item = readdir(stream) {
            let name = withUnsafeBytes(of: item.pointee.d_name) { name in
                String(decoding: name.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != ".", name != ".." { unlinkat(descriptor, name, 0) }
        }
    }

    /// The place may be one where others can make directories.
    private func checkDirectory() throws(InputFileError) {
        var status = stat()
        guard lstat(directory, &status) == 0 else { throw InputFileError(path: directory, code: errno) }
        guard Self.isOwn(status) else { throw InputFileError(path: directory, code: EPERM) }
    }

    /// Whether it is a directory of this user that nobody else may use.
    private static func isOwn(_ status: stat) -> Bool {
        status.st_mode & S_IFMT == S_IFDIR && status.st_uid == geteuid() && status.st_mode & 0o077 == 0
    }
}

/// Why a part of an input cannot be put into a file.
struct InputFileError: Error, Equatable {
    let path: String
    let code: Int32
}
