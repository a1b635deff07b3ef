import RxAction
import RxJSON
import Testing
import TestSupport

@testable import RxRecords
@testable import RxStore

@Suite("The history", .countedApart)
struct HistoryTests {
    /// Twelve executions, ended in another order than they were born.
    private func filled(_ file: StoreFile) async throws -> (ExecutionStore, [ExecutionRecord]) {
        let store = try file.open()
        let records = (0..<12).map { index in
            ExecutionRecord.made(index % 2 == 0 ? .completed : .failed, action: ["a", "b", "c"][index % 3])
        }
        for index in [5, 0, 11, 2, 1, 3, 4, 10, 9, 8, 7, 6] { store.ended(records[index]) }
        await store.flush()
        return (store, records)
    }

    @Test("returns the newest matching records, oldest first, and whether there are older ones")
    func selections() async throws {
        let file = StoreFile()
        let (store, records) = try await filled(file)
        let selections: [Set<String>?] = [nil, ["a"], ["a", "b"], ["a", "b", "c"], ["x"], []]
        for actions in selections {
            for states in [nil, [.completed], [.failed, .completed], [.interrupted], [.executing]]
                as [Set<ExecutionState>?]
            {
                for before in [nil, records[0].id, records[7].id] as [ExecutionID?] {
                    let wanted = records.filter { record in
                        (actions?.contains(record.action) ?? true) && (states?.contains(record.state) ?? true)
                            && (before.map { record.id < $0 } ?? true)
                    }
                    for limit in [0, 1, 3, 12, 1000] {
                        let page = try await store.page(
                            actions: actions, states: states, before: before, limit: limit)
                        #expect(page.records.map(\.id) == wanted.suffix(limit).map(\.id))
                        #expect(page.hasOlder == (wanted.count > limit))
                    }
                }
            }
        }
        store.close()
    }

    @Test("a page is limited in bytes, and reports that there is more")
    func bytes() async throws {
        let file = StoreFile()
        let store = try file.open()
        let input = "\"" + String(repeating: "x", count: ExecutionRecord.inputBytesKept - 2) + "\""
        let count = History.bytesPerPage / ExecutionRecord.inputBytesKept + 10
        for _ in 0..<count { store.ended(.made(.completed, input: input)) }
        await store.flush()
        let page = try await store.page(limit: 10_000)
        #expect(page.hasOlder && page.records.count < count)
        #expect(page.records.count >= count - 11)
        store.close()
    }

    @Test(
        "passes over rows that cannot be read, counts them and leaves them",
        arguments: [
            "state = 'vanished'", "id = 'x'", "origin = '{}'", "input = '{'", "error = '{\"kind\":\"x\"}'",
            "elements = -1", "origin = 'not JSON'",
        ])
    func unreadable(_ damage: String) async throws {
        let file = StoreFile()
        let (store, records) = try await filled(file)
        try file.look { try $0.execute("UPDATE executions SET \(damage) WHERE id = '\(records[4].id)'") }
        // The query passes over a row with such a state or id.
        let page = try await store.page(limit: 12)
        #expect(page.records.map(\.id) == records.map(\.id).filter { $0 != records[4].id })
        let scope = ExecutionScope(actions: [], uid: 1)
        _ = try await store.page(in: scope, limit: 12)
        if damage.hasPrefix("id") {
            #expect(try await store.found(records[4].id) == nil)
        } else {
            await #expect(throws: StoreError.unreadable(path: file.path, rows: 1)) {
                try await store.found(records[4].id)
            }
        }
        #expect(store.unreadableRows > 0 || damage.hasPrefix("id") || damage.hasPrefix("state"))
        let heard = Heard<StoreError>()
        store.checkInBackground { heard.add($0) }
        #expect(await eventually { heard.values == [.unreadable(path: file.path, rows: 1)] })
        store.close()
        let rows = try file.look { try $0.integer("SELECT count(*) FROM executions") }
        #expect(rows == 12)
    }
}
