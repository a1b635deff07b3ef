import RxPlatform
import TestSupport
import Testing

@testable import RxStore

@Suite("The write-ahead log of a database")
struct WriteAheadLogTests {
    private let directory = TemporaryDirectory()
    private var path: String { directory.path + "/a.db" }

    private func log() throws -> [UInt8] {
        try Disk.system.read(path + "-wal", Disk.system.size(path + "-wal") ?? 0)
    }

    private func end(_ log: [UInt8]) -> Int? { log.withUnsafeBytes { WriteAheadLog.lastTransaction(in: $0)?.begin } }

    /// A database with a table, in which each transaction adds a row of some pages.
    private func make() throws -> Database {
        try #require(Disk.system.makeFile(path, 0o600) == 0)
        let database = try Database(path: path, on: .system)
        try database.execute("PRAGMA journal_mode = WAL; CREATE TABLE t(x)")
        return database
    }

    private func add(to database: Database) throws { try database.execute("INSERT INTO t VALUES(zeroblob(20000))") }

    @Test("ends before its last whole transaction where it ended after the one before, also after it began anew")
    func ends() throws {
        let database = try make()
        for _ in 0..<4 {
            let size = try log().count
            try add(to: database)
            #expect(try end(log()) == size)
        }
        // What follows a whole transaction does not count: a part of one, or other bytes.
        let whole = try log()
        for rest in [[UInt8](repeating: 7, count: 5000), Array(whole[32..<4000])] {
            #expect(end(whole + rest) == end(whole))
        }
        // Older frames follow the first transaction of a log that begins anew.
        #expect(try database.checkpoint())
        try add(to: database)
        #expect(try end(log()) == 32 && log().count == whole.count)
        #expect(end([]) == nil && end([UInt8](repeating: 0, count: 4096)) == nil)
    }

    @Test("keeps its last transaction if the database has it already")
    func moved() throws {
        do {
            let database = try make()
            for _ in 0..<3 { try add(to: database) }
            #expect(try database.checkpoint())
        }
        let size = Disk.system.size(path + "-wal")
        try WriteAheadLog.removeLastTransaction(of: path, .system)
        #expect(Disk.system.size(path + "-wal") == size)
        // Of the next transaction, which begins the log anew, the database has nothing.
        try add(to: Database(path: path, on: .system))
        try WriteAheadLog.removeLastTransaction(of: path, .system)
        let database = try Database(path: path, on: .system)
        #expect(try database.integer("SELECT count(*) FROM t") == 3)
        #expect(try database.text("PRAGMA integrity_check") == "ok")
    }

    @Test("loses its last transaction, and no other; but not while another connection may have read it")
    func removes() throws {
        do {
            let database = try make()
            for _ in 0..<3 { try add(to: database) }
        }
        for count in [Int64(2), 1, 0] {
            try WriteAheadLog.removeLastTransaction(of: path, .system)
            let database = try Database(path: path, on: .system)
            #expect(try database.integer("SELECT count(*) FROM t") == count)
            #expect(try database.text("PRAGMA integrity_check") == "ok")
            let size = Disk.system.size(path + "-wal")
            #expect(throws: StoreError.self) { try WriteAheadLog.removeLastTransaction(of: path, .system) }
            #expect(Disk.system.size(path + "-wal") == size)
        }
    }
}
