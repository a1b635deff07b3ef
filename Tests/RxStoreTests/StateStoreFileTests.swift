import Dispatch
import Glibc
import RxJSON
import RxPlatform
import Testing
import TestSupport

@testable import RxRecords
@testable import RxStore

@Suite("The file of a store of reactors", .countedApart)
struct StateStoreFileTests {
    /// A file with some hundred steps of two reactors and their snapshots, closed.
    private func filled() throws -> ReactorFile {
        let file = ReactorFile()
        let store = try file.open()
        for name in ["light", "tasks"] {
            var reactor = LoggedReactor(store.log(of: name, .made()))
            for _ in 0..<300 {
                reactor.step(padding: 100)
                if reactor.revision % 100 == 0 { reactor.snapshot() }
            }
        }
        store.close()
        return file
    }

    private func refusal(_ file: ReactorFile) -> StoreError? {
        do throws(StoreError) {
            try file.open().close()
            return nil
        } catch {
            return error
        }
    }

    @Test("of a later version is refused and left as it is, its log too")
    func newer() throws {
        let file = try filled()
        // Its last change stays in the log, as after a sudden end.
        try file.look { try $0.execute("PRAGMA user_version = 1000") }
        let before = [try file.bytes(), try file.bytes("-wal")]
        try #require(!before[1].isEmpty)
        #expect(refusal(file) == .newer(path: file.path, found: 1000, known: Schema.reactors.version))
        #expect([try file.bytes(), try file.bytes("-wal")] == before)
    }

    @Test("of another program, or of the store of executions, is refused and left as it is")
    func foreign() throws {
        let recipes = ReactorFile()
        try recipes.write([])
        try recipes.look { try $0.execute("CREATE TABLE recipes(name TEXT)") }
        let executions = StoreFile()
        try executions.open().close()
        let moved = ReactorFile()
        try #require(rename(executions.path, moved.path) == 0)
        for file in [recipes, moved] {
            let before = try file.bytes()
            #expect(refusal(file) == .foreign(path: file.path))
            #expect(try file.bytes() == before)
        }
    }

    @Test("that another daemon has is refused, and taken when that has closed it")
    func inUse() throws {
        let file = try filled()
        let store = try file.open()
        #expect(refusal(file) == .inUse(path: file.path))
        store.close()
        #expect(refusal(file) == nil)
    }

    @Test("that is empty, as a daemon that was killed early leaves it, is a new one")
    func empty() throws {
        let file = ReactorFile()
        try file.write([])
        #expect(refusal(file) == nil)
    }

