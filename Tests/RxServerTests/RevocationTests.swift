import Rx
import RxHost
import RxJSON
import RxLoop
import Testing
import TestSupport

@testable import RxServer

@Suite("Rights that are taken away", .countedApart)
struct RevocationTests {
    @Test(
        "end the streams that they carried, at once and by name; other streams, and that of one's own execution, go on")
    func revoked() async throws {
        let server = try TestServer(definitions: ForbiddenTests.definitions(), owner: Someone.ownerID)
        let peer = server.connectInMemory(Someone.member.peer)
        for (name, actions) in [("both", #"["guarded","open"]"#), ("one", #""guarded""#), ("other", #""open""#)] {
            peer.send(
                #"{"jsonrpc":"2.0","id":1,"method":"subscribe","#
                    + #""params":{"action":\#(actions),"subscription":"\#(name)"}}"#
            )
            #expect(try await peer.nextValue()["result"]?["subscription"]?.string == name)
        }
        let stranger = server.connectInMemory(Someone.root.peer)
        stranger.send(#"{"jsonrpc":"2.0","id":1,"method":"subscribe","params":{"action":"*","subscription":"all"}}"#)
        _ = try await stranger.nextValue()
        await server.onLoop { server.server.delivery.deliverAll() }
        server.host.reload(
            ForbiddenTests.definitions(guarded: Access(execute: .everyone, subscribe: .nobody, manage: .nobody)))
        await server.onLoop { server.server.delivery.deliverAll() }
        var ended: Set<String> = []
        for _ in 0..<2 {
            let params = try #require(try await peer.nextValue()["params"])
            #expect(params["channel"] == "end" && params["value"]?["reason"] == "revoked" && params["seq"] == 1)
            ended.insert(params["subscription"]?.string ?? "")
        }
        #expect(ended == ["both", "one"])
        // Its own execution's stream, opened under the new rights.
        peer.send(#"{"jsonrpc":"2.0","id":2,"method":"action.execute","params":{"action":"guarded","stream":"own"}}"#)
        #expect(try await peer.nextValue()["id"] == 2)
        await server.onLoop { server.server.delivery.deliverAll() }
        peer.send(#"{"jsonrpc":"2.0","id":3,"method":"unsubscribe","params":{"subscription":"other"}}"#)
        #expect(try await peer.nextValue()["id"] == 3)
        #expect(try await peer.nextValue()["params"]?["value"]?["reason"] == "unsubscribed")
        peer.send(#"{"jsonrpc":"2.0","id":4,"method":"unsubscribe","params":{"subscription":"own"}}"#)
        #expect(try await peer.nextValue()["id"] == 4)
        #expect(stranger.unread.allSatisfy { !$0.contains("revoked") })
        await server.stop()
    }

    @Test("are looked for once among all clients, in several turns if there are many")
    func many() async throws {
        let server = try TestServer(definitions: ForbiddenTests.definitions(), owner: Someone.ownerID)
        let (clients, subscriptions) = (60, 50)
        let peers = (0..<clients).map { _ in server.connectInMemory(Someone.member.peer) }
        for peer in peers {
            for number in 0..<subscriptions {
                peer.send(
                    #"{"jsonrpc":"2.0","id":1,"method":"subscribe","#
                        + #""params":{"action":"guarded","subscription":"\#(number)"}}"#)
            }
        }
        for peer in peers {
            for _ in 0..<subscriptions { #expect(try await peer.nextValue()["result"] != nil) }
        }
        await server.onLoop { server.server.delivery.deliverAll() }
        // How many have ended in each turn.
        let ends = Locked<[Int]>([])
        @Sendable func take() {
            server.loop.execute {
                let count = peers.reduce(0) { $0 + $1.takeLines().count { $0.contains("revoked") } }
                if count > 0 { ends.withLock { $0.append(count) } }
                if ends.withLock({ $0.reduce(0, +) }) < clients * subscriptions { take() }
            }
        }
        await server.onLoop { take() }
        server.host.reload(
            ForbiddenTests.definitions(guarded: Access(execute: .everyone, subscribe: .nobody, manage: .nobody)))
        #expect(await eventually { ends.withLock { $0.reduce(0, +) } == clients * subscriptions })
        #expect(ends.withLock { $0.count > 1 }, "\(ends.withLock { $0 })")
        await server.stop()
    }

    @Test("end waits that they allowed, with forbidden; waits for a client's own execution continue")
    func waiting() async throws {
        let server = try TestServer(definitions: ForbiddenTests.definitions(), owner: Someone.ownerID)
        let (root, member) = (
            server.connectInMemory(Someone.root.peer), server.connectInMemory(Someone.member.peer)
        )
        func start(_ peer: MemoryPeer) async throws -> String {
            peer.send(#"{"jsonrpc":"2.0","id":1,"method":"action.execute","params":{"action":"guarded","stream":"x"}}"#)
            return try #require(try await peer.nextValue()["result"]?["execution"]?.string)
        }
        let (other, own) = (try await start(root), try await start(member))
        for (id, target) in [
            (2, #""execution":"\#(other)","timeout":"1h""#), (3, #""action":"guarded""#),
            (4, #""execution":"\#(own)""#),
        ] {
            for peer in [root, member] {
                peer.send(#"{"jsonrpc":"2.0","id":\#(id),"method":"execution.wait","params":{\#(target)}}"#)
            }
        }
        await server.onLoop { server.server.delivery.deliverAll() }
        server.host.reload(
            ForbiddenTests.definitions(guarded: Access(execute: .nobody, subscribe: .nobody, manage: .nobody)))
        await server.onLoop { server.server.delivery.deliverAll() }
        var refused: [Int: JSONValue] = [:]
        for _ in 0..<2 {
            let answer = try await member.nextValue()
            #expect(answer["error"]?["code"] == -32007)
            refused[answer["id"]?.int ?? 0] = answer["error"]?["data"]
        }
        #expect(refused[2]?["execution"]?.string == other && refused[3] != nil && refused[3]?["execution"] == nil)
        #expect(refused.values.allSatisfy { $0["action"] == "guarded" && $0["uid"] == 1002 })
        // The refused subscriptions left nothing behind, and nothing else changed.
        let waits = await server.onLoop {
            server.server.sessions.all.map { $0.waits.count }.sorted()
        }
        #expect(waits == [1, 3])
        for execution in [other, own] {
            root.send(#"{"jsonrpc":"2.0","id":5,"method":"execution.cancel","params":{"execution":"\#(execution)"}}"#)
        }
        var states: [Int: JSONValue] = [:]
        while states[4] == nil {
            let answer = try await member.nextValue()
            if let id = answer["id"]?.int { states[id] = answer["result"]?["state"] ?? .null }
        }
        #expect(states == [4: "cancelled"])
        var answered: Set<Int> = []
        while !answered.isSuperset(of: [2, 3, 4]) {
            let answer = try await root.nextValue()
            if let id = answer["id"]?.int {
                #expect(answer["result"] != nil)
                answered.insert(id)
            }
        }
        await server.stop()
    }
}
