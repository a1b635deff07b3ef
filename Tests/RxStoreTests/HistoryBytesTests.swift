import Glibc
import RxJSON
import RxPlatform
import TestSupport
import Testing

@testable import RxRecords
@testable import RxStore

@Suite("The bytes of the histories of reactors", .countedApart)
struct HistoryBytesTests {
    private static let mebibyte = 1 << 20

    /// The bytes that the rows have in the file.
    private func used(_ file: ReactorFile) throws -> Int {
        try file.look { database in
            try Int(database.integer("PRAGMA page_count") - database.integer("PRAGMA freelist_count")) * 4096
        }
    }

    private func count(_ table: String, of reactor: String, _ file: ReactorFile) throws -> Int64 {
        try file.look { try $0.integer("SELECT count(*) FROM \(table) WHERE reactor = '\(reactor)'") }
    }

    @Test("are those of the file, whatever the length of a step", arguments: [0, 200, 900, 1100, 2000, 5000, 100_000])
    func measure(padding: Int) async throws {
        let file = ReactorFile()
        let store = try file.open()
        let before = try used(file)
        var reactor = LoggedReactor(store.log(of: "light", .made()))
        for _ in 0..<max(30, 1_000_000 / (padding + 200)) { reactor.stepAsHosted(padding: padding) }
        try await store.settle()
        let rows = try used(file) - before
        #expect(Double(rows) / Double(store.bytes()) > 0.8 && Double(rows) / Double(store.bytes()) < 1.2)
        store.close()
    }

    @Test("of one reactor stay below its bound; the newest state and the steps to it stay")
    func ofOne() async throws {
        let file = ReactorFile()
        let store = try file.open()
        let bound = Self.mebibyte
        var reactor = LoggedReactor(store.log(of: "light", .made(historyBytes: bound)))
        var most = 0
        for _ in 0..<200 {
            reactor.stepAsHosted(padding: 40_000)
            await store.flush()
            most = max(most, store.bytes())
        }
        // Steps between two snapshots, and one more.
        #expect(most > bound - 200_000 && most < bound + 200_000, "\(most)")
        let shown = try await reactor.log.history().steps.map(\.revision)
        #expect(shown.last == 200 && shown.count > 15 && shown.count < 30)
        for revision in shown {
            #expect(try await reactor.log.state(at: revision) == LoggedReactor.states(at: revision))
        }
        store.close()
        let again = try file.open()
        #expect(try LoggedReactor(restoring: again.log(of: "light", .made()))?.state == reactor.state)
        again.close()
    }

    @Test("have no effect on the newest state, even if it alone is beyond the bound")
    func newest() async throws {
        let file = ReactorFile()
        let store = try file.open(mostBytes: 0)
        var reactor = LoggedReactor(store.log(of: "light", .made(historyBytes: 0)))
        for _ in 0..<50 { reactor.stepAsHosted(padding: 20_000) }
        reactor.snapshot()
        reactor.step()
        try await store.settle()
        #expect(try count("snapshots", of: "light", file) == 1)
        #expect(try count("steps", of: "light", file) == 1)
        store.close()
        let again = try file.open(mostBytes: 0)
        #expect(try LoggedReactor(restoring: again.log(of: "light", .made()))?.state == reactor.state)
        again.close()
    }

