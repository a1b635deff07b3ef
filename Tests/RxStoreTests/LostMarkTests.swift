import Glibc
import RxJSON
import RxPlatform
import Testing
import TestSupport

@testable import RxRecords
@testable import RxStore

/// What a store does about a database without its mark.
@Suite("A mark that was lost", .countedApart)
struct LostMarkTests {
    /// A store of reactors whose first daemon was killed, with all that it had committed in the log.
    private func killed(steps: Int = 20) throws -> ReactorFile {
        let file = ReactorFile()
        let store = try file.open()
        var reactor = LoggedReactor(store.log(of: "light", .made(.sync)))
        for _ in 0..<steps {
            reactor.step()
            store.writes.flush()
        }
        let copies = try ["", "-wal", "-lock"].map { ($0, try file.bytes($0)) }
        store.close()
        for (suffix, bytes) in copies { try file.write(bytes, suffix) }
        return file
    }

    private func revision(_ store: StateStore) throws -> UInt64? {
        try store.log(of: "light", .made()).kept()?.revision
    }

    /// How the mark is lost.
    enum Loss: CaseIterable {
        case removed, emptied, zeros

        func apply(to file: ReactorFile) throws {
            switch self {
            case .removed: unlink(file.path + "-lock")
            case .emptied: try file.write([], "-lock")
            case .zeros: try file.write([UInt8](repeating: 0, count: 512) + file.bytes("-lock").dropFirst(512), "-lock")
            }
        }
    }

    @Test("is reported, and a loss in the histories; the next mark is whole", arguments: Loss.allCases)
    func lost(loss: Loss) async throws {
        let file = try killed()
        try loss.apply(to: file)
        let store = try file.open()
        #expect(store.losses == [.mark(path: file.path)])
        let page = try await store.log(of: "light", .made()).history()
        #expect(page.steps.last?.revision == 21 && page.steps.last?.cause == .loss)
        store.close()
        let next = try file.open()
        #expect(next.losses.isEmpty)
        next.close()
    }

    @Test("is reported if the log of the first daemon is lost, too", arguments: Loss.allCases)
    func lostWithLog(loss: Loss) throws {
        let file = try killed()
        try loss.apply(to: file)
        unlink(file.path + "-wal")
        let store = try file.open()
        #expect(try store.losses == [.mark(path: file.path)] && revision(store) == nil)
        store.close()
    }

    @Test("is reported in the same way beside executions")
    func executions() async throws {
        for hasLog in [true, false] {
            let file = StoreFile()
            let store = try file.open()
            _ = await outcome { store.accepted(.made(.queued), durableInput: .null, completion: $0) }
            let killed = try file.killed()
            store.close()
            unlink(killed.path + "-lock")
            if !hasLog { unlink(killed.path + "-wal") }
            let next = try killed.open()
            #expect(next.losses == [.mark(path: killed.path)])
            #expect(next.takeRecovery().queued.count == (hasLog ? 1 : 0))
            next.close()
        }
    }

    @Test("with the database is refused while the log shows that there was one", arguments: [true, false])
    func databaseLost(isEmpty: Bool) throws {
        let file = try killed()
        unlink(file.path + "-lock")
        if isEmpty { try file.write([]) } else { unlink(file.path) }
        let log = try file.bytes("-wal")
        #expect(throws: StoreError.missing(path: file.path)) { try file.open() }
        #expect(try file.bytes("-wal") == log)
        let copies = ReactorFile()
        #expect(throws: BackupFailure.store(.missing(path: file.path))) {
            try StateBackup(of: file.directory, to: copies.directory).make()
        }
        let store = try file.open(recovers: true)
        #expect(store.losses == [.file(path: file.path)])
        store.close()
    }

    @Test("is not missed in a restored backup, nor before a daemon has begun")
    func backup() async throws {
        let (file, copies) = (try killed(), ReactorFile())
        _ = try StateBackup(of: file.directory, to: copies.directory).make()
        #expect(try copies.look { try CommitRow($0).isMarked } == false)
        var store = try copies.open()
        #expect(store.losses.isEmpty)
        var reactor = try #require(try LoggedReactor(restoring: store.log(of: "light", .made(.sync))))
        #expect(await outcome { reactor.step($0) } == nil)
        store.close()
        unlink(copies.path + "-lock")
        store = try copies.open()
        #expect(store.losses == [.mark(path: copies.path)])
        store.close()

        let new = ReactorFile()
        // Killed at its first start.
        _ = try DatabaseFile(path: new.path, schema: .reactors, disk: .system, recovers: false)
        unlink(new.path + "-lock")
        store = try new.open()
        #expect(store.losses.isEmpty)
        store.close()
    }

    @Test("is missed in a backup that was made without it")
    func backupWithoutMark() throws {
        let (file, copies) = (try killed(), ReactorFile())
        unlink(file.path + "-lock")
        _ = try StateBackup(of: file.directory, to: copies.directory).make()
        let store = try copies.open()
        #expect(store.losses == [.mark(path: copies.path)])
        store.close()
    }

    @Test("by a flipped bit leaves the one before: it is reported, unless the database has one transaction more")
    func damagedSlot() throws {
        let file = try killed()
        let mapping = try Disk.system.map(file.path + "-lock", CommitMarks.bytes)
        let words = mapping.bytes.bindMemory(to: UInt64.self)
        let newest = words[0] > words[MarkSlot.words] ? 0 : MarkSlot.words
        words[newest + 3] ^= 1
        let mark = try file.bytes("-lock")
        let log = try file.bytes("-wal")
        var store = try file.open()
        #expect(try store.losses.isEmpty && revision(store) == 20)
        store.close()
        // Without the last transaction.
        try file.write(mark, "-lock")
        try file.write(log.dropLast() + [log[log.count - 1] ^ 1], "-wal")
        store = try file.open()
        #expect(store.losses == [.mark(path: file.path)])
        store.close()
    }
}
