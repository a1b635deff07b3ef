import Glibc
import RxJSON
import RxPlatform
import Testing
import TestSupport

@testable import RxRecords
@testable import RxStore

/// What a store does about a file that lacks what was stored in it.
@Suite("A database that was rolled back", .countedApart)
struct StoreLossTests {
    /// A store of reactors whose daemon was killed, with all that it had committed in the log.
    private func killed(_ durability: ReactorPersistence.Durability = .sync, steps: Int = 20) throws -> ReactorFile {
        let file = ReactorFile()
        let store = try file.open()
        var reactor = LoggedReactor(store.log(of: "light", .made(durability)))
        for _ in 0..<steps {
            reactor.step()
            store.writes.flush()
        }
        let copies = try ["", "-wal", "-lock"].map { ($0, try file.bytes($0)) }
        store.close()
        for (suffix, bytes) in copies { try file.write(bytes, suffix) }
        return file
    }

    private func refusal(_ file: ReactorFile, on disk: Disk = .system) -> StoreError? {
        do throws(StoreError) {
            try file.open(on: disk).close()
            return nil
        } catch {
            return error
        }
    }

    private func revision(_ store: StateStore) throws -> UInt64? {
        try store.log(of: "light", .made()).kept()?.revision
    }

    private var otherBoot: Disk {
        var disk = Disk.system
        disk.bootID = { BootID(high: 1, low: 2) }
        return disk
    }

    @Test("is accepted after a kill that lost nothing")
    func whole() throws {
        let file = try killed()
        let store = try file.open()
        #expect(store.losses.isEmpty)
        #expect(try revision(store) == 20)
        store.close()
    }

    @Test("by a flipped bit in its log is refused and left as it is, until it is recovered")
    func flippedBit() throws {
        let file = try killed()
        var log = try file.bytes("-wal")
        log[log.count / 2] ^= 1
        try file.write(log, "-wal")
        guard case .rolledBack(file.path, let missing)? = refusal(file), missing > 1, missing < 21 else {
            Issue.record("\(String(describing: refusal(file)))")
            return
        }
        #expect(try file.bytes("-wal") == log)
        let store = try file.open(recovers: true)
        #expect(store.losses == [.commits(path: file.path, count: missing)])
        // Its last revision, and the step for the loss.
        #expect(try revision(store) == 20 - missing + 1)
        store.close()
        let next = try file.open()
        #expect(next.losses.isEmpty)
        next.close()
    }

    @Test("all of which is in a log that SQLite ignores is refused and left as it is")
    func ignoredLog() throws {
        let file = try killed()
        var log = try file.bytes("-wal")
        log[16] ^= 1
        try file.write(log, "-wal")
        let before = try ["", "-wal", "-lock"].map { try file.bytes($0) }
        #expect(try file.look { try $0.integer("SELECT count(*) FROM steps") } == 0)
        guard case .rolledBack(file.path, missing: 20...)? = refusal(file) else {
            Issue.record("\(String(describing: refusal(file)))")
            return
        }
        #expect(try ["", "-wal", "-lock"].map { try file.bytes($0) } == before)
    }

    @Test("by a flipped bit anywhere in its log is refused or lacks nothing", arguments: [1, 2, 3] as [UInt64])
    func flippedBits(seed: UInt64) throws {
        let file = try killed()
        let files = try ["", "-wal", "-lock"].map { ($0, try file.bytes($0)) }
        var random = Seeded(seed)
        for _ in 0..<100 {
            for (suffix, bytes) in files { try file.write(bytes, suffix) }
            var log = files[1].1
            let bit = Int.random(in: 0..<(log.count * 8), using: &random)
            log[bit / 8] ^= 1 << UInt8(bit % 8)
            try file.write(log, "-wal")
            do throws(StoreError) {
                let store = try file.open()
                #expect(try! revision(store) == 20, "bit \(bit)")
                store.close()
            } catch {
                switch error {
                case .rolledBack, .damaged: break
                default: Issue.record("\(error)")
                }
            }
        }
    }

