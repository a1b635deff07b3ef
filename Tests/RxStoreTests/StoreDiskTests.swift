import Glibc
import RxPlatform
import Testing
import TestSupport

@testable import RxStore

@Suite("A store on another disk")
struct StoreDiskTests {
    private let directory = TemporaryDirectory()

    /// Why a store cannot be opened on the system's disk with a change.
    private func refusal(_ change: (inout Disk) -> Void) -> StoreError? {
        var disk = Disk.system
        change(&disk)
        do throws(StoreError) {
            try ExecutionStore(path: directory.path + "/rxd.db", platform: Platform(disk: disk)) { _ in }.close()
            return nil
        } catch {
            return error
        }
    }

    @Test("opens with the system's calls")
    func system() {
        #expect(refusal { _ in } == nil)
    }

    @Test("makes its file and its lock with the disk's calls")
    func calls() {
        let path = directory.path + "/rxd.db"
        #expect(refusal { $0.makeFile = { _, _ in ENOSPC } } == .file(call: "open", path: path, errno: ENOSPC))
        #expect(
            refusal { $0.lock = { _, _ throws(FileLock.Failure) in throw .taken } } == .inUse(path: path))
        #expect(
            refusal { $0.lock = { _, _ throws(FileLock.Failure) in throw .system(call: "flock", errno: ENOLCK) } }
                == .file(call: "flock", path: path + "-lock", errno: ENOLCK))
        #expect(directory.names() == ["rxd.db-lock"], "the lock of the first attempt")
    }

    @Test("SQLite uses the file system that the disk names")
    func fileSystem() {
        guard case .failed(_, _, _, let message, _)? = refusal({ $0.fileSystem = "none" }) else {
            Issue.record("a file system that is not registered was accepted")
            return
        }
        #expect(message.contains("vfs"))
    }

    @Test("neither a store nor an archive follows a link in the place of its file; one in the path is fine")
    func links() throws {
        let (real, linked) = (directory.path + "/real", directory.path + "/linked")
        try #require(mkdir(real, 0o700) == 0 && symlink(real, linked) == 0)
        try ExecutionStore(path: linked + "/rxd.db") { _ in }.close()
        try StateStore(path: linked + "/reactors.db") { _ in }.close()
        _ = try StateArchive(path: linked + "/reactors.db", on: .system)
        for name in ["rxd.db", "reactors.db"] {
            try #require(symlink(real + "/" + name, directory.path + "/" + name) == 0)
        }
        #expect(refusal { _ in } == .file(call: "open", path: directory.path + "/rxd.db", errno: ELOOP))
        #expect(throws: StoreError.self) {
            try StateArchive(path: directory.path + "/reactors.db", on: .system)
        }
    }

    @Test("an archive asks the disk whether it may read its file")
    func archive() {
        var disk = Disk.system
        disk.checkReadable = { _ in EACCES }
        #expect(throws: StoreError.file(call: "open", path: "/reactors.db", errno: EACCES)) {
            try StateArchive(path: "/reactors.db", on: disk)
        }
    }
}
