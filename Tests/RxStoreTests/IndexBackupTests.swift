import Glibc
import Rx
import RxPlatform
import TestSupport
import Testing

@testable import RxStore

@Suite("A backup of watched paths")
struct IndexBackupTests {
    private let directory = TemporaryDirectory()
    private var state: String { directory.path + "/state" }
    private var copies: String { directory.path + "/copies" }

    init() throws {
        mkdir(state, 0o700)
        try ExecutionStore(path: state + "/rxd.db") { _ in }.close()
        try StateStore(path: state + "/reactors.db") { _ in }.close()
    }

    private func backup(replacing: Bool = false, on disk: Disk = .system) throws(BackupFailure) -> [StateBackup.Copy] {
        try StateBackup(of: state, to: copies, on: disk).make(replacing: replacing)
    }

    private func failure(replacing: Bool = false, on change: (inout Disk) -> Void = { _ in }) -> BackupFailure? {
        var disk = Disk.system
        change(&disk)
        do throws(BackupFailure) {
            _ = try backup(replacing: replacing, on: disk)
            return nil
        } catch {
            return error
        }
    }

    private func readBytes(_ path: String) -> [UInt8]? {
        try? Disk.system.read(path, Disk.system.size(path) ?? 0)
    }

    private func mode(_ path: String) -> mode_t? {
        var status = stat()
        return lstat(path, &status) == 0 ? status.st_mode & 0o7777 : nil
    }

    @Test("has the indices of watched paths, which are never newer than rxd.db, and nothing else of the directory")
    func indices() throws {
        directory.write("state/drop.0.index", "seen")
        for name in ["drop.0.index.damaged", "drop.0.index.new", "processes"] { directory.write("state/" + name, "x") }
        let reads = Locked<[String]>([])
        var disk = Disk.system
        disk.read = { path, count throws(DiskFailure) in
            reads.withLock { $0.append(path) }
            return try Disk.system.read(path, count)
        }
        let made = try backup(on: disk)
        #expect(made.map(\.path) == ["rxd.db", "reactors.db", "drop.0.index"].map { copies + "/" + $0 })
        #expect(reads.withLock(\.first) == state + "/drop.0.index")
        #expect(readBytes(copies + "/drop.0.index") == Array("seen".utf8) && mode(copies + "/drop.0.index") == 0o600)
        #expect(directory.names(in: "copies") == ["drop.0.index", "reactors.db", "rxd.db"])
        // It is replaced like a database, and its only copy is kept.
        directory.write("state/drop.0.index", "seen more")
        #expect(failure() == .exists(path: copies + "/rxd.db"))
        _ = try backup(replacing: true)
        #expect(readBytes(copies + "/drop.0.index") == Array("seen more".utf8))
        unlink(state + "/drop.0.index")
        #expect(failure(replacing: true) == .onlyCopy(path: copies + "/drop.0.index", state: state))
        #expect(rename(copies + "/drop.0.index", copies + "/drop.0.index-partial") == 0)
        for name in ["rxd.db", "reactors.db"] { unlink(copies + "/" + name) }
        #expect(try backup().count == 2)
        #expect(directory.names(in: "copies") == ["reactors.db", "rxd.db"])
    }

    @Test("with an index that cannot be read or written fails, and leaves the copies of the one before")
    func indexFailing() throws {
        directory.write("state/drop.0.index", "seen")
        _ = try backup()
        directory.write("state/drop.0.index", "seen more")
        let (index, partial) = (state + "/drop.0.index", copies + "/drop.0.index-partial")
        let faults: [(BackupFailure, (inout Disk) -> Void)] = [
            (
                .store(.file(call: "read", path: index, errno: EIO)),
                {
                    $0.read = { path, count throws(DiskFailure) in
                        guard path == index else { return try Disk.system.read(path, count) }
                        throw DiskFailure(call: "read", errno: EIO)
                    }
                }
            ),
            (.unwritable(.file(call: "write", path: partial, errno: ENOSPC)), { $0.write = { _, _ in ENOSPC } }),
        ]
        for (expected, change) in faults {
            #expect(failure(replacing: true, on: change) == expected)
            #expect(directory.names(in: "copies") == ["drop.0.index", "reactors.db", "rxd.db"])
            #expect(readBytes(copies + "/drop.0.index") == Array("seen".utf8))
        }
    }
}
