import RxHost
import RxJSON
import Testing

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
                #"{"jsonrpc":"2.0","id":1,"method":"subscribe","params":{"action":\#(actions),"subscription":"\#(name)"}}"#
            )
            #expect(try await peer.nextValue()["result"]?["subscription"]?.string == name)
        }
        let stranger = server.connectInMemory(Someone.root.peer)
        stranger.send(#"{"jsonrpc":"2.0","id":1,"method":"subscribe","params":{"action":"*","subscription":"all"}}"#)
        _ = try await stranger.nextValue()
        await server.onLoop { server.server.deliverEvents() }
        server.host.reload(
            ForbiddenTests.definitions(guarded: Access(execute: .everyone, subscribe: .nobody, manage: .nobody)))
        await server.onLoop { server.server.deliverEvents() }
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
        await server.onLoop { server.server.deliverEvents() }
        peer.send(#"{"jsonrpc":"2.0","id":3,"method":"unsubscribe","params":{"subscription":"other"}}"#)
        #expect(try await peer.nextValue()["id"] == 3)
        #expect(try await peer.nextValue()["params"]?["value"]?["reason"] == "unsubscribed")
        peer.send(#"{"jsonrpc":"2.0","id":4,"method":"unsubscribe","params":{"subscription":"own"}}"#)
        #expect(try await peer.nextValue()["id"] == 4)
        #expect(stranger.unread.allSatisfy { !$0.contains("revoked") })
        await server.stop()
    }
}
