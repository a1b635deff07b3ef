import Glibc
import RxPlatform
import Testing
import TestSupport

@testable import RxRecords
@testable import RxStore

@Suite("A backup")
struct StateBackupTests {
    private let directory = TemporaryDirectory()
    private var state: String { directory.path + "/state" }
    private var copies: String { directory.path + "/copies" }

    init() { mkdir(state, 0o700) }

    private func openExecutions(in state: String) throws(StoreError) -> ExecutionStore {
        try ExecutionStore(path: state + "/rxd.db", platform: Platform(wallClock: WallClock { 0 })) { _ in }
    }

    private func openReactors(in state: String) throws(StoreError) -> StateStore {
        try StateStore(path: state + "/reactors.db") { _ in }
    }

    /// A state with 50 executions and a reactor at revision 40, whose stores are closed.
    private func fill() throws {
        let executions = try openExecutions(in: state)
        for _ in 0..<50 { executions.ended(.made(.completed, input: "\"\(String(repeating: "x", count: 2000))\"")) }
        executions.close()
        let reactors = try openReactors(in: state)
        var reactor = LoggedReactor(reactors.log(of: "light", .made()))
        for _ in 0..<40 { reactor.step() }
        reactors.close()
    }

    private func backup(replacing: Bool = false, on disk: Disk = .system) throws(BackupFailure) -> [StateBackup.Copy] {
        try StateBackup(of: state, to: copies, on: disk).make(replacing: replacing)
    }

    private func failure(
        replacing: Bool = false, to directory: String? = nil, on change: (inout Disk) -> Void = { _ in }
    ) -> BackupFailure? {
        var disk = Disk.system
        change(&disk)
        do throws(BackupFailure) {
            _ = try StateBackup(of: state, to: directory ?? copies, on: disk).make(replacing: replacing)
            return nil
        } catch {
            return error
        }
    }

    private func count(_ path: String, _ table: String) throws -> Int64 {
        try Database(path: path, on: .system, onlyToRead: true).integer("SELECT count(*) FROM \(table)")
    }

    private func mode(_ path: String) -> mode_t? {
        var status = stat()
        return lstat(path, &status) == 0 ? status.st_mode & 0o7777 : nil
    }