    @Test("in a directory that cannot be written to is refused with the path and the reason")
    func noDirectory() {
        for path in ["/proc/reactors.db", "/nowhere/at/all/reactors.db"] {
            #expect(throws: StoreError.file(call: "open", path: path + "-lock", errno: ENOENT)) {
                try StateStore(path: path) { _ in }
            }
        }
    }

    @Test("that is no database, or was cut off, is refused and left as it is")
    func cutOff() throws {
        let file = try filled()
        let good = try file.bytes()
        let damages = [
            Array("this is no database, and long enough to be looked at as one: ".utf8) + good.dropFirst(61),
            Array(good.prefix(good.count / 2)), Array(good.prefix(5000)),
        ]
        for damage in damages {
            try file.write(damage)
            guard case .damaged(file.path, _)? = refusal(file) else {
                Issue.record("not refused as damaged: \(String(describing: refusal(file)))")
                continue
            }
            #expect(try file.bytes() == damage)
        }
        try file.write(good)
        #expect(refusal(file) == nil)
    }

    @Test("any page of which is overwritten is refused and left as it is, also one that start does not read")
    func overwritten() throws {
        let file = try filled()
        let good = try file.bytes()
        let pages = good.count / 4096
        try #require(pages > 30)
        for page in 0..<pages {
            var damage = good
            for index in (page * 4096)..<((page + 1) * 4096) { damage[index] = 0xA5 }
            try file.write(damage)
            guard case .damaged(file.path, let message)? = refusal(file) else {
                Issue.record("page \(page + 1) of \(pages): \(String(describing: refusal(file)))")
                continue
            }
            #expect(!message.isEmpty)
            #expect(try file.bytes() == damage)
        }
        try file.write(good)
        #expect(refusal(file) == nil)
    }

    @Test(
        "with rows that do not fit together is damaged for a restore, with the reactor and the revision",
        arguments: [
            ("DELETE FROM steps WHERE reactor = 'light' AND revision = 250", "reactor light: revision 250 is missing"),
            (
                "UPDATE steps SET patch = '[{' WHERE reactor = 'light' AND revision = 222",
                "reactor light: revision 222 cannot be read"
            ),
            (
                #"UPDATE steps SET patch = '[{"op":"remove","path":"/9"}]' WHERE reactor = 'light' AND revision = 222"#,
                "reactor light: revision 222 cannot be read"
            ),
            (
                "UPDATE snapshots SET state = '[1, 2' WHERE reactor = 'light'",
                "reactor light: the snapshot of revision 200 cannot be read"
            ),
        ])
    func rows(change: String, message: String) async throws {
        let file = try filled()
        try file.look {
            // The note of the extents discloses some of this earlier.
            try $0.execute("DELETE FROM extents; DELETE FROM snapshots WHERE revision = 300")
            try $0.execute(change)
        }
        let store = try file.open()
        #expect(throws: StoreError.damaged(path: file.path, message: message)) {
            _ = try LoggedReactor(restoring: store.log(of: "light", .made()))
        }
        #expect(StoreError.damaged(path: file.path, message: message).description.contains(file.path))
        // It concerns nobody else.
        #expect(
            try LoggedReactor(restoring: store.log(of: "tasks", .made()))?.state == LoggedReactor.states(at: 300))
        store.close()
        #expect(try file.open().log(of: "tasks", .made()).kept()?.revision == 300)
    }

    @Test("a row of the history that cannot be read is passed over, counted, and no state is made without it")
    func unreadable() async throws {
        let file = try filled()
        try file.look { try $0.execute("UPDATE steps SET patch = '[{' WHERE reactor = 'light' AND revision = 150") }
        let store = try file.open()
        let log = store.log(of: "light", .made())
        #expect(try await log.history().steps.map(\.revision) == Array(1...149) + Array(151...300))
        #expect(store.unreadableRows == 1)
        #expect(try await log.state(at: 149) != nil)
        let message = "reactor light: revision 150 cannot be read"
        await #expect(throws: StoreError.damaged(path: file.path, message: message)) { try await log.state(at: 151) }
        #expect(try await log.state(at: 200) != nil)
        let heard = Heard<StoreError>()
        store.checkInBackground { heard.add($0) }
        #expect(await eventually { heard.values == [.unreadable(path: file.path, rows: 1)] })
        store.close()
    }

    @Test("cut at any byte of its log, as by a sudden end, has a beginning of each reactor's steps and nothing else")
    func suddenEnd() throws {
        let file = ReactorFile()
        let store = try file.open()
        // With a mark, a log that is cut off would be refused.
        try file.look {
            try CommitRow.mark($0, false)
            try #require(try $0.checkpoint())
        }
        var reactors = ["one", "two", "three"].map { LoggedReactor(store.log(of: $0, .made(history: 50))) }
        var random = Seeded(7)
        for _ in 0..<120 {
            store.writes.queue.hang()
            for _ in 0..<Int.random(in: 1...30, using: &random) {
                let index = Int.random(in: 0..<3, using: &random)
                reactors[index].step(padding: Int.random(in: 0...300, using: &random))
                if Int.random(in: 0..<20, using: &random) == 0 { reactors[index].snapshot() }
            }
            store.writes.queue.resume()
        }
        store.writes.queue.sync {}
        let (database, log) = (try file.bytes(), try file.bytes("-wal"))
        store.close()
        try #require(log.count > 500_000)
        var newest: UInt64 = 0
        let cuts = [0, 1, 31, 32, 33, log.count] + (0..<60).map { _ in Int.random(in: 0...log.count, using: &random) }
        for cut in cuts.sorted() {
            let copy = ReactorFile()
            try copy.write(database)
            try copy.write(log.prefix(cut), "-wal")
            let store = try copy.open()
            var total: UInt64 = 0
            for name in ["one", "two", "three"] {
                let log = store.log(of: name, .made(history: 50))
                guard let reactor = try LoggedReactor(restoring: log) else { continue }
                #expect(reactor.state == LoggedReactor.states(at: reactor.revision), "\(name) cut at \(cut)")
                total += reactor.revision
            }
            #expect(total >= newest, "a longer log has more")
            newest = total
            store.close()
        }
        #expect(newest == reactors.reduce(UInt64(0)) { $0 + $1.revision })
    }
}
