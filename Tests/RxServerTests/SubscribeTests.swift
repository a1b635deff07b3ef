import RxRecords
import Rx
import RxJSON
import RxProtocol
import Testing
import TestSupport

@testable import RxHost
@testable import RxServer

@Suite("A subscription", .countedApart)
struct SubscribeTests {
    @Test("from a cursor that is too old gets the oldest valid cursor")
    func expired() async throws {
        var catchUp = CatchUpLimits()
        catchUp.events = 30
        let server = try TestServer(catchUp: catchUp)
        let peer = server.connectInMemory()
        let begin = try #require(
            try await StalledReaderTests.subscribe(peer, action: #""echo""#)["result"]?["cursor"]?.string)
        let count = 25
        var cursors: [String] = []
        for number in 0..<count {
            peer.send(
                #"{"jsonrpc":"2.0","id":2,"method":"action.execute","params":{"action":"echo","input":\#(number)}}"#)
            for _ in 0..<2 {
                if let cursor = try await peer.nextValue()["params"]?["cursor"]?.string { cursors.append(cursor) }
            }
        }
        try #require(cursors.count == count)
        func resume(_ name: String, _ cursor: String) async throws -> JSONValue {
            peer.send(
                #"{"jsonrpc":"2.0","id":3,"method":"subscribe","params":{"subscription":"\#(name)","action":"echo","#
                    + #""channels":["elements"],"from":{"cursor":"\#(cursor)"}}}"#
            )
            return try await peer.nextValue()
        }
        // An execution is three events: ten of them are kept.
        for cursor in [begin, cursors[count - 12]] {
            let data = try #require(try await resume("old", cursor)["error"]?["data"])
            #expect(data["name"] == "cursorExpired" && data["cursor"]?.string == cursor)
            #expect(data["oldest"]?.string == cursors[count - 11])
        }
        for first in [count - 11, count - 5, count - 1] {
            let name = "s\(first)"
            #expect(try await resume(name, cursors[first])["result"]?["cursor"]?.string == cursors[first])
            for number in (first + 1)..<count {
                let event = try #require(try await peer.nextValue()["params"])
                #expect(event["subscription"]?.string == name && event["value"]?.int == number)
            }
        }
        await server.onLoop {}
        #expect(peer.unread == [])
        await server.stop()
    }

    @Test(
        "opened while the log leaves events out for others begins with its snapshot all the same",
        arguments: ["", #","from":"last""#])
    func openedWhileSkipping(_ from: String) async throws {
        let server = try TestServer(definitions: [StalledReaderTests.numbers("numbers", .inline)])
        let early = server.connectInMemory()
        _ = try await StalledReaderTests.subscribe(early)
        let late = server.connectInMemory()
        let count = PendingEvents.eventsKept + 1000
        await server.onLoop {
            let action = server.host.registry["numbers"]!
            let request = ExecutionRequest(input: RawJSON(unchecked: Array("\(count)".utf8)), by: .host)
            _ = server.host.submit(action, request)
            // Before the loop comes to deliver.
            late.receiveNow(
                #"{"jsonrpc":"2.0","id":1,"method":"subscribe","#
                    + #""params":{"subscription":"s","action":"numbers","channels":["elements"]\#(from)}}"#
            )
        }
        #expect(try await late.nextValue()["result"] != nil)
        await server.onLoop { server.server.delivery.deliverAll() }
        await server.onLoop {}
        if !from.isEmpty { #expect(try await late.nextValue()["params"]?["value"]?.int == count - 1) }
        #expect(late.takeLines().count == 0, "what was before is in its snapshot")
        var reading = StalledReaderTests.Reading()
        try await reading.read(count, from: early)
        #expect(reading.last == count - 1)
        try await StalledReaderTests.emit(2, on: server)
        for number in 0..<2 { #expect(try await late.nextValue()["params"]?["value"]?.int == number) }
        await server.stop()
    }

    @Test("to all actions includes those that a reload adds, and continues without those that it removes")
    func addedByReload() async throws {
        func tell(_ name: String) -> ActionDefinition { Builtin.echo.definition(name: name) }
        let server = try TestServer(definitions: [tell("a")])
        let peer = server.connectInMemory()
        let snapshot = try await StalledReaderTests.subscribe(peer, action: #""*""#)["result"]?["snapshot"]
        #expect(snapshot?["actions"]?["a"] != nil && snapshot?["actions"]?["b"] == nil)
        let single = server.connectInMemory()
        _ = try await StalledReaderTests.subscribe(single, action: #""a""#)
        func execute(_ name: String, _ input: Int) async throws {
            let writer = server.connectInMemory()
            writer.send(
                #"{"jsonrpc":"2.0","id":1,"method":"action.execute","params":{"action":"\#(name)","input":\#(input)}}"#)
            #expect(try await writer.nextValue()["result"] != nil)
        }
        server.host.reload([tell("a"), tell("b")])
        try await execute("b", 1)
        try await execute("a", 2)
        server.host.reload([tell("b")])
        try await execute("b", 3)
        for (name, value) in [("b", 1), ("a", 2), ("b", 3)] {
            let event = try #require(try await peer.nextValue()["params"])
            #expect(event["action"]?.string == name && event["value"]?.int == value)
        }
        #expect(try await single.nextValue()["params"]?["value"] == 2)
        #expect(try await single.nextValue()["params"]?["value"]?["reason"] == "removed")
        // All actions may be removed; later events are still sent.
        server.host.reload([])
        server.host.reload([tell("c")])
        try await execute("c", 4)
        #expect(try await peer.nextValue()["params"]?["value"] == 4)
        await server.stop()
    }

    @Test("to an execution or to all actions loses the events of an action with the right")
    func revoked() async throws {
        let server = try TestServer(definitions: ForbiddenTests.definitions(), owner: Someone.ownerID)
        let starter = server.connectInMemory(Someone.root.peer)
        starter.send(#"{"jsonrpc":"2.0","id":1,"method":"action.execute","params":{"action":"guarded","stream":"x"}}"#)
        let id = try #require(try await starter.nextValue()["result"]?["execution"]?.string)
        let peer = server.connectInMemory(Someone.member.peer)
        peer.send(#"{"jsonrpc":"2.0","id":1,"method":"subscribe","params":{"subscription":"e","execution":"\#(id)"}}"#)
        #expect(try await peer.nextValue()["result"]?["snapshot"]?["executions"]?[id]?["state"] == "executing")
        peer.send(
            #"{"jsonrpc":"2.0","id":2,"method":"subscribe","#
                + #""params":{"subscription":"all","action":"*","channels":["executions"]}}"#
        )
        let seen = try await peer.nextValue()["result"]?["snapshot"]?["actions"]
        #expect(seen?["guarded"] != nil && seen?["open"] != nil && seen?["secret"] == nil)
        server.host.reload(
            ForbiddenTests.definitions(guarded: Access(execute: .nobody, subscribe: .nobody, manage: .nobody)))
        await server.onLoop { server.server.delivery.deliverAll() }
        let end = try #require(try await peer.nextValue()["params"])
        #expect(end["subscription"] == "e" && end["value"]?["reason"] == "revoked" && end["seq"] == 1)
        // It receives no more events of this action, but those of the other one.
        starter.send(#"{"jsonrpc":"2.0","id":2,"method":"execution.cancel","params":{"execution":"\#(id)"}}"#)
        starter.send(#"{"jsonrpc":"2.0","id":3,"method":"action.execute","params":{"action":"open","stream":"y"}}"#)
        let event = try #require(try await peer.nextValue()["params"])
        #expect(event["subscription"] == "all" && event["action"] == "open" && event["seq"] == 1)
        // And again, once it may.
        server.host.reload(ForbiddenTests.definitions())
        starter.send(#"{"jsonrpc":"2.0","id":4,"method":"action.execute","params":{"action":"guarded","stream":"z"}}"#)
        let next = try #require(try await peer.nextValue()["params"])
        #expect(next["action"] == "guarded" && next["seq"] == 2)
        await server.stop()
    }
}
