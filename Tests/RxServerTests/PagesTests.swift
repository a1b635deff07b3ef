import RxHost
import RxJSON
import RxStore
import TestSupport
import Testing

@testable import RxServer

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
        await server.stop()
        store.close()
    }
}
