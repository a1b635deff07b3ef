import RxJSON
import RxRecords
import Testing
import TestSupport

@testable import RxHost
@testable import RxServer

@Suite("A subscription until now", .countedApart)
struct CaughtUpTests {
    private func subscribe(_ peer: MemoryPeer, _ target: String, _ more: String) async throws -> JSONValue {
        peer.send(
            #"{"jsonrpc":"2.0","id":1,"method":"subscribe","params":{"subscription":"s",\#(target),"#
                + #""channels":["elements"],"until":"now"\#(more)}}"#)
        return try await peer.nextValue()
    }

    private func execute(_ input: Int, by writer: MemoryPeer, action: String = "echo") async throws -> String {
        writer.send(
            #"{"jsonrpc":"2.0","id":1,"method":"action.execute","params":{"action":"\#(action)","input":\#(input)}}"#)
        return try #require(try await writer.nextValue()["result"]?["execution"]?.string)
    }

    /// What comes of the subscription up to its end, which it returns, too.
    private func read(_ peer: MemoryPeer) async throws -> (values: [Int], end: JSONValue) {
        var values: [Int] = []
        while true {
            let event = try #require(try await peer.nextValue()["params"])
            #expect(event["seq"]?.int == values.count + 1)
            guard event["channel"] == "elements", let value = event["value"]?.int else { return (values, event) }
            values.append(value)
        }
    }

    @Test("has what is kept, and ends; the cursor of its end leads to what came since, to each event once")
    func resumed() async throws {
        let server = try TestServer()
        let writer = server.connectInMemory()
        let peer = server.connectInMemory()
        var start = #","from":"start""#
        for count in [3, 0, 300] {
            for number in 0..<count { _ = try await execute(number, by: writer) }
            #expect(try await subscribe(peer, #""action":"echo""#, start)["result"] != nil)
            let (values, end) = try await read(peer)
            #expect(values == Array(0..<count))
            #expect(end["channel"] == "end" && end["value"]?["reason"] == "caughtUp")
            start = #","from":{"cursor":"\#(try #require(end["cursor"]?.string))"}"#
        }
        let subscriptions = await server.onLoop { server.server.sessions.subscriptions.count }
        #expect(subscriptions == 0)
        _ = try await execute(1, by: writer)
        await server.onLoop {}
        #expect(peer.unread == [])
        await server.stop()
    }

    @Test("ends with what there was when it began, not when its reader has caught up with those who go on")
    func bounded() async throws {
        let server = try TestServer()
        let writer = server.connectInMemory()
        let peer = server.connectInMemory()
        let count = 300
        for number in 0..<count { _ = try await execute(number, by: writer) }
        await server.onLoop {
            peer.receiveNow(
                #"{"jsonrpc":"2.0","id":1,"method":"subscribe","params":{"subscription":"s","action":"echo","#
                    + #""channels":["elements"],"until":"now","from":"start"}}"#)
            // Before the first portion.
            for number in count..<(4 * count) {
                let input = RawJSON(unchecked: Array("\(number)".utf8))
                _ = server.host.submit(server.host.registry["echo"]!, ExecutionRequest(input: input, by: .host))
            }
        }
        #expect(try await peer.nextValue()["result"] != nil)
        let (values, end) = try await read(peer)
        #expect(values == Array(0..<values.count) && values.count >= count && values.count < 2 * count)
        #expect(end["value"]?["reason"] == "caughtUp")
        let cursor = try #require(end["cursor"]?.string)
        #expect(try await subscribe(peer, #""action":"echo""#, #","from":{"cursor":"\#(cursor)"}"#)["result"] != nil)
        #expect(try await read(peer).values == Array(values.count..<(4 * count)))
        await server.stop()
    }

    @Test("from now on ends at once")
    func now() async throws {
        let server = try TestServer()
        let writer = server.connectInMemory()
        _ = try await execute(1, by: writer)
        let peer = server.connectInMemory()
        #expect(try await subscribe(peer, #""action":"*""#, "")["result"] != nil)
        let (values, end) = try await read(peer)
        #expect(values == [] && end["value"]?["reason"] == "caughtUp")
        await server.stop()
    }

    @Test("to an execution in flight has its elements so far; to one that has ended, it ends as that did")
    func executions() async throws {
        let server = try TestServer()
        let writer = server.connectInMemory()
        let peer = server.connectInMemory()
        writer.send(
            #"{"jsonrpc":"2.0","id":1,"method":"action.execute","params":{"action":"shared","stream":"w"}}"#)
        let shared = try #require(try await writer.nextValue()["result"]?["execution"]?.string)
        // The element is there.
        _ = try await writer.nextValue()
        let answer = try await subscribe(peer, #""execution":"\#(shared)""#, #","from":"start""#)
        #expect(answer["result"] != nil)
        let element = try #require(try await peer.nextValue()["params"])
        let end = try #require(try await peer.nextValue()["params"])
        #expect(element["channel"] == "elements" && end["value"]?["reason"] == "caughtUp")
        let echo = try await execute(7, by: server.connectInMemory())
        #expect(try await subscribe(peer, #""execution":"\#(echo)""#, #","from":"start""#)["result"] != nil)
        let (values, last) = try await read(peer)
        #expect(values == [7] && last["value"]?["reason"] == "completed")
        await server.stop()
    }

    @Test("has no other end than now", arguments: [#""later""#, "1", #"{"cursor":"a:1"}"#])
    func refused(_ until: String) async throws {
        let server = try TestServer()
        let peer = server.connectInMemory()
        peer.send(
            #"{"jsonrpc":"2.0","id":1,"method":"subscribe","#
                + #""params":{"subscription":"s","action":"echo","until":\#(until)}}"#)
        let data = try await peer.nextValue()["error"]?["data"]
        #expect(data?["name"] == "invalidParams" && data?["errors"]?[0]?["path"] == "/until")
        await server.stop()
    }
}
