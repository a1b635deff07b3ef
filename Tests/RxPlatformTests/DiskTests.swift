import Glibc
import RxPlatform
import Testing
import TestSupport

@Suite("The system's disk")
struct DiskTests {
    private let directory = TemporaryDirectory()
    private let disk = Disk.system

    @Test("makes a directory and a file with their modes, and leaves a file that is there")
    func makes() {
        let path = directory.path + "/state"
        #expect(disk.makeDirectory(path, 0o700) == 0)
        #expect(disk.makeDirectory(path, 0o700) == EEXIST)
        #expect(disk.makeFile(path + "/file", 0o600) == 0)
        var status = stat()
        #expect(stat(path + "/file", &status) == 0 && status.st_mode & 0o7777 == 0o600 && status.st_size == 0)
        directory.write("state/file", "text", mode: 0o600)
        #expect(disk.makeFile(path + "/file", 0o600) == 0)
        #expect(directory.read("state/file") == "text")
        #expect(disk.makeFile(path + "/none/file", 0o600) == ENOENT)
    }

    @Test("shows the owner and the permission bits of a directory, also of one that a link leads to")
    func access() throws {
        let path = directory.path + "/shared"
        #expect(disk.makeDirectory(path, 0o700) == 0)
        #expect(try disk.access(path) == FileAccess(owner: geteuid(), mode: 0o700))
        #expect(try !disk.access(path).isSharedForWriting && disk.user() == geteuid())
        chmod(path, 0o1777)
        symlink(path, directory.path + "/link")
        #expect(try disk.access(directory.path + "/link/.") == FileAccess(owner: geteuid(), mode: 0o1777))
        #expect(throws: DiskFailure(call: "stat", errno: ENOENT)) { try disk.access(directory.path + "/none") }
        for (mode, isShared) in [(0o755, false), (0o2750, false), (0o770, true), (0o702, true)] as [(UInt32, Bool)] {
            #expect(FileAccess(owner: 0, mode: mode).isSharedForWriting == isShared)
        }
    }

    @Test("reports why a file cannot be read")
    func readable() {
        #expect(disk.checkReadable(directory.path + "/none") == ENOENT)
        #expect(disk.checkReadable(directory.write("file", "")) == 0)
    }

    @Test("locks a file for one owner, until the lock is released")
    func locks() throws {
        let path = directory.path + "/lock"
        do {
            let lock = try disk.lock(path, .zero)
            #expect(throws: FileLock.Failure.taken) { try disk.lock(path, .milliseconds(5)) }
            withExtendedLifetime(lock) {}
        }
        _ = try disk.lock(path, .zero)
        #expect(throws: FileLock.Failure.system(call: "open", errno: ENOENT)) {
            try disk.lock(directory.path + "/none/lock", .zero)
        }
    }
}
