import Glibc
import RxJSON
import TestSupport
import Testing

@testable import RxRecords
@testable import RxStore

@Suite(.ownThreads)
struct StateArchiveTests {
    private func revisions(_ archive: StateArchive, in range: ClosedRange<UInt64>) throws -> [UInt64] {
        var found: [UInt64] = []
        try archive.forEachStep(of: "list", in: range) { step in
            found.append(step.revision)
            return true
        }
        return found
    }

    @Test("reads the stored steps page by page while a daemon writes")
    func whileWritten() async throws {
        let file = ReactorFile()
        let store = try file.open()
        defer { store.close() }
        var list = LoggedReactor(store.log(of: "list", .made()))
        for _ in 0..<20 { list.step() }
        await store.flush()
        let archive = try StateArchive(path: file.path)
        #expect(try archive.revisions(of: "list") == 0...20)
        #expect(try archive.revisions(of: "other") == nil)
        for _ in 20..<2500 { list.step() }
        await store.flush()
        #expect(try archive.revisions(of: "list") == 0...2500)
        #expect(try revisions(archive, in: 3...2500) == Array(3...2500))
        #expect(try archive.state(of: "list", at: 7)?.value.array == LoggedReactor.states(at: 7))
        #expect(try archive.state(of: "list", at: 2501) == nil)
    }

    @Test("leaves the file as it is, and reads one that an earlier version has written")
    func earlierVersion() async throws {
        let file = ReactorFile()
        let store = try file.open()
        var list = LoggedReactor(store.log(of: "list", .made()))
        for _ in 0..<3 { list.step() }
        store.close()
        try file.look { database in
            try database.execute(
                """
                ALTER TABLE steps DROP COLUMN start; DROP TABLE commits; DROP TABLE extents; PRAGMA user_version = 1
                """)
            database.movesLogAtClose(true)
        }
        unlink(file.path + "-lock")
        let before = try file.bytes()
        do {
            let archive = try StateArchive(path: file.path)
            #expect(try revisions(archive, in: 1...3) == [1, 2, 3])
        }
        #expect(try file.bytes() == before)
        // The next daemon migrates the file and keeps its contents.
        let next = try file.open()
        defer { next.close() }
        let log = next.log(of: "list", .made())
        #expect(try log.restore()?.revision == 3)
        #expect(try await log.history().steps.map(\.revision) == [1, 2, 3])
    }

    @Test("refuses a missing file and a file of another kind")
    func refused() throws {
        let file = ReactorFile()
        #expect(throws: StoreError.file(call: "open", path: file.path, errno: ENOENT)) {
            try StateArchive(path: file.path)
        }
        try file.write([UInt8](repeating: 0x78, count: 4096))
        #expect {
            try StateArchive(path: file.path)
        } throws: { error in
            if case StoreError.damaged = error { true } else { false }
        }
        try file.write([])
        #expect(throws: StoreError.foreign(path: file.path)) { try StateArchive(path: file.path) }
    }

    @Test("reports that it may not read the file", .enabled(if: geteuid() != 0))
    func forbidden() throws {
        let file = ReactorFile()
        try file.open().close()
        chmod(file.path, 0)
        #expect(throws: StoreError.file(call: "open", path: file.path, errno: EACCES)) {
            try StateArchive(path: file.path)
        }
    }

    @Test("reports a step that was removed meanwhile, or that is missing")
    func gone() async throws {
        let file = ReactorFile()
        let store = try file.open()
        defer { store.close() }
        var list = LoggedReactor(store.log(of: "list", .made(history: 10)))
        for _ in 0..<20 { list.step() }
        list.snapshot()
        for _ in 0..<20 { list.step() }
        list.snapshot()
        await store.flush()
        let archive = try StateArchive(path: file.path)
        let kept = try #require(try archive.revisions(of: "list"))
        #expect(kept == 20...40)
        #expect(throws: StoreError.passed(reactor: "list", revision: 15, oldest: 20)) {
            try revisions(archive, in: 15...40)
        }
        #expect(throws: StoreError.passed(reactor: "list", revision: 15, oldest: 20), "also where all of them have") {
            try revisions(archive, in: 15...18)
        }
        try file.look { try $0.execute("DELETE FROM steps WHERE revision = 30") }
        #expect {
            try revisions(archive, in: 21...40)
        } throws: { error in
            if case StoreError.damaged = error { true } else { false }
        }
    }
}
