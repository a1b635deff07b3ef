import Glibc
import RxAction
import RxJSON
import Testing
import TestSupport

@testable import RxRecords
@testable import RxStore

@Suite("The file of a store", .countedApart)
struct SchemaTests {
    private func bytes(_ path: String) -> [UInt8]? {
        guard let file = fopen(path, "r") else { return nil }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var byte = fgetc(file)
        while byte >= 0 {
            bytes.append(UInt8(byte))
            byte = fgetc(file)
        }
        return bytes
    }

    private func write(_ bytes: [UInt8], _ path: String) throws {
        let file = try #require(fopen(path, "w"))
        defer { fclose(file) }
        try #require(fwrite(bytes, 1, bytes.count, file) == bytes.count)
    }

    private func refusal(_ file: StoreFile) -> StoreError? {
        do throws(StoreError) {
            try file.open().close()
            return nil
        } catch {
            return error
        }
    }

    @Test("of a later version is refused and left as it is, its log too")
    func newer() async throws {
        let file = StoreFile()
        let store = try file.open()
        store.ended(.made(.completed))
        store.close()
        // Its last change stays in the log, as after a sudden end.
        try file.look { database in
            try database.execute("PRAGMA user_version = 1000")
        }
        let before = [bytes(file.path), bytes(file.path + "-wal")]
        try #require(before[1]?.isEmpty == false)
        #expect(refusal(file) == .newer(path: file.path, found: 1000, known: Schema.executions.version))
        #expect([bytes(file.path), bytes(file.path + "-wal")] == before)
    }

    @Test("that is no database, or a damaged one, is refused and left as it is")
    func damaged() async throws {
        let file = StoreFile()
        let store = try file.open()
        for _ in 0..<100 { store.accepted(.made(.queued), durableInput: .null) }
        store.close()
        let good = try #require(bytes(file.path))
        let damages: [[UInt8]] = [
            Array("this is no database, and long enough to be looked at as one: ".utf8) + good.dropFirst(61),
            Array(good.prefix(5000)),
            good.prefix(100) + [UInt8](repeating: 0xA5, count: good.count - 100),
            // Every page but the first, whose schema table still has the places of the others.
            good.prefix(4096) + [UInt8](repeating: 0xA5, count: good.count - 4096),
        ]
        for damage in damages {
            try write(damage, file.path)
            guard case .damaged(file.path, _)? = refusal(file) else {
                Issue.record("it was not refused as damaged: \(String(describing: refusal(file)))")
                continue
            }
            #expect(bytes(file.path) == damage)
        }
        try write(good, file.path)
        #expect(try file.open().takeRecovery().queued.count == 100)
    }

    @Test("of another program is refused and left as it is")
    func foreign() throws {
        let file = StoreFile()
        try write([], file.path)
        try file.look { try $0.execute("CREATE TABLE recipes(name TEXT)") }
        let before = bytes(file.path)
        #expect(refusal(file) == .foreign(path: file.path))
        #expect(bytes(file.path) == before)
    }

    @Test("that is empty, as a daemon that was killed early leaves it, is a new one")
    func empty() throws {
        let file = StoreFile()
        try write([], file.path)
        #expect(refusal(file) == nil)
    }

    @Test("frees the space of old rows, and finds executions by an index")
    func settings() async throws {
        let file = StoreFile()
        try file.open().close()
        let facts = try file.look { database in
            try ["auto_vacuum", "journal_mode", "integrity_check"].map { try database.text("PRAGMA \($0)") }
        }
        #expect(facts == ["2", "wal", "ok"])
    }
}