    @Test("and with them the file stay bounded while large steps come one by one")
    func file() async throws {
        let file = ReactorFile()
        let store = try file.open()
        let bound = 16 * Self.mebibyte
        var reactor = LoggedReactor(store.log(of: "light", .made(historyBytes: bound)))
        var most = 0
        for _ in 0..<80 {
            reactor.stepAsHosted(padding: 950_000)
            await store.flush()
            most = max(most, try #require(Disk.system.size(file.path)))
        }
        #expect(most < bound + 6 * Self.mebibyte, "\(most)")
        store.close()
    }

    @Test("of all reactors stay below theirs: the largest gives way, the others keep their histories")
    func ofAll() async throws {
        let file = ReactorFile()
        let bound = 4 * Self.mebibyte
        let store = try file.open(mostBytes: bound)
        var small = LoggedReactor(store.log(of: "small", .made()))
        for _ in 0..<50 { small.stepAsHosted(padding: 10_000) }
        var large = LoggedReactor(store.log(of: "large", .made()))
        var most = 0
        for _ in 0..<200 {
            large.stepAsHosted(padding: 100_000)
            await store.flush()
            most = max(most, store.bytes())
        }
        #expect(most > bound - 300_000 && most < bound + 300_000, "\(most)")
        #expect(try count("steps", of: "small", file) == 50)
        #expect(try count("steps", of: "large", file) < 40)
        #expect(try await large.log.state(at: 200) == large.state)
        store.close()
    }

    @Test("of a reactor that is not configured give way once all others have begun, those of others once they have")
    func unconfigured() async throws {
        let file = ReactorFile()
        var store = try file.open()
        for name in ["left", "kept"] {
            var reactor = LoggedReactor(store.log(of: name, .made()))
            for _ in 0..<50 { reactor.stepAsHosted(padding: 100_000) }
            reactor.snapshot()
        }
        store.close()
        store = try file.open(mostBytes: Self.mebibyte)
        let kept = store.log(of: "kept", .made())
        try await store.settle()
        for name in ["left", "kept"] { #expect(try count("steps", of: name, file) == 50, "it may be read to the end") }
        store.releaseOthers()
        try await store.settle()
        #expect(try count("steps", of: "left", file) < 3)
        #expect(try count("steps", of: "kept", file) == 50)
        kept.begin()
        try await store.settle()
        #expect(try count("steps", of: "kept", file) < 12)
        #expect(store.bytes() < Self.mebibyte + 300_000)
        store.close()
        let again = try file.open()
        for name in ["left", "kept"] {
            #expect(
                try LoggedReactor(restoring: again.log(of: name, .made()))?.state == LoggedReactor.states(at: 50))
        }
        again.close()
    }

    @Test("of small logs that have begun do not give way while a larger one has not")
    func begunBeforeTheLargest() async throws {
        let file = ReactorFile()
        var store = try file.open()
        for (name, padding) in [("a", 1000), ("b", 100_000), ("left", 1000)] {
            var reactor = LoggedReactor(store.log(of: name, .made()))
            for _ in 0..<50 { reactor.stepAsHosted(padding: padding) }
            reactor.snapshot()
        }
        store.close()
        store = try file.open(mostBytes: Self.mebibyte)
        for name in ["a", "b"] {
            store.log(of: name, .made()).begin()
            try await store.settle()
            #expect(try count("steps", of: "a", file) == 50, "\(name) has begun")
        }
        store.releaseOthers()
        try await store.settle()
        #expect(try count("steps", of: "a", file) == 50)
        #expect(try count("steps", of: "left", file) == 50)
        #expect(try count("steps", of: "b", file) < 12)
        store.close()
    }

    @Test("beyond a lower bound are removed in portions, and the file system gets the space back")
    func lowered() async throws {
        let file = ReactorFile()
        let store = try file.open()
        var reactor = LoggedReactor(store.log(of: "light", .made(historyBytes: .max)))
        for _ in 0..<300 { reactor.stepAsHosted(padding: 100_000) }
        // The newest snapshot and all steps after it stay. Where that is, depends on the speed of the writes.
        reactor.snapshot()
        await store.flush()
        let before = store.bytes()
        try #require(before > 28 * Self.mebibyte)
        store.writes.queue.hang()
        store.bound(bytes: 2 * Self.mebibyte)
        var sizes = [before]
        while let last = sizes.last, last > 3 * Self.mebibyte, sizes.count < 30 {
            store.writes.queue.resume()
            store.writes.queue.hang()
            sizes.append(store.writes.writer?.bytes ?? 0)
        }
        store.writes.queue.resume()
        let portions = zip(sizes, sizes.dropFirst()).map { $0 - $1 }
        // Several portions may have passed between two looks: each look waits for the work that was there.
        #expect(portions.allSatisfy { $0 <= 2 * (LogTrimmer.bytes + 300_000) }, "\(portions)")
        try await store.settle()
        // Some free pages stay for the next rows. The file itself is shorter, although nothing is written any more.
        let size = try #require(Disk.system.size(file.path))
        #expect(size < 8 * Self.mebibyte, "\(size)")
        #expect(try await reactor.log.state(at: 300) == reactor.state)
        store.close()
    }

    @Test("no transaction removes more of them than a portion")
    func portion() async throws {
        let file = ReactorFile()
        let store = try file.open()
        var reactor = LoggedReactor(store.log(of: "light", .made()))
        for _ in 0..<200 { reactor.step(padding: 100_000) }
        reactor.snapshot()
        store.close()
        let opened = try DatabaseFile(path: file.path, schema: .reactors, disk: .system, recovers: false)
        let writer = try ReactorWriter(opened, mostBytes: 1)
        writer.release(allBut: [])
        var sizes = [writer.bytes]
        while try writer.trim(at: 0), writer.bytes < sizes.last! { sizes.append(writer.bytes) }
        let portions = zip(sizes, sizes.dropFirst()).map { $0 - $1 }
        #expect(portions.count > 3 && portions.allSatisfy { $0 < LogTrimmer.bytes + 200_000 }, "\(portions)")
    }

    @Test("are noted in the file when it is closed, and counted again if there is no note of this moment")
    func noted() async throws {
        let file = ReactorFile()
        var store = try file.open()
        for name in ["a", "b"] {
            var reactor = LoggedReactor(store.log(of: name, .made(historyBytes: 300_000)))
            for _ in 0..<200 { reactor.stepAsHosted(padding: 5000) }
            // Another one of the same revision takes its place.
            reactor.snapshot()
            reactor.snapshot()
        }
        try await store.settle()
        let bytes = store.bytes()
        store.close()
        // Without a note, the rows themselves.
        try file.look { try $0.execute("DELETE FROM extents") }
        store = try file.open()
        #expect(store.bytes() == bytes)
        store.close()
        // The note is taken as it is.
        try file.look { try $0.execute("UPDATE extents SET bytes = 1000") }
        store = try file.open()
        #expect(store.bytes() == 3000, "two reactors, and the one that waits for the writes")
        var reactor = try #require(try LoggedReactor(restoring: store.log(of: "a", .made(historyBytes: 300_000))))
        reactor.step()
        await store.flush()
        // As after a kill: the note is older than the last transaction.
        let copy = ReactorFile()
        try copy.write(try file.bytes())
        try copy.write(try file.bytes("-wal"), "-wal")
        store.close()
        let killed = try copy.open()
        #expect(killed.bytes() > bytes / 2)
        killed.close()
    }

    @Test("and the newest revisions in the note disclose a log that has lost its end")
    func shortened() async throws {
        let file = ReactorFile()
        let store = try file.open()
        var reactor = LoggedReactor(store.log(of: "light", .made()))
        for _ in 0..<10 { reactor.step() }
        store.close()
        try file.look { try $0.execute("DELETE FROM steps WHERE revision > 7") }
        let damage = StoreError.damaged(
            path: file.path, message: "reactor light had revision 10, and now has revision 7")
        #expect(throws: damage) { try file.open() }
        let again = try file.open(recovers: true)
        #expect(again.losses == [.reactor(path: file.path, name: "light", revision: 7)])
        let log = again.log(of: "light", .made())
        #expect(try LoggedReactor(restoring: log)?.state == LoggedReactor.states(at: 7))
        #expect(try await log.history().steps.last?.cause == .loss)
        again.close()
    }
}
