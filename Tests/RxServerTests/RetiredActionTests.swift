import RxHost
import RxJSON
import RxStore
import TestSupport
import Testing

@testable import RxServer

/// Events of actions that are no longer configured.
@Suite("Failures of an action that was removed", .countedApart)
struct RetiredActionTests {
    private static let echo = Builtin.echo.definition(name: "echo")
    private static var fail: ActionDefinition {
        var definition = Builtin.fail.definition(name: "fail")
        definition.keepsHistory = true
        return definition
    }

    /// Catches up with all actions after a cursor.
    ///
    /// - Returns: what the snapshot names, and the actions that have failed before an execution of the present.
    private func catchUp(_ peer: MemoryPeer, from start: String) async throws -> (names: [String], failed: [String]) {
        peer.send(
            #"{"jsonrpc":"2.0","id":1,"method":"subscribe","params":{"subscription":"s","action":"*","#
                + #""channels":["errors","executions"],"from":\#(start)}}"#)
        let answer = try #require(try await peer.nextValue()["result"])
        peer.send(#"{"jsonrpc":"2.0","id":2,"method":"action.execute","params":{"action":"echo","input":true}}"#)
        var present: String?
        var last: String?
        var failed: [String] = []
        while present == nil || last != present {
            let message = try await peer.nextValue()
            present = message["result"]?["execution"]?.string ?? present
            guard let event = message["params"] else { continue }
            if event["channel"] == "errors" { failed.append(event["action"]?.string ?? "") }
            if event["action"] == "echo" { last = event["execution"]?.string ?? last }
        }
        peer.vanish()
        return (answer["snapshot"]?["actions"]?.object?.map(\.key) ?? [], failed)
    }

    @Test("reach readers of all actions who were away, if they may read its executions; also after a restart")
    func delivered() async throws {
        let file = try ServedFile()
        var store = try file.open()
        var server = try TestServer(definitions: [Self.echo, Self.fail], owner: Someone.ownerID, store: store)
        let (owner, outsider) = (Someone.owner.peer, Someone.outsider.peer)
        let peer = server.connectInMemory(owner)
        peer.send(#"{"jsonrpc":"2.0","id":1,"method":"subscribe","params":{"subscription":"s","action":"*"}}"#)
        let before = try #require(try await peer.nextValue()["result"]?["cursor"]?.string)
        peer.vanish()
        let writer = server.connectInMemory(owner)
        writer.send(#"{"jsonrpc":"2.0","id":1,"method":"action.execute","params":{"action":"fail"}}"#)
        #expect(try await writer.nextValue()["error"] != nil)
        server.host.reload([Self.echo])
        let start = #"{"cursor":"\#(before)"}"#
        // The access is what it was.
        for reader in [owner, outsider] {
            let found = try await catchUp(server.connectInMemory(reader), from: start)
            #expect(found.names == ["echo"] && found.failed == ["fail"])
        }
        await server.stop()
        store.close()
        // The next daemon knows it from its log alone.
        store = try file.open()
        server = try TestServer(definitions: [Self.echo], owner: Someone.ownerID, store: store)
        for start in [start, #""start""#] {
            let found = try await catchUp(server.connectInMemory(owner), from: start)
            #expect(found.names == ["echo"] && found.failed == ["fail"])
        }
        #expect(try await catchUp(server.connectInMemory(outsider), from: start).failed == [])
        // It accepts nothing before it is configured again.
        let again = server.connectInMemory(owner)
        again.send(#"{"jsonrpc":"2.0","id":1,"method":"action.execute","params":{"action":"fail"}}"#)
        #expect(try await again.nextValue()["error"]?["data"]?["name"] == "notFound")
        server.host.reload([Self.echo, Self.fail])
        again.send(#"{"jsonrpc":"2.0","id":2,"method":"action.execute","params":{"action":"fail"}}"#)
        #expect(try await again.nextValue()["error"]?["data"]?["execution"] != nil)
        let both = try await catchUp(server.connectInMemory(outsider), from: start)
        #expect(both.names == ["echo", "fail"] && both.failed == ["fail", "fail"])
        await server.stop()
        store.close()
    }
}