    @Test(
        "to before what was synced is refused after another boot; what was not synced may be lost, with a step for it")
    func otherBoots() async throws {
        let synced = try killed(.sync)
        try synced.write([], "-wal")
        guard case .rolledBack? = refusal(synced, on: otherBoot) else {
            Issue.record("\(String(describing: refusal(synced, on: otherBoot)))")
            return
        }
        let unsynced = try killed(.normal)
        let log = try unsynced.bytes("-wal")
        try unsynced.write(log.prefix(log.count / 2), "-wal")
        let store = try unsynced.open(on: otherBoot)
        guard case .commits(unsynced.path, let count)? = store.losses.first else {
            Issue.record("\(store.losses)")
            return
        }
        let page = try await store.log(of: "light", .made()).history()
        #expect(page.steps.last?.cause == .loss)
        #expect(page.steps.last?.revision == 20 - count + 1)
        let reactor = try LoggedReactor(restoring: store.log(of: "light", .made()))
        #expect(reactor?.state == LoggedReactor.states(at: 20 - count))
        store.close()
    }

    @Test("by a crash of the machine, or not: without a clean stop nobody knows, which is a warning alone")
    func unsynced() async throws {
        let file = try killed(.normal)
        let store = try file.open(on: otherBoot)
        #expect(store.losses == [.unsynced(path: file.path)])
        let page = try await store.log(of: "light", .made()).history()
        #expect(page.steps.last?.revision == 20 && !page.steps.contains { $0.cause == .loss })
        store.close()
        // A clean stop lasts.
        let next = try file.open()
        #expect(try next.losses.isEmpty && revision(next) == 20)
        next.close()
    }

    @Test("of executions is reported after a crash of the machine, and not after a clean stop or a failed start")
    func unsyncedExecutions() throws {
        let file = StoreFile()
        try file.open().close()
        // A start that fails when the note of the clean end is gone.
        _ = try DatabaseFile(path: file.path, schema: .executions, disk: otherBoot, recovers: false)
        let store = try file.open(on: otherBoot)
        #expect(store.losses.isEmpty)
        store.close()
        _ = try DatabaseFile(path: file.path, schema: .executions, disk: .system, recovers: false)
        let next = try file.open(on: otherBoot)
        #expect(next.losses == [.unsynced(path: file.path)])
        next.close()
    }

    @Test("is not reported after a stop that left the file unchecked: everything was synced")
    func uncheckedEnd() throws {
        let file = StoreFile()
        try DatabaseFile(path: file.path, schema: .executions, disk: .system, recovers: false).close(isWhole: false)
        let next = try DatabaseFile(path: file.path, schema: .executions, disk: otherBoot, recovers: false)
        #expect(next.loss == nil && !next.mayHaveLostCommits && next.isChecked)
    }

    @Test("is not reported after a start that was refused because of damage: its file was synced before")
    func refusedStart() throws {
        let file = ReactorFile()
        try file.open().close()
        let whole = try file.bytes()
        try file.write([UInt8](repeating: 0x5A, count: whole.count))
        guard case .damaged? = refusal(file) else {
            Issue.record("\(String(describing: refusal(file)))")
            return
        }
        try file.write(whole)
        let next = try file.open(on: otherBoot)
        #expect(next.losses.isEmpty)
        next.close()
    }

    @Test("by an unknown part of several reactors: the history of each has a step for it")
    func severalReactors() async throws {
        let file = ReactorFile()
        let names = ["light", "list", "site"]
        let store = try file.open()
        for name in names { LoggedReactor(store.log(of: name, .made())).snapshot() }
        store.writes.flush()
        let copies = try ["", "-wal", "-lock"].map { ($0, try file.bytes($0)) }
        var last = try #require(try LoggedReactor(restoring: store.log(of: "list", .made())))
        last.step()
        store.writes.flush()
        let mark = try file.bytes("-lock")
        store.close()
        for (suffix, bytes) in copies { try file.write(bytes, suffix) }
        try file.write(mark, "-lock")
        let next = try file.open(on: otherBoot)
        #expect(next.losses == [.commits(path: file.path, count: 1)])
        for name in names {
            #expect(try await next.log(of: name, .made()).history().steps.map(\.cause) == [.loss], "\(name)")
        }
        next.close()
    }