    @Test("names the files that a signal may remove while it makes them, and none of those when they get their names")
    func partialFiles() throws {
        try fill()
        var announced: [[String]] = []
        var existed: [Bool] = []
        _ = try StateBackup(of: state, to: copies).make { paths in
            announced.append(paths)
            existed.append(Glibc.access(copies + "/rxd.db-partial", F_OK) == 0)
        }
        #expect(announced.count == 2 && announced.last == [] && existed == [false, true])
        #expect(Set(announced[0]).isSuperset(of: [copies + "/rxd.db-partial", copies + "/reactors.db-partial-wal"]))
        // After an error, too.
        var disk = Disk.system
        disk.makeNewFile = { _, _ in ENOSPC }
        #expect(throws: BackupFailure.self) {
            try StateBackup(of: state, to: copies, on: disk).make(replacing: true) { announced.append($0) }
        }
        #expect(announced.count == 4 && announced.last == [])
    }

    @Test("has everything, in two files that only their owner may read and that need no others")
    func complete() async throws {
        try fill()
        let made = try backup()
        #expect(made.map(\.path) == [copies + "/rxd.db", copies + "/reactors.db"])
        #expect(made.map(\.bytes) == made.map { Disk.system.size($0.path) })
        #expect(directory.names(in: "copies") == ["reactors.db", "rxd.db"])
        #expect(mode(copies) == 0o700 && made.allSatisfy { mode($0.path) == 0o600 })
        // In their own directory they are a state, without a mark.
        let executions = try openExecutions(in: copies)
        #expect(executions.losses.isEmpty)
        #expect(try await executions.page().records.count == 50)
        executions.close()
        let reactors = try openReactors(in: copies)
        let reactor = try #require(try LoggedReactor(restoring: reactors.log(of: "light", .made())))
        #expect(reactors.losses.isEmpty && reactor.revision == 40 && reactor.state == LoggedReactor.states(at: 40))
        reactors.close()
    }

    @Test("beside a daemon has what was committed, also if it is only in the log, and holds no writer back")
    func online() async throws {
        try fill()
        let executions = try openExecutions(in: state)
        for _ in 0..<7 { executions.ended(.made(.completed)) }
        await executions.flush()
        _ = try backup()
        #expect(try count(copies + "/rxd.db", "executions") == 57)
        executions.ended(.made(.completed))
        await executions.flush()
        #expect(try await executions.page().records.count == 58)
        executions.close()
        #expect(try openExecutions(in: state).losses.isEmpty)
    }

    @Test("is of the moment at which its snapshots were taken, whatever is written while it is copied")
    func moment() async throws {
        try fill()
        let executions = try openExecutions(in: state)
        let snapshot = try #require(
            try DatabaseSnapshot(path: state + "/rxd.db", schema: .executions, disk: .system))
        for _ in 0..<1000 { executions.ended(.made(.completed)) }
        await executions.flush()
        directory.write("copy", "")
        try snapshot.copy(to: directory.path + "/copy", .system)
        #expect(try count(directory.path + "/copy", "executions") == 50)
        executions.close()
    }

    @Test("of a state that was only just made, or that has one database, has what there is")
    func partial() throws {
        #expect(failure() == .nothingStored(path: state))
        #expect(!directory.names().contains("copies"), "nothing is made for nothing")
        let reactors = try openReactors(in: state)
        reactors.close()
        // As a daemon that was killed early leaves it.
        directory.write("state/rxd.db", "")
        #expect(try backup().map(\.path) == [copies + "/reactors.db"])
    }

    @Test("never removes or replaces the copy of a database that the state does not have now")
    func onlyCopy() throws {
        try fill()
        _ = try backup()
        let before = ["rxd.db", "reactors.db"].map { readBytes(copies + "/" + $0) }
        for name in ["rxd.db", "reactors.db"] {
            let aside = directory.path + "/aside"
            mkdir(aside, 0o700)
            let files = directory.names(in: "state").filter { $0.hasPrefix(name) }
            for file in files { #expect(rename("\(state)/\(file)", "\(aside)/\(file)") == 0) }
            #expect(failure(replacing: true) == .onlyCopy(path: copies + "/" + name, state: state))
            #expect(failure() == .exists(path: copies + "/rxd.db"))
            #expect(directory.names(in: "copies") == ["reactors.db", "rxd.db"])
            #expect(["rxd.db", "reactors.db"].map { readBytes(copies + "/" + $0) } == before)
            for file in files { #expect(rename("\(aside)/\(file)", "\(state)/\(file)") == 0) }
        }
        // A new database is no reason to refuse, and neither is one that was never copied.
        unlink(copies + "/reactors.db")
        #expect(try backup(replacing: true).count == 2)
    }

    @Test("of a state whose first start was killed before it had tables is that of a state without the database")
    func blank() throws {
        let file = state + "/rxd.db"
        try Schema.createFile(file, on: .system)
        do {
            let database = try Database(path: file, on: .system)
            try database.execute("PRAGMA auto_vacuum = INCREMENTAL; PRAGMA journal_mode = WAL")
        }
        #expect(Disk.system.size(file) ?? 0 > 0)
        #expect(failure() == .nothingStored(path: state))
        try openReactors(in: state).close()
        #expect(try backup().map(\.path) == [copies + "/reactors.db"])
        // The daemon begins there as well. After that, a file without tables lacks what was stored.
        let blank = try #require(readBytes(file))
        let executions = try openExecutions(in: state)
        executions.ended(.made(.completed))
        executions.close()
        directory.write("state/rxd.db", bytes: blank)
        #expect(failure(replacing: true) == .store(.missing(path: file)))
        // Another program's database is none of ours, with or without tables.
        do {
            let database = try Database(path: file, on: .system)
            try database.execute("PRAGMA application_id = 7")
        }
        #expect(failure(replacing: true) == .store(.foreign(path: file)))
    }

    @Test("of a database that lacks what was committed is refused, as it is by the daemon")
    func damage() throws {
        try fill()
        let file = state + "/rxd.db"
        let whole = try #require(readBytes(file))
        do {
            let database = try Database(path: file, on: .system)
            // There may be no more than one: executions that end together are written together.
            try database.execute("UPDATE commits SET number = number - 1")
        }
        #expect(failure() == .store(.rolledBack(path: file, missing: 1)))
        directory.write("state/rxd.db", "")
        for suffix in ["-wal", "-shm"] { unlink(file + suffix) }
        #expect(failure() == .store(.missing(path: file)))
        unlink(file)
        #expect(failure() == .store(.missing(path: file)))
        directory.write(
            "state/rxd.db", bytes: whole.prefix(4096) + [UInt8](repeating: 0xA5, count: whole.count - 4096))
        guard case .store(.damaged(file, _)) = failure() else {
            Issue.record("it was not refused as damaged: \(String(describing: failure()))")
            return
        }
        #expect(!directory.names(in: "copies").contains { $0.hasPrefix("rxd") })
        directory.write("state/rxd.db", bytes: whole)
        // Both slots of the mark.
        directory.write("state/rxd.db-lock", bytes: [UInt8](repeating: 0x5A, count: CommitMarks.bytes))
        #expect(failure() == .store(.damagedMark(path: file)))
    }

    private func readBytes(_ path: String) -> [UInt8]? {
        try? Disk.system.read(path, Disk.system.size(path) ?? 0)
    }

    @Test("that is there already is replaced only on request")
    func replacing() throws {
        try fill()
        _ = try backup()
        let before = readBytes(copies + "/rxd.db")
        let executions = try openExecutions(in: state)
        executions.ended(.made(.completed))
        executions.close()
        #expect(failure() == .exists(path: copies + "/rxd.db"))
        #expect(readBytes(copies + "/rxd.db") == before)
        _ = try backup(replacing: true)
        #expect(try count(copies + "/rxd.db", "executions") == 51)
    }

    @Test("goes to no directory in which it would be lost with the state, or would mix with another one")
    func places() throws {
        try fill()
        symlink(state, directory.path + "/link")
        mkdir(state + "/sub", 0o700)
        let link = directory.path + "/link"
        for inside in [
            state, state + "/", state + "/.", state + "/sub", state + "/new/", state + "/sub/../new", link,
            link + "/new",
        ] {
            #expect(failure(to: inside) == .insideState(path: inside), "\(inside)")
        }
        #expect(directory.names(in: "state/sub") == [] && !directory.names(in: "state").contains("new"))
        // A name that only begins like the state's.
        #expect(failure(to: state + "-copies") == nil)
        // A link to a directory elsewhere.
        mkdir(directory.path + "/elsewhere", 0o700)
        symlink(directory.path + "/elsewhere", directory.path + "/linked")
        #expect(failure(to: directory.path + "/linked") == nil)
        #expect(directory.names(in: "elsewhere").contains("rxd.db"))
        // The state of another daemon.
        let other = directory.path + "/other"
        mkdir(other, 0o700)
        try openReactors(in: other).close()
        #expect(failure(replacing: true, to: other) == .inUse(path: other + "/reactors.db-lock"))
        // Another backup.
        let lock = try Disk.system.lock(state + "-copies/.lock", .zero)
        #expect(failure(replacing: true, to: state + "-copies") == .busy(path: state + "-copies"))
        withExtendedLifetime(lock) {}
    }

    @Test("goes to no directory that belongs to another user, or that others may write, and leaves no file there")
    func access() throws {
        try fill()
        mkdir(copies, 0o700)
        let user = geteuid()
        for mode in [0o770, 0o702, 0o777, 0o1777, 0o2775] as [UInt32] {
            chmod(copies, mode)
            #expect(failure() == .sharedDirectory(path: copies, mode: mode))
        }
        let link = directory.path + "/link"
        symlink(copies, link)
        #expect(failure(to: link) == .sharedDirectory(path: link, mode: 0o2775))
        chmod(copies, 0o755)
        #expect(
            failure {
                $0.user = { user + 1 }; $0.access = { _ in FileAccess(owner: user + 2, mode: 0o755) }
            }
                == .foreignDirectory(path: copies, owner: user + 2, user: user + 1))
        #expect(failure { $0.access = { _ in FileAccess(owner: user, mode: 0o720) } } != nil)
        #expect(directory.names(in: "copies").isEmpty)
        // Root's is as good as the caller's own.
        #expect(
            failure {
                $0.user = { user + 1 }; $0.access = { _ in FileAccess(owner: 0, mode: 0o755) }
            } == nil)
        #expect(failure(replacing: true) == nil)
        let message = "\(BackupFailure.sharedDirectory(path: "/tmp", mode: 0o1777))"
        #expect(message.hasPrefix("/tmp: others than its owner may write there (mode 01777)"))
    }

    @Test("that fails at any call leaves the copies of the one before, and nothing else")
    func failing() throws {
        try fill()
        _ = try backup()
        let (copies, partial) = (self.copies, self.copies + "/rxd.db-partial")
        let before = ["rxd.db", "reactors.db"].map { readBytes(copies + "/" + $0) }
        let executions = try openExecutions(in: state)
        for _ in 0..<50 { executions.ended(.made(.completed)) }
        executions.close()
        let faults: [(BackupFailure, (inout Disk) -> Void)] = [
            (.unwritable(.file(call: "mkdir", path: copies, errno: EROFS)), { $0.makeDirectory = { _, _ in EROFS } }),
            (
                .unwritable(.file(call: "stat", path: copies, errno: EIO)),
                { $0.access = { _ throws(DiskFailure) in throw DiskFailure(call: "stat", errno: EIO) } }
            ),
            (
                .unwritable(.file(call: "open", path: copies + "/.lock", errno: EACCES)),
                { $0.lock = { _, _ throws(FileLock.Failure) in throw .system(call: "open", errno: EACCES) } }
            ),
            (.unwritable(.file(call: "unlink", path: partial, errno: EPERM)), { $0.remove = { _ in EPERM } }),
            (.unwritable(.file(call: "open", path: partial, errno: ENOSPC)), { $0.makeNewFile = { _, _ in ENOSPC } }),
            (.unwritable(.file(call: "fsync", path: partial, errno: EIO)), { $0.sync = { _ in EIO } }),
            (.unwritable(.file(call: "rename", path: partial, errno: EIO)), { $0.rename = { _, _ in EIO } }),
            (
                .store(.file(call: "read", path: state + "/rxd.db-lock", errno: EIO)),
                { $0.read = { _, _ throws(DiskFailure) in throw DiskFailure(call: "read", errno: EIO) } }
            ),
            (
                .store(.file(call: "open", path: state + "/rxd.db", errno: EACCES)),
                { $0.checkReadable = { _ in EACCES } }
            ),
        ]
        for (expected, change) in faults {
            #expect(failure(replacing: true, on: change) == expected)
            #expect(directory.names(in: "copies") == ["reactors.db", "rxd.db"])
            #expect(["rxd.db", "reactors.db"].map { readBytes(copies + "/" + $0) } == before)
        }
        // What a killed backup left behind is in nobody's way.
        for suffix in ["", "-wal", "-journal"] { directory.write("copies/rxd.db-partial" + suffix, "rest") }
        #expect(failure(replacing: true) == nil)
        #expect(directory.names(in: "copies") == ["reactors.db", "rxd.db"])
        #expect(try count(copies + "/rxd.db", "executions") == 100)
    }

    @Test("that ends between the names of its copies leaves a sign of that, which the next one reports")
    func halfNamed() throws {
        try fill()
        for isFirst in [true, false] {
            let failed = failure(replacing: !isFirst) { disk in
                disk.rename = { path, newPath in
                    path.contains("reactors") ? EIO : Disk.system.rename(path, newPath)
                }
            }
            let partial = copies + "/reactors.db-partial"
            #expect(failed == .unwritable(.file(call: "rename", path: partial, errno: EIO)))
            let complete = isFirst ? [] : ["reactors.db"]
            #expect(directory.names(in: "copies") == complete + ["reactors.db-partial", "rxd.db"])
            #expect(failure() == .incomplete(path: partial))
            #expect(try backup(replacing: true).count == 2)
            #expect(directory.names(in: "copies") == ["reactors.db", "rxd.db"])
            #expect(failure() == .exists(path: copies + "/rxd.db"))
        }
    }

    @Test("finds the mark while the daemon writes it: it reads again when it meets both slots half written")
    func marks() throws {
        let mark = CommitMark(boot: BootID(high: 7, low: 8), committed: 12, synced: 11)
        let whole = MarkSlot.words(sequence: 3, mark).flatMap { word in withUnsafeBytes(of: word) { Array($0) } }
        let torn = [UInt8](repeating: 0x5A, count: whole.count)
        let reads = Reads([torn + torn, [], torn + [UInt8](repeating: 0, count: whole.count), torn + whole])
        var disk = Disk.system
        disk.read = { (path, _) throws(DiskFailure) in path == "/rxd.db-lock" ? reads.next() : [] }
        #expect(try MarkReader.content(of: "/rxd.db", disk) == .mark(mark))
        #expect(reads.isAtEnd)
    }

    /// The results of reads, in their order; the last one stays.
    private final class Reads: @unchecked Sendable {
        private var results: [[UInt8]]

        init(_ results: [[UInt8]]) { self.results = results }

        var isAtEnd: Bool { results.count == 1 }
        func next() -> [UInt8] { results.count == 1 ? results[0] : results.removeFirst() }
    }
}
