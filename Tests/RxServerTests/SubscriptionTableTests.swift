import RxJSON
import Testing
import TestSupport

@testable import RxServer

@Suite("The subscriptions of an action", .countedApart)
struct SubscriptionTableTests {
    /// The client's subscriptions that receive an event for an execution of echo.
    private static func hearers(_ peer: MemoryPeer, of server: TestServer) async throws -> [String] {
        var names: [String] = []
        func readToAnswer() async throws {
            while true {
                let message = try await peer.nextValue()
                if message["id"] != nil { return }
                if let name = message["params"]?["subscription"]?.string { names.append(name) }
            }
        }
        peer.send(#"{"jsonrpc":"2.0","id":1,"method":"action.execute","params":{"action":"echo"}}"#)
        try await readToAnswer()
        // What is answered after this comes after the events.
        await server.onLoop { server.server.delivery.deliverAll() }
        peer.send(#"{"jsonrpc":"2.0","id":2,"method":"action.list"}"#)
        try await readToAnswer()
        return names.sorted()
    }

    @Test("are those that were not closed, in whatever order others were", arguments: ["abcd", "dcba", "acbd", "bdca"])
    func closing(order: String) async throws {
        let server = try TestServer()
        let peer = server.connectInMemory()
        var open = ["a", "b", "c", "d"]
        for (name, actions) in zip(open, [#"["echo","fail"]"#, #"["hold","echo"]"#, #""*""#, #""echo""#]) {
            peer.send(
                #"{"jsonrpc":"2.0","id":1,"method":"subscribe","#
                    + #""params":{"subscription":"\#(name)","action":\#(actions),"channels":["elements"]}}"#
            )
            _ = try #require(try await peer.nextValue()["result"])
        }
        #expect(try await SubscriptionTableTests.hearers(peer, of: server) == open)
        for name in order.map(String.init) {
            peer.send(#"{"jsonrpc":"2.0","id":2,"method":"unsubscribe","params":{"subscription":"\#(name)"}}"#)
            while try await peer.nextValue()["id"] == nil {}
            _ = try #require(try await peer.nextValue()["params"]?["value"]?["reason"])
            open.removeAll { $0 == name }
            #expect(try await SubscriptionTableTests.hearers(peer, of: server) == open)
        }
        #expect(await server.onLoop { server.server.sessions.subscriptions.count } == 0)
        await server.stop()
    }
}