    @Test("is not taken for synced while a reader keeps a part of the log from being moved")
    func partialCheckpoint() throws {
        let file = try killed()
        let (writer, reader) = (try Database(path: file.path, on: .system), try Database(path: file.path, on: .system))
        #expect(try writer.checkpoint())
        try reader.execute("BEGIN; SELECT count(*) FROM steps")
        try writer.execute("UPDATE commits SET number = number + 1")
        #expect(try !writer.checkpoint())
        try reader.execute("COMMIT")
        #expect(try writer.checkpoint())
    }

    @Test("to nothing is refused: the file is missing or empty", arguments: [true, false])
    func missing(isEmpty: Bool) throws {
        let file = try killed()
        unlink(file.path + "-wal")
        if isEmpty { try file.write([]) } else { unlink(file.path) }
        #expect(refusal(file) == .missing(path: file.path))
        #expect(fileNames(in: file.directory).contains("reactors.db") == isEmpty)
        let store = try file.open(recovers: true)
        #expect(store.losses == [.file(path: file.path)])
        #expect(try revision(store) == nil)
        store.close()
        #expect(refusal(file) == nil)
    }

    @Test("of executions is refused in the same cases")
    func executions() async throws {
        let file = StoreFile()
        let store = try file.open()
        for _ in 0..<3 { _ = await outcome { store.accepted(.made(.queued), durableInput: .null, completion: $0) } }
        store.close()
        unlink(file.path)
        #expect(throws: StoreError.missing(path: file.path)) { try file.open() }
        let next = try file.open(recovers: true)
        #expect(next.losses == [.file(path: file.path)])
        #expect(next.takeRecovery().queued.isEmpty)
        next.close()
    }

    @Test("and damaged is moved away by a recovery, which begins anew")
    func setAside() throws {
        let file = try killed()
        let damage = [UInt8](repeating: 0x5A, count: 8192)
        unlink(file.path + "-wal")
        try file.write(damage)
        guard case .damaged? = refusal(file) else {
            Issue.record("\(String(describing: refusal(file)))")
            return
        }
        let store = try file.open(recovers: true)
        guard case .damaged(file.path, file.path + ".damaged", _)? = store.losses.first else {
            Issue.record("\(store.losses)")
            return
        }
        store.close()
        #expect(try file.bytes(".damaged") == damage)
    }

    @Test("whose mark is overwritten is refused until it is recovered, which reports that it may lack its end")
    func overwrittenMark() async throws {
        let file = try killed()
        try file.write([UInt8](repeating: 0xFF, count: CommitMarks.bytes), "-lock")
        #expect(refusal(file) == .damagedMark(path: file.path))
        let store = try file.open(recovers: true)
        #expect(store.losses == [.mark(path: file.path)])
        let page = try await store.log(of: "light", .made()).history()
        #expect(page.steps.last?.revision == 21 && page.steps.last?.cause == .loss)
        store.close()
        #expect(refusal(file) == nil)
    }

    @Test("that is missing beside an overwritten mark is refused until it is recovered, which reports it")
    func missingBesideDamagedMark() throws {
        let file = try killed()
        try file.write([UInt8](repeating: 0xFF, count: CommitMarks.bytes), "-lock")
        unlink(file.path + "-wal")
        unlink(file.path)
        #expect(refusal(file) == .damagedMark(path: file.path))
        let store = try file.open(recovers: true)
        #expect(store.losses == [.file(path: file.path)])
        store.close()
    }

