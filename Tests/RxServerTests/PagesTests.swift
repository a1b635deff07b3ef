import RxAction
import RxHost
import RxJSON
import RxRecords
import TestSupport
import Testing

@testable import RxServer
@testable import RxStore

/// Lists that are read from the store page by page.
@Suite("A list of many pages", .countedApart)
struct PagesTests {
    private static let definitions = [Builtin.echo.definition(name: "echo"), Builtin.ticks.definition(name: "ticks")]

    @Test("has every record once, newest last, up to its limit and its bytes; before an id it goes on")
    func executions() async throws {
        let file = try ServedFile()
        let most = 700
        var ids: [String] = []
        do {
            let store = try file.open()
            let server = try TestServer(definitions: Self.definitions, store: store)
            let writer = server.connectInMemory()
            for _ in 0..<most {
                writer.send(
                    #"{"jsonrpc":"2.0","id":1,"method":"action.execute","#
                        + #""params":{"action":"ticks","input":{"count":1,"interval":"1ms"}}}"#)
                ids.append(try #require(try await writer.nextValue()["result"]?["execution"]?.string))
            }
            await server.stop()
            store.close()
        }
        let store = try file.open()
        let server = try TestServer(definitions: Self.definitions, store: store)
        let peer = server.connectInMemory()
        // Beside those of the history, one that the host knows.
        peer.send(#"{"jsonrpc":"2.0","id":1,"method":"action.execute","params":{"action":"echo","input":1}}"#)
        ids.append(try #require(try await peer.nextValue()["result"]?["execution"]?.string))
        func list(_ params: String) async throws -> (ids: [String], isTruncated: Bool) {
            peer.send(#"{"jsonrpc":"2.0","id":2,"method":"execution.list","params":{\#(params)}}"#)
            let result = try #require(try await peer.nextValue()["result"])
            let records = try #require(result["executions"]?.array)
            return (records.compactMap { $0["execution"]?.string }, result["truncated"] == true)
        }
        let all = try await list(#""limit":10000"#)
        try #require(all.ids == ids && !all.isTruncated)
        let some = try await list(#""limit":300"#)
        #expect(some.ids == Array(ids.suffix(300)) && some.isTruncated)
        try #require(some.ids.count == 300)
        let earlier = try await list(#""limit":300,"before":"\#(some.ids[0])""#)
        #expect(earlier.ids == Array(ids.dropLast(300).suffix(300)) && earlier.isTruncated)
        try #require(earlier.ids.count == 300)
        let first = try await list(#""limit":300,"before":"\#(earlier.ids[0])""#)
        #expect(first.ids == Array(ids.prefix(101)) && !first.isTruncated)
        let ofOne = try await list(#""limit":10000,"action":"ticks""#)
        #expect(ofOne.ids == ids.dropLast())
        // From the oldest on, the record of the host is the last one.
        let oldest = try await list(#""limit":300,"order":"oldest""#)
        #expect(oldest.ids == Array(ids.prefix(300)) && oldest.isTruncated)
        let later = try await list(#""limit":300,"order":"oldest","after":"\#(ids[299])""#)
        #expect(later.ids == Array(ids[300..<600]) && later.isTruncated)
        let last = try await list(#""limit":300,"order":"oldest","after":"\#(ids[599])""#)
        #expect(last.ids == Array(ids[600...]) && !last.isTruncated)
        await server.stop()
        store.close()
    }

    @Test("a search ends its answer after so many pages, and goes on from there, with all rights checked again")
    func search() async throws {
        let file = try ServedFile()
        // What the history has is as if an earlier daemon had left it.
        let count = ExecutionPages.mostPages * History.rowsPerSearch + 2
        var retention = ExecutionStore.Retention()
        retention.count = count
        retention.age = .seconds(100 * 365 * 86_400)
        let store = try file.open(retention)
        var ids: [ExecutionID] = []
        for number in 0..<count {
            let record = ExecutionRecord(
                id: ExecutionID(), action: "echo", causes: Causes(.host),
                input: number == 0 || number == count - 1 ? RawJSON("needle") : nil, state: .completed, queuedAt: 0,
                startedAt: 0, endedAt: 0, elements: 0)
            ids.append(record.id)
            store.ended(record)
        }
        await withCheckedContinuation { written in store.set(nil, of: "echo") { _ in written.resume() } }
        let server = try TestServer(definitions: Self.definitions, store: store)
        let peer = server.connectInMemory()
        func list(_ params: String) async throws -> JSONValue {
            peer.send(#"{"jsonrpc":"2.0","id":2,"method":"execution.list","params":{"grep":"needle"\#(params)}}"#)
            return try #require(try await peer.nextValue()["result"])
        }
        for (order, position, first, last) in [("newest", "before", count - 1, 0), ("oldest", "after", 0, count - 1)] {
            let answer = try await list(#","order":"\#(order)""#)
            #expect(answer["executions"]?.array?.map { $0["execution"] } == [.string(ids[first].description)])
            #expect(answer["truncated"] == true)
            let next = try #require(answer[position]?.string)
            #expect(next == ids[order == "newest" ? 2 : count - 3].description)
            let rest = try await list(#","order":"\#(order)","\#(position)":"\#(next)""#)
            #expect(rest["executions"]?.array?.map { $0["execution"] } == [.string(ids[last].description)])
            #expect(rest["truncated"] == false)
        }
        await server.stop()
        store.close()
    }
}
