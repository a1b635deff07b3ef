import Dispatch
import RxAction
import RxJSON
import RxPlatform
import Testing
import TestSupport

@testable import RxRecords
@testable import RxStore

@Suite("Retention", .countedApart)
struct TrimmerTests {
    private func retention(_ count: Int, _ age: Duration = .seconds(1000)) -> ExecutionStore.Retention {
        var retention = ExecutionStore.Retention()
        retention.count = count
        retention.age = age
        return retention
    }

    @Test("keeps the newest ends and no more than its count, one by one and many at once")
    func count() async throws {
        for together in [1, 25, 7] {
            let file = StoreFile()
            let store = try file.open(retention(10))
            let records = (0..<50).map { _ in ExecutionRecord.made(.completed) }
            for (index, record) in records.enumerated() {
                store.ended(record)
                if index % together == 0 { await store.flush() }
            }
            await store.flush()
            #expect(try await store.page().records.map(\.id) == records.suffix(10).map(\.id))
            store.close()
        }
    }

    @Test("removes records older than its age at each end and when the store is opened")
    func age() async throws {
        let file = StoreFile()
        var store = try file.open(retention(100, .seconds(10)), at: 20_000)
        for time in [9_999, 10_000, 10_001, 20_000] as [Int64] { store.ended(.made(.completed, endedAt: time)) }
        await store.flush()
        #expect(try await store.page().records.map(\.endedAt) == [10_000, 10_001, 20_000])
        store.close()
        store = try file.open(retention(100, .seconds(10)), at: 20_001)
        await store.flush()
        #expect(try await store.page().records.map(\.endedAt) == [10_001, 20_000])
        store.close()
    }

    @Test("a history that is far beyond a new limit shrinks in portions, and the file with it")
    func backlog() async throws {
        let file = StoreFile()
        var store = try file.open()
        let input = "\"" + String(repeating: "x", count: 2000) + "\""
        let records = (0..<5000).map { _ in ExecutionRecord.made(.completed, input: input) }
        for record in records { store.ended(record) }
        store.close()
        let before = try file.look { try $0.integer("PRAGMA page_count") }
        store = try file.open(retention(10))
        #expect(await eventually { store.isTidy })
        #expect(try await store.page().records.map(\.id) == records.suffix(10).map(\.id))
        store.close()
        let after = try file.look { try $0.integer("PRAGMA page_count") }
        #expect(before > 2500 && after < before / 2)
    }

    @Test("no commit removes more than a portion, or than it adds")
    func portions() async throws {
        let file = StoreFile()
        let store = try file.open()
        for _ in 0..<2000 { store.ended(.made(.completed)) }
        store.close()
        let opened = try DatabaseFile(path: file.path, schema: .executions, disk: .system, recovers: false)
        let writer = try Writer(opened, retention: retention(0), LogExtent(0), platform: .system)
        func left() throws -> Int { try Int(opened.database.integer("SELECT count(*) FROM executions")) }
        #expect(try writer.trim(at: 0))
        #expect(try left() == 2000 - Trimmer.portion)
        let group = (0..<1000).map { _ in Write(.ended(.made(.completed), isKept: true, isKeyed: false), nil) }
        #expect(writer.write(group.prefix(1), at: 0) == [nil])
        #expect(try left() == 2001 - 2 * Trimmer.portion)
        #expect(writer.write(group.dropFirst(), at: 0).allSatisfy { $0 == nil })
        #expect(try left() == 2001 - 2 * Trimmer.portion)
        while try writer.trim(at: 0) {}
        #expect(try left() == 0)
    }

    @Test("never touches executions in flight")
    func inFlight() async throws {
        let file = StoreFile()
        let store = try file.open(retention(0, .zero), at: 1_000_000)
        let ids = (0..<20).map { _ in ExecutionID() }
        for id in ids { store.accepted(.made(.queued, id: id), durableInput: .true) }
        for _ in 0..<100 { store.ended(.made(.completed)) }
        store.close()
        let again = try file.open(retention(0, .zero), at: 1_000_000)
        #expect(again.takeRecovery().queued.map(\.id) == ids)
        again.close()
    }

    @Test("a failed group does not make it believe that there is more than there is")
    func afterFailure() async throws {
        let file = StoreFile()
        let store = try file.open(retention(5))
        for _ in 0..<5 { store.ended(.made(.completed)) }
        await store.flush()
        try store.limit(pages: 1)
        let input = "\"" + String(repeating: "x", count: 4000) + "\""
        store.writes.queue.hang()
        let outcomes = Heard<StoreError?>()
        for _ in 0..<50 { store.ended(.made(.failed, input: input)) { outcomes.add($0) } }
        store.writes.queue.resume()
        #expect(await eventually { outcomes.values.count == 50 })
        #expect(outcomes.values.allSatisfy { $0 != nil })
        try store.limit(pages: 100000)
        store.ended(.made(.completed))
        await store.flush()
        #expect(try await store.page().records.map(\.state) == Array(repeating: .completed, count: 5))
        store.close()
    }
}

extension ExecutionStore {
    /// Whether nothing is left to remove.
    fileprivate var isTidy: Bool {
        writes.queue.sync { writes.writer.flatMap { try? $0.trim(at: 0) } == false }
    }
}
