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
                    for limit in [1, 3, 12, 1000] {
                        let page = try await store.page(
                            actions: actions, states: states, before: before, limit: limit)
                        #expect(page.records.map(\.id) == wanted.suffix(limit).map(\.id))
                        #expect((page.next != nil) == (wanted.count > limit))
                    }
                }
            }
        }
        store.close()
    }

    @Test("selects by requester, by the time in the ids, and between two executions, from either end")
    func ranges() async throws {
        let file = StoreFile()
        let store = try file.open()
        let origins: [Origin] = [
            .peer(uid: 7, gid: 7, pid: 1), .peer(uid: 8, gid: 8, pid: 2), .rule(reactor: "r", rule: 0),
            .stream("s", scheduled: nil),
        ]
        // Three executions in each millisecond from 1000 on.
        let records = (0..<24).map { index in
            // 1000 is 0x3e8.
            let time = String(0x03e8 + index / 3, radix: 16)
            return ExecutionRecord.made(
                .completed, by: origins[index % 4],
                id: ExecutionID("00000000-0\(time)-7000-8000-0000000000\(10 + index)")!)
        }
        for record in records.shuffled() { store.ended(record) }
        await store.flush()
        let requesters: [ExecutionSelection.Requester?] = [
            nil, .user(7), .reactor("r"), .reactor("8"), .user(9), .stream("s"), .stream("r"),
        ]
        let times: [Int64?] = [nil, -1, 1000, 1003, 1007, .max]
        let ids = [nil, records[0].id, records[11].id, records[23].id]
        for by in requesters {
            for (since, until) in times.flatMap({ since in times.map { (since, $0) } }) {
                for (after, before) in ids.flatMap({ after in ids.map { (after, $0) } }) {
                    var selection = ExecutionSelection()
                    (selection.by, selection.since, selection.until) = (by, since, until)
                    (selection.after, selection.before) = (after, before)
                    let wanted = records.map(\.id).filter { id in
                        let index = records.firstIndex { $0.id == id }!
                        let time = Int64(1000 + index / 3)
                        let isBy =
                            [nil, .user(7)].contains(by) && (by == nil || index % 4 == 0)
                            || by == .reactor("r") && index % 4 == 2 || by == .stream("s") && index % 4 == 3
                        return isBy && time >= since ?? .min && time < until ?? .max && after.map { id > $0 } ?? true
                            && before.map { id < $0 } ?? true
                    }
                    #expect(records.filter(selection.contains).map(\.id) == wanted)
                    for limit in [2, 30] {
                        let newest = try await store.page(selection, .newestFirst, limit: limit)
                        #expect(newest.records.map(\.id) == Array(wanted.suffix(limit)))
                        #expect(newest.next == (wanted.count > limit ? newest.records.first?.id : nil))
                        let oldest = try await store.page(selection, .oldestFirst, limit: limit)
                        #expect(oldest.records.map(\.id) == Array(wanted.prefix(limit)))
                        #expect(oldest.next == (wanted.count > limit ? oldest.records.last?.id : nil))
                    }
                }
            }
        }
        store.close()
    }

    @Test(
        "a read goes through a bounded number of rows, and names the place to go on from",
        arguments: [ExecutionOrder.newestFirst, .oldestFirst])
    func rows(_ order: ExecutionOrder) async throws {
        let file = StoreFile()
        let store = try file.open()
        let count = 2 * History.rowsPerSearch
        // Only the one that is read last has the text.
        var records = (0..<count).map { _ in ExecutionRecord.made(.completed, input: #""other""#) }
        let last = order == .newestFirst ? 0 : count - 1
        records[last] = ExecutionRecord.made(.completed, input: #""this""#, id: records[last].id)
        for record in records { store.ended(record) }
        await store.flush()
        var selection = ExecutionSelection()
        selection.text = SearchText("this")
        let first = try await store.page(selection, order)
        #expect(first.records.isEmpty)
        let edge = records[order == .newestFirst ? count - History.rowsPerSearch : History.rowsPerSearch - 1].id
        #expect(first.next == edge)
        if order == .newestFirst { selection.before = edge } else { selection.after = edge }
        let second = try await store.page(selection, order)
        #expect(second.records.map(\.id) == [records[last].id])
        #expect(second.next == nil, "the last row of the selection is that of the read")
        store.close()
    }

    @Test("a text is found in inputs and failures, by one letter case or by all")
    func texts() async throws {
        let file = StoreFile()
        let store = try file.open()
        let stderr = "cannot open /dev/sdq\nÜber\tall"
        let failed = ExecutionRecord.made(
            .failed,
            error: .failed(WorkFailure(message: "exited with 3", facts: ["exit": 3, "stderr": .string(stderr)])))
        let input = ExecutionRecord.made(.completed, input: #"{"Env":"prod","path":"a\/b","n":4242,"k":"\u00fc"}"#)
        let timedOut = ExecutionRecord.made(.timedOut, error: .timedOut(limit: .seconds(3)))
        for record in [failed, input, timedOut] { store.ended(record) }
        await store.flush()
        let expected: [(String, [ExecutionRecord])] = [
            ("exited", [failed]), ("EXITED", []), ("Exited", []), ("SDQ", []), ("/dev/sdq", [failed]),
            ("sdq\nüber\tall", [failed]), ("Über", [failed]), ("env", [input]), ("Env", [input]), ("ENV", []),
            ("a/b", [input]), ("4242", [input]), ("\"n\":4242", [input]), ("ü", [failed, input]),
            ("e", [failed, input]),
            // The words of the stored form are no text.
            ("kind", []), ("mayPass", []), ("seconds", []), ("%", []), ("_", []), ("exit*", []),
        ]
        for (text, records) in expected {
            var selection = ExecutionSelection()
            selection.text = SearchText(text)
            #expect(selection.text != nil)
            let page = try await store.page(selection)
            #expect(page.records.map(\.id) == records.map(\.id), "\(text)")
            let known = [failed, input, timedOut].filter(selection.contains)
            #expect(known.map(\.id) == records.map(\.id), "\(text), in memory")
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
        #expect(page.next == page.records.first?.id && page.records.count < count)
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
