import RxJSON
import TestSupport
import Testing

@testable import RxHost
@testable import RxServer

/// Elements that are sent without being copied behind the head of their event.
@Suite("Long elements", .ownThreads)
struct LongEventsTests {
    /// Long and short ones in turn.
    private static let elements = (0..<40).map { number in
        "\(number)" + String(repeating: "x", count: number % 3 == 0 ? 10 : 2 * SharedText.least)
    }

    private func emit(on server: TestServer) async throws {
        let writer = server.connectInMemory()
        for (id, element) in Self.elements.enumerated() {
            writer.send(
                #"{"jsonrpc":"2.0","id":\#(id),"method":"action.execute","#
                    + #""params":{"action":"echo","input":"\#(element)"}}"#)
            #expect(try await writer.nextValue()["id"]?.int == id)
        }
    }

    private func subscribe(_ peer: MemoryPeer, _ more: String = "") async throws -> JSONValue {
        peer.send(
            #"{"jsonrpc":"2.0","id":1,"method":"subscribe","#
                + #""params":{"subscription":"s","action":"echo","channels":["elements"]\#(more)}}"#)
        return try await peer.nextValue()
    }

    private func expectAll(from peer: MemoryPeer) async throws {
        for (number, element) in Self.elements.enumerated() {
            let event = try #require(try await peer.nextValue()["params"])
            try #require(event["seq"]?.int == number + 1 && event["value"]?.string == element, "\(number)")
        }
    }

    @Test("arrive whole and in order, also at a reader that takes little at a time")
    func live() async throws {
        let server = try TestServer()
        let (quick, slow) = (server.connectInMemory(), server.connectInMemory())
        for peer in [quick, slow] { _ = try await subscribe(peer) }
        slow.take(atMost: 7000)
        try await emit(on: server)
        for peer in [quick, slow] { try await expectAll(from: peer) }
        await server.stop()
    }

    @Test("arrive whole and in order at a reader that catches up with all of them")
    func catchUp() async throws {
        let server = try TestServer()
        let opened = try await subscribe(server.connectInMemory())
        let cursor = try #require(opened["result"]?["cursor"]?.string)
        try await emit(on: server)
        for most in [Int.max, 7000] {
            let late = server.connectInMemory()
            late.take(atMost: most)
            _ = try await subscribe(late, #","from":{"cursor":"\#(cursor)"}"#)
            try await expectAll(from: late)
        }
        await server.stop()
    }
}
