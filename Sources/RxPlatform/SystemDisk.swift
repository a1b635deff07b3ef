internal import Glibc

/// The system's calls behind `Disk.system`.
enum SystemDisk {
    /// `mkdir(2)`.
    @Sendable
    static func makeDirectory(_ path: String, _ mode: UInt32) -> Int32 { mkdir(path, mode) == 0 ? 0 : errno }

    /// `open(2)` with O_CREAT.
    @Sendable
    static func makeFile(_ path: String, _ mode: UInt32) -> Int32 {
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, mode)
        guard descriptor >= 0 else { return errno }
        close(descriptor)
        return 0
    }

    /// `open(2)` with O_EXCL.
    @Sendable
    static func makeNewFile(_ path: String, _ mode: UInt32) -> Int32 {
        let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode)
        guard descriptor >= 0 else { return errno }
        close(descriptor)
        return 0
    }

    /// `access(2)` with R_OK.
    @Sendable
    static func checkReadable(_ path: String) -> Int32 { Glibc.access(path, R_OK) == 0 ? 0 : errno }

    /// `flock(2)`, which belongs to the open file: a child that has not executed its program yet has it too.
    @Sendable
    static func lock(_ path: String, _ patience: Duration) throws(FileLock.Failure) -> FileLock {
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw .system(call: "open", errno: errno) }
        var waited = Duration.zero
        while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
            let reason = errno
            guard reason == EWOULDBLOCK || reason == EINTR, waited < patience else {
                close(descriptor)
                throw reason == EWOULDBLOCK || reason == EINTR ? .taken : .system(call: "flock", errno: reason)
            }
            usleep(1000)
            waited += .milliseconds(1)
        }
        return FileLock {
            // Closing alone would leave the lock to a child that has not executed its program yet.
            flock(descriptor, LOCK_UN)
            close(descriptor)
        }
    }

    /// `realpath(3)` of the directory.
    @Sendable
    static func resolve(_ path: String) -> String? {
        let end = path.lastIndex(of: "/")
        let directory = end.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        guard let resolved = realpath(directory, nil) else { return nil }
        defer { free(resolved) }
        let root = String(cString: resolved)
        return (root == "/" ? "" : root) + "/" + (end.map { path[path.index(after: $0)...] } ?? path[...])
    }

    /// `lstat(2)`.
    @Sendable
    static func access(_ path: String) throws(DiskFailure) -> FileAccess {
        var status = stat()
        guard lstat(path, &status) == 0 else { throw DiskFailure(call: "stat", errno: errno) }
        return FileAccess(owner: status.st_uid, mode: status.st_mode & 0o7777)
    }

    /// `geteuid(2)`.
    @Sendable
    static func user() -> UInt32 { geteuid() }

    /// `lstat(2)`.
    @Sendable
    static func size(_ path: String) -> Int? {
        var status = stat()
        return lstat(path, &status) == 0 ? Int(status.st_size) : nil
    }

    /// `lstat(2)`.
    @Sendable
    static func identity(_ path: String) -> FileIdentity? {
        var status = stat()
        guard lstat(path, &status) == 0 else { return nil }
        return FileIdentity(device: UInt64(status.st_dev), number: UInt64(status.st_ino))
    }

    /// `readdir(3)`.
    @Sendable
    static func names(_ path: String) throws(DiskFailure) -> [String] {
        guard let stream = opendir(path) else { throw DiskFailure(call: "opendir", errno: errno) }
        defer { closedir(stream) }
        var names: [String] = []
        while true {
            // readdir(3) reports an error by errno alone.
            errno = 0
            guard let entry = readdir(stream) else { break }
            let name = withUnsafeBytes(of: entry.pointee.d_name) { name in
                String(decoding: name.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != ".", name != ".." { names.append(name) }
        }
        guard errno == 0 else { throw DiskFailure(call: "readdir", errno: errno) }
        return names
    }

    /// `write(2)`.
    @Sendable
    static func write(_ path: String, _ bytes: [UInt8]) -> Int32 {
        let descriptor = open(path, O_WRONLY | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else { return errno }
        defer { close(descriptor) }
        return bytes.withUnsafeBytes { bytes in
            var rest = bytes
            while !rest.isEmpty {
                let count = Glibc.write(descriptor, rest.baseAddress, rest.count)
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { return count < 0 ? errno : ENOSPC }
                rest = UnsafeRawBufferPointer(rebasing: rest[count...])
            }
            return 0
        }
    }

    /// `ftruncate(2)`.
    @Sendable
    static func truncate(_ path: String, _ bytes: Int) -> Int32 {
        let descriptor = open(path, O_WRONLY | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else { return errno }
        defer { close(descriptor) }
        return ftruncate(descriptor, off_t(bytes)) == 0 ? 0 : errno
    }

    /// `read(2)`.
    @Sendable
    static func read(_ path: String, _ bytes: Int) throws(DiskFailure) -> [UInt8] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else { throw DiskFailure(call: "open", errno: errno) }
        defer { close(descriptor) }
        var error: Int32 = 0
        let read = [UInt8](unsafeUninitializedCapacity: bytes) { buffer, count in
            while count < bytes {
                let more = Glibc.read(descriptor, buffer.baseAddress! + count, bytes - count)
                if more < 0, errno == EINTR { continue }
                if more < 0 { error = errno }
                guard more > 0 else { return }
                count += more
            }
        }
        guard error == 0 else { throw DiskFailure(call: "read", errno: error) }
        return read
    }

    /// `fsync(2)`.
    @Sendable
    static func sync(_ path: String) -> Int32 {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else { return errno }
        defer { close(descriptor) }
        return fsync(descriptor) == 0 ? 0 : errno
    }

    /// `mmap(2)`, after `ftruncate(2)` and `fsync(2)` if the file was shorter.
    @Sendable
    static func map(_ path: String, _ bytes: Int) throws(DiskFailure) -> FileMapping {
        let descriptor = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else { throw DiskFailure(call: "open", errno: errno) }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw DiskFailure(call: "fstat", errno: errno) }
        if status.st_size < bytes {
            // Allocated now: a write to a hole of a full disk would kill the process.
            let error = posix_fallocate(descriptor, 0, bytes)
            guard error == 0 else { throw DiskFailure(call: "posix_fallocate", errno: error) }
            guard fsync(descriptor) == 0 else { throw DiskFailure(call: "fsync", errno: errno) }
        }
        guard let address = mmap(nil, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0), address != MAP_FAILED
        else { throw DiskFailure(call: "mmap", errno: errno) }
        return FileMapping(
            UnsafeMutableRawBufferPointer(start: address, count: bytes),
            sync: { msync($0.baseAddress, $0.count, MS_SYNC) == 0 ? 0 : errno },
            release: { munmap($0.baseAddress, $0.count) })
    }

    /// `rename(2)`.
    @Sendable
    static func rename(_ path: String, _ newPath: String) -> Int32 { Glibc.rename(path, newPath) == 0 ? 0 : errno }

    /// `unlink(2)`.
    @Sendable
    static func remove(_ path: String) -> Int32 { unlink(path) == 0 || errno == ENOENT ? 0 : errno }

    /// The kernel's, which is constant from boot to boot.
    @Sendable
    static func bootID() -> BootID? {
        let descriptor = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var text = [UInt8](repeating: 0, count: 36)
        guard Glibc.read(descriptor, &text, text.count) == text.count else { return nil }
        return BootID(String(decoding: text, as: UTF8.self))
    }
}