    @Test("of a reactor with steps under a damaged name is refused until it is recovered")
    func damagedName() throws {
        for change in ["UPDATE steps SET reactor = 'lighu' WHERE revision > 15", "UPDATE snapshots SET reactor = 'm'"] {
            let file = try killed()
            try file.look { try $0.execute(change) }
            let name = change.contains("lighu") ? "lighu" : "light"
            #expect(
                refusal(file)
                    == .damaged(path: file.path, message: "reactor \(name): steps without a snapshot"), "\(change)")
            let store = try file.open(recovers: true)
            #expect(store.losses == [.reactor(path: file.path, name: name, revision: nil)], "\(change)")
            store.close()
            #expect(refusal(file) == nil, "\(change)")
        }
    }

    @Test("of a reactor whose rows cannot be read: a recovery continues from the last state that can be built")
    func unreadableRows() async throws {
        let file = try killed()
        // Without the newest snapshot, if there is one: the steps lead there.
        try file.look { database in
            try database.execute("UPDATE steps SET patch = '[{' WHERE revision = 15")
        }
        let store = try file.open(recovers: true)
        #expect(store.losses == [.reactor(path: file.path, name: "light", revision: 14)])
        let reactor = try LoggedReactor(restoring: store.log(of: "light", .made()))
        #expect(reactor?.revision == 21)
        #expect(reactor?.state == LoggedReactor.states(at: 14))
        store.close()
        let next = try file.open(recovers: true)
        #expect(next.losses.isEmpty)
        next.close()
    }

    @Test(
        "of a reactor nothing of which can be read: a recovery begins it anew, and leaves the others alone",
        arguments: [
            "UPDATE snapshots SET state = '[1, 2' WHERE reactor = 'light'",
            "DELETE FROM snapshots WHERE reactor = 'light'",
        ])
    func unreadableReactor(change: String) async throws {
        let file = try killed()
        let before = try file.open()
        _ = LoggedReactor(before.log(of: "other", .made()))
        before.close()
        try file.look { try $0.execute(change) }
        let store = try file.open(recovers: true)
        #expect(store.losses == [.reactor(path: file.path, name: "light", revision: nil)])
        #expect(try revision(store) == nil)
        #expect(try store.log(of: "other", .made()).kept()?.revision == 0)
        store.close()
    }

    @Test("is noticed by the next synced write when the file is removed under the store")
    func removed() async throws {
        let file = ReactorFile()
        let heard = Heard<StoreError>()
        let store = try file.open(failures: heard)
        var reactor = LoggedReactor(store.log(of: "light", .made(.sync)))
        let first = await outcome { reactor.step($0) }
        #expect(first == nil)
        removeFiles(in: file.directory)
        let second = await outcome { reactor.step($0) }
        #expect(second == .moved(path: file.path))
        store.close()
    }

    @Test(
        "is noticed by the next write when one of its files is removed or replaced, and the others are not",
        arguments: ["", "-wal", "-lock"], [true, false])
    func removedFile(suffix: String, isReplaced: Bool) async throws {
        let file = ReactorFile()
        let store = try file.open()
        var reactor = LoggedReactor(store.log(of: "light", .made(.sync)))
        #expect(await outcome { reactor.step($0) } == nil)
        let (path, other) = (file.path + suffix, file.path + "-other")
        try #require(rename(path, other) == 0)
        if isReplaced {
            #expect(Disk.system.makeFile(path, 0o600) == 0)
        }
        #expect(await outcome { reactor.step($0) } == .moved(path: path))
        try #require(rename(other, path) == 0)
        store.close()
        #expect(try revision(file.open()) == 1, "nothing that was acknowledged is lost")
    }

    @Test("behind a symbolic link is refused")
    func link() throws {
        let target = try killed()
        for suffix in ["", "-lock"] {
            let file = ReactorFile()
            try #require(symlink(target.path + suffix, file.path + suffix) == 0)
            #expect(
                refusal(file) == .file(call: "open", path: file.path + suffix, errno: ELOOP), "\(suffix)")
        }
    }

    @Test("of an earlier version is kept beside the upgraded one until a clean stop")
    func upgrade() throws {
        let file = try killed()
        try file.look { database in
            try database.execute("DROP TABLE commits; DROP TABLE extents; PRAGMA user_version = 2")
        }
        unlink(file.path + "-lock")
        let store = try file.open()
        #expect(try revision(store) == 20)
        let copy = try Database(path: file.path + ".v2", on: .system, onlyToRead: true)
        #expect(try copy.integer("PRAGMA user_version") == 2)
        #expect(try copy.integer("SELECT max(revision) FROM steps") == 20)
        #expect(try copy.integer("SELECT count(*) FROM sqlite_schema WHERE name = 'commits'") == 0)
        store.close()
        #expect(!fileNames(in: file.directory).contains { $0.contains(".v") })
    }
}
