import Glibc
import RxPlatform
import Testing
import TestSupport

@testable import RxRecords
@testable import RxStore

@Suite("A database with a damaged definition of a table", .countedApart)
struct DamagedTablesTests {
    private let root = TemporaryDirectory()
    private var state: String { root.path + "/state" }

    init() throws {
        mkdir(state, 0o700)
        let executions = try ExecutionStore(path: state + "/rxd.db") { _ in }
        executions.ended(.made(.completed))
        executions.close()
        let reactors = try StateStore(path: state + "/reactors.db") { _ in }
        _ = LoggedReactor(reactors.log(of: "light", .made()))
        reactors.close()
    }

    private func readBytes(_ path: String) -> [UInt8]? {
        Disk.system.size(path).flatMap { try? Disk.system.read(path, $0) }
    }

    private func writeBytes(_ bytes: [UInt8], _ path: String) throws {
        let file = try #require(fopen(path, "r+"))
        defer { fclose(file) }
        try #require(fwrite(bytes, 1, bytes.count, file) == bytes.count)
    }

    /// Opens the database as a daemon does, and returns its losses.
    private func open(_ name: String, recovers: Bool = false) throws -> [StateLoss] {
        let path = state + "/" + name
        if name == "rxd.db" {
            let store = try ExecutionStore(path: path, recovers: recovers) { _ in }
            defer { store.close() }
            return store.losses
        }
        let store = try StateStore(path: path, recovers: recovers) { _ in }
        defer { store.close() }
        return store.losses
    }

    private func isDamage(of name: String, _ error: (any Error)?) -> Bool {
        switch error {
        case .some(StoreError.damaged(state + "/" + name, _)): true
        case .some(BackupFailure.store(.damaged(state + "/" + name, _))): true
        case _: false
        }
    }

    /// The places in the file of the definitions' characters, without those between lines.
    private func places(_ name: String, _ bytes: [UInt8]) throws -> [Int] {
        let database = try Database(path: state + "/" + name, on: .system, onlyToRead: true)
        let rows = try Statement("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL", database)
        var places: [Int] = []
        while try rows.step() {
            let text = rows.bytes(0)
            let start = try #require(bytes.indices.first { bytes[$0...].starts(with: text) })
            places += text.indices.filter { text[$0] != UInt8(ascii: "\n") }.map { start + $0 }
        }
        return places
    }

    @Test(
        "is refused as damaged by the daemon and by a backup, wherever a bit is wrong, and left as it is",
        arguments: ["rxd.db", "reactors.db"])
    func refused(name: String) throws {
        let path = state + "/" + name
        let good = try #require(readBytes(path))
        let places = try places(name, good)
        #expect(places.count > 500)
        for (step, index) in stride(from: 0, to: places.count, by: 13).enumerated() {
            let place = places[index]
            var bad = good
            bad[place] ^= 1 << UInt8(step % 8)
            try writeBytes(bad, path)
            let hint: Comment = "bit \(step % 8) at \(place)"
            #expect(isDamage(of: name, #expect(throws: (any Error).self, hint) { _ = try open(name) }), hint)
            let backup = StateBackup(of: state, to: root.path + "/copies")
            #expect(isDamage(of: name, #expect(throws: (any Error).self, hint) { _ = try backup.make() }), hint)
            #expect(readBytes(path) == bad, hint)
        }
        try writeBytes(good, path)
        #expect(try open(name).isEmpty)
    }

    @Test("is set aside by a recovery, which reports it", arguments: ["rxd.db", "reactors.db"])
    func recovered(name: String) throws {
        let path = state + "/" + name
        var bytes = try #require(readBytes(path))
        let word = Array((name == "rxd.db" ? "reason TEXT" : "cause").utf8)
        let place = try #require(bytes.indices.first { bytes[$0...].starts(with: word) })
        bytes[place] ^= 1
        try writeBytes(bytes, path)
        let table = name == "rxd.db" ? "switches" : "steps"
        let version = name == "rxd.db" ? Schema.executions.version : Schema.reactors.version
        let message = "the definition of \(table) is not that of format \(version)"
        #expect(throws: StoreError.damaged(path: path, message: message)) { try open(name) }
        #expect(
            try open(name, recovers: true) == [.damaged(path: path, copy: path + ".damaged", message: message)])
        #expect(readBytes(path + ".damaged") == bytes)
        #expect(try open(name).isEmpty)
    }

    @Test("has no damage with the statistics of ANALYZE, and a statement that does not fit is damage")
    func statements() throws {
        let path = state + "/rxd.db"
        let database = try Database(path: path, on: .system)
        try database.execute("ANALYZE")
        #expect(try open("rxd.db").isEmpty)
        let message = "SELECT nowhere FROM switches: no such column: nowhere"
        #expect(throws: StoreError.damaged(path: path, message: message)) {
            try Statement("SELECT nowhere FROM switches", database)
        }
    }
}
