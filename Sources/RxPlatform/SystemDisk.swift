internal import Glibc

/// The system's calls behind `Disk.system`.
enum SystemDisk {
    /// `mkdir(2)`.
    @Sendable
    static func makeDirectory(_ path: String, _ mode: UInt32) -> Int32 { mkdir(path, mode) == 0 ? 0 : errno }

    /// `open(2)` with O_CREAT.
    @Sendable
    static func makeFile(_ path: String, _ mode: UInt32) -> Int32 {
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, mode)
        guard descriptor >= 0 else { return errno }
        close(descriptor)
        return 0
    }

    /// `access(2)` with R_OK.
    @Sendable
    static func checkReadable(_ path: String) -> Int32 { access(path, R_OK) == 0 ? 0 : errno }

    /// `flock(2)`, which belongs to the open file: a child that has not executed its program yet has it too.
    @Sendable
    static func lock(_ path: String, _ patience: Duration) throws(FileLock.Failure) -> FileLock {
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
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
}
