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

    @Test("a record from a clock that was ahead does not keep those after it, and leaves when it is old enough")
    func ahead() async throws {
        let day: Int64 = 86_400_000
        let file = StoreFile()
        let retention = retention(10_000, .seconds(86_400))
        var store = try file.open(retention, at: day)
        store.ended(.made(.completed, endedAt: day))
        for _ in 0..<300 { store.ended(.made(.completed, endedAt: 300 * day)) }
        for _ in 0..<400 { store.ended(.made(.completed, endedAt: day)) }
        store.ended(.made(.completed, endedAt: 3 * day))
        store.close()
        let ahead = Array(repeating: 300 * day, count: 300)
        for (now, expected) in [(3 * day, ahead + [3 * day]), (302 * day, [])] as [(Int64, [Int64])] {
            store = try file.open(retention, at: now)
            // Each write removes a portion.
            for _ in 0..<10 { await store.flush() }
            store.close()
            let left = try file.look { database in
                let rows = try Statement("SELECT ended_at FROM executions ORDER BY seq", database)
                var times: [Int64] = []
                while try rows.step() { times.append(rows.integer(0)) }
                return times
            }
            #expect(left == expected)
        }
    }

    @Test("a record from a clock that was ahead does not have the events removed before older executions")
    func aheadInSpace() async throws {
        let file = StoreFile()
        var retention = retention(100_000)
        retention.bytes = 1 << 20
        let store = try file.open(retention, at: 10_000)
        let text = RawJSON(unchecked: Array(("\"" + String(repeating: "x", count: 4000) + "\"").utf8))
        store.ended(.made(.completed, endedAt: 1_000_000))
        for number in 10..<30 as Range<UInt64> {
            let refusal = LoggedEvent(
                number: number, time: 6000, name: "deploy", content: .other(kind: "refused", text))
            _ = store.log([refusal]) { _ in }
        }
        for _ in 0..<600 { store.ended(.made(.completed, input: text.description, endedAt: 5000)) }
        for _ in 0..<50 { await store.flush() }
        store.close()
        #expect(try file.look { try $0.integer("SELECT count(*) FROM events") } == 20)
        #expect(try file.look { try $0.integer("SELECT count(*) FROM executions") } < 300)
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
        let writer = try Writer(opened, retention: retention(0), LogExtent(RecoveredLog()), platform: .system)
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

    @Test("bytes take precedence: the oldest executions leave with their output and events, and the newest stay")
    func bytes() async throws {
        let file = StoreFile()
        var retention = retention(100_000)
        retention.bytes = 1 << 20
        let store = try file.open(retention)
        let output = KeptOutput(errors: KeptErrors(bytes: 8000, head: KeptHalf(piece(8000))))
        let records = (0..<400).map { ExecutionRecord.made(.completed, endedAt: 30 + Int64($0)) }
        for (index, record) in records.enumerated() {
            let end = LoggedEvent(
                number: UInt64(index + 10), time: 30 + Int64(index), name: record.action, execution: record.id,
                ordinal: 2,
                content: .ended(record, isKeyed: false, output: StorableOutput(bytes: 8000) { output }))
            _ = store.log([end]) { _ in }
            if index % 50 == 0 { await store.flush() }
        }
        #expect(await eventually { store.isTidy })
        let kept = try await store.page().records
        #expect(kept.count > 50 && kept.map(\.id) == records.suffix(kept.count).map(\.id))
        let used = try file.look { database in
            try (database.integer("PRAGMA page_count") - database.integer("PRAGMA freelist_count"))
                * database.integer("PRAGMA page_size")
        }
        #expect(used <= 1 << 20 && used > 1 << 19)
        #expect(try file.look { try $0.integer("SELECT count(*) FROM output") } == Int64(kept.count))
        #expect(try file.look { try $0.integer("SELECT count(*) FROM events") } == Int64(kept.count))
        #expect(store.marks.executions == UInt64(records.count - kept.count + 9), "readers know what is missing")
        store.close()
    }

    @Test("what waits or is in force leaves the history its bytes", arguments: ["inputs", "keys", "values"])
    func exempt(of kind: String) async throws {
        let file = StoreFile()
        var retention = retention(100_000)
        retention.bytes = 1 << 20
        let store = try file.open(retention)
        let text = RawJSON(unchecked: Array(("\"" + String(repeating: "x", count: 50_000) + "\"").utf8))
        for index in 0..<60 {
            switch kind {
            case "inputs": store.accepted(.made(.queued), durableInput: text)
            case "keys":
                for number in 0..<200 {
                    let key = ExecutionKey("\(index) \(number)", uid: 7, inputHash: "h")
                    store.accepted(.made(.executing), key: key, isListed: false)
                }
            default: store.store([StreamRow(stream: "s", name: "\(index)", value: text)], isDurable: false)
            }
        }
        await store.flush()
        for _ in 0..<50 { store.ended(.made(.completed)) }
        #expect(await eventually { store.isTidy })
        #expect(try await store.page().records.count == 50)
        // It is bounded all the same.
        let input = "\"" + String(repeating: "x", count: 4000) + "\""
        for _ in 0..<600 { store.ended(.made(.completed, input: input)) }
        #expect(await eventually { store.isTidy })
        let kept = try await store.page().records.count
        #expect(kept > 100 && kept < 400, "\(kept)")
        store.close()
    }

    @Test("what has waited counts as soon as it is in the history")
    func noLongerExempt() async throws {
        let file = StoreFile()
        var retention = retention(100_000)
        retention.bytes = 1 << 20
        let store = try file.open(retention)
        let input = "\"" + String(repeating: "x", count: 4000) + "\""
        for index in 0..<600 {
            let id = ExecutionID()
            let text = RawJSON(unchecked: Array(input.utf8))
            store.accepted(.made(.queued, input: input, id: id), durableInput: text, completion: { _ in })
            if index % 2 == 0 { await store.flush() }
            store.ended(.made(.completed, input: input, id: id))
        }
        #expect(await eventually { store.isTidy })
        let kept = try await store.page().records.count
        #expect(kept > 100 && kept < 250, "\(kept)")
        store.close()
    }

    @Test("the bytes of what does not count are known after each change, also after one that could not be written")
    func sumOfExempt() async throws {
        let file = StoreFile()
        var store = try file.open()
        func expect(_ rows: [Int64], _ texts: Int64, _ line: Comment) throws {
            let (sum, counts) = try store.writes.queue.sync {
                let database = try #require(store.writes.writer?.database)
                return (
                    try database.integer("SELECT bytes FROM exempt"),
                    try ["pending", "keys", "stream_values"].map { try database.integer("SELECT count(*) FROM \($0)") }
                )
            }
            #expect(counts == rows && sum == 256 * rows.reduce(0, +) + texts, "\(line): \(sum)")
        }
        func value(_ count: Int) -> RawJSON {
            RawJSON(unchecked: Array("\"\(String(repeating: "ü", count: count))\"".utf8))
        }
        let ids = (0..<3).map { _ in ExecutionID() }
        for id in ids {
            let key = ExecutionKey("\(id)", uid: 7, inputHash: "h")
            store.accepted(.made(.queued, input: "[]", id: id), durableInput: value(50), key: key)
        }
        store.store([StreamRow(stream: "s", name: "a", value: value(4))], isDurable: false)
        await store.flush()
        try expect([3, 3, 1], 3 * 104 + 10, "accepted")
        store.started(ids[0], at: 20)
        store.store([StreamRow(stream: "s", name: "a", value: value(1))], isDurable: false)
        let again = ExecutionKey("\(ids[0])", uid: 7, inputHash: "h")
        let error = await outcome {
            store.keyed(again, .made(.executing, id: ids[1]), isDurable: false, completion: $0)
        }
        #expect(error == nil)
        try expect([3, 3, 1], 2 * 104 + 2 + 4, "started, and replaced")
        store.ended(.made(.completed, id: ids[0]))
        store.store([StreamRow(stream: "s", name: "a", value: nil)], isDurable: false)
        await store.flush()
        try expect([2, 3, 0], 2 * 104, "ended, and removed")
        try store.limit(pages: 1)
        #expect(await outcome { store.accepted(.made(.queued), durableInput: value(90_000), completion: $0) } != nil)
        try expect([2, 3, 0], 2 * 104, "not written")
        store.close()
        store = try file.open()
        try expect([2, 3, 0], 2 * 104, "in the next store")
        store.close()
    }

    @Test("bytes also bound the events of no execution, the oldest of all first")
    func bytesOfEvents() async throws {
        let file = StoreFile()
        var retention = retention(100_000)
        retention.bytes = 1 << 20
        let store = try file.open(retention)
        let text = RawJSON(unchecked: Array(("\"" + String(repeating: "x", count: 4000) + "\"").utf8))
        for index in 0..<600 {
            let event = LoggedEvent(
                number: UInt64(index + 10), time: 30 + Int64(index), name: "deploy",
                content: .other(kind: "refused", text))
            _ = store.log([event]) { _ in }
            if index % 50 == 0 { await store.flush() }
        }
        #expect(await eventually { store.isTidy })
        let count = try file.look { try $0.integer("SELECT count(*) FROM events") }
        #expect(count > 50 && count < 300)
        #expect(try file.look { try $0.integer("SELECT min(number) FROM events") } == 610 - count)
        store.close()
    }

    /// A piece of standard error.
    private func piece(_ count: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        KeptErrors.append([UInt8](repeating: 65, count: count), after: 0, to: &bytes)
        return bytes
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
