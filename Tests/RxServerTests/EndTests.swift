import RxRecords
import Rx
import RxHost
import RxJSON
import RxProtocol
import Testing
import TestSupport

@testable import RxServer

@Suite("The end of a subscription", .countedApart)
struct EndTests {
    /// Asks for two answers that together are more than the outbox of these tests may hold, both in one turn.
    private func fill(_ peer: MemoryPeer) {
        let payload = String(repeating: "x", count: 90_000)
        let lines = (20...21).map {
            #"{"jsonrpc":"2.0","id":\#($0),"method":"action.execute","params":{"action":"echo","input":"\#(payload)"}}"#
        }
        peer.send(lines.joined(separator: "\n"))
    }

    @Test("comes last, after the lag that was lost with the newest event")
    func afterLag() async throws {
        var limits = Limits()
        limits.outboxBytes = 100_000
        let server = try TestServer(limits: limits)
        let starter = server.connectInMemory()
        starter.send(#"{"jsonrpc":"2.0","id":1,"method":"action.execute","params":{"action":"hold","stream":"x"}}"#)
        #expect(try await starter.nextValue()["result"] != nil)
        let slow = server.connectInMemory()
        slow.send(
            #"{"jsonrpc":"2.0","id":1,"method":"subscribe","#
                + #""params":{"subscription":"s","action":"hold","channels":["errors"]}}"#
        )
        #expect(try await slow.nextValue()["result"] != nil)
        slow.stall()
        // Answers that fill the outbox, then a refusal for whose event there is no room and after which nothing
        // happens.
        fill(slow)
        await server.onLoop {
            // Its input is paused; these come as if they had been received just before.
            slow.receiveNow(#"{"jsonrpc":"2.0","id":3,"method":"action.execute","params":{"action":"hold"}}"#)
            server.server.delivery.deliverAll()
            slow.receiveNow(#"{"jsonrpc":"2.0","id":4,"method":"unsubscribe","params":{"subscription":"s"}}"#)
        }
        slow.resume()
        for id in [20, 21, 3, 4] { #expect(try await slow.nextValue()["id"]?.int == id) }
        let lag = try #require(try await slow.nextValue()["params"])
        #expect(lag["channel"] == "lag" && lag["value"]?["dropped"] == 1 && lag["seq"] == 1)
        let end = try #require(try await slow.nextValue()["params"])
        #expect(end["channel"] == "end" && end["value"]?["reason"] == "unsubscribed" && end["seq"] == 2)
        await server.onLoop {}
        #expect(slow.unread == [])
        await server.stop()
    }

    @Test("and the lag before it cost bounded memory, however long nothing is read")
    func boundedLag() async throws {
        var limits = Limits()
        limits.outboxBytes = 100_000
        let server = try TestServer(limits: limits)
        let slow = server.connectInMemory()
        slow.send(
            #"{"jsonrpc":"2.0","id":1,"method":"subscribe","#
                + #""params":{"subscription":"s","action":"echo","channels":["elements"]}}"#
        )
        #expect(try await slow.nextValue()["result"] != nil)
        slow.stall()
        fill(slow)
        await server.onLoop { server.server.delivery.deliverAll() }
        let before = await server.onLoop { server.server.sessions.all.map(\.output.queuedBytes).max()! }
        let writer = server.connectInMemory()
        let rounds = 500
        for id in 0..<rounds {
            writer.send(
                #"{"jsonrpc":"2.0","id":\#(id),"method":"action.execute","params":{"action":"echo","input":1}}"#)
            #expect(try await writer.nextValue()["id"]?.int == id)
        }
        await server.onLoop { server.server.delivery.deliverAll() }
        let after = await server.onLoop { server.server.sessions.all.map(\.output.queuedBytes).max()! }
        #expect(after <= before + 1000, "\(before) to \(after)")
        slow.resume()
        for id in 20...21 { #expect(try await slow.nextValue()["id"]?.int == id) }
        let lag = try #require(try await slow.nextValue()["params"])
        #expect(lag["channel"] == "lag" && lag["value"]?["dropped"]?.int == rounds + 2)
        await server.stop()
    }

    @Test("drops no event that still has its place")
    func dropsNothing() async throws {
        var limits = Limits()
        limits.outboxBytes = 100_000
        let server = try TestServer(limits: limits)
        let slow = server.connectInMemory()
        slow.send(
            #"{"jsonrpc":"2.0","id":1,"method":"subscribe","#
                + #""params":{"subscription":"s","action":"echo","channels":["elements"]}}"#
        )
        #expect(try await slow.nextValue()["result"] != nil)
        slow.stall()
        let writer = server.connectInMemory()
        // 70,000 bytes are in the buffer; the next event waits behind them, and there is room for no more than it.
        for (id, bytes) in [(1, 70_000), (2, 20_000)] {
            let payload = String(repeating: "x", count: bytes)
            writer.send(
                #"{"jsonrpc":"2.0","id":\#(id),"method":"action.execute","#
                    + #""params":{"action":"echo","input":"\#(payload)"}}"#
            )
            #expect(try await writer.nextValue()["id"]?.int == id)
        }
        await server.onLoop { server.server.delivery.deliverAll() }
        let payload = String(repeating: "x", count: 20_000)
        slow.send(
            #"{"jsonrpc":"2.0","id":2,"method":"unsubscribe","params":{"subscription":"\#(payload)"}}"#)
        slow.send(#"{"jsonrpc":"2.0","id":3,"method":"unsubscribe","params":{"subscription":"s"}}"#)
        await server.onLoop {}
        slow.resume()
        var events: [String] = []
        while events.last != "end" {
            if let event = try await slow.nextValue()["params"] { events.append(event["channel"]?.string ?? "") }
        }
        #expect(events == ["elements", "elements", "end"])
        await server.stop()
    }

    @Test("comes before the server closes on a client that does not speak the protocol")
    func beforeClose() async throws {
        let server = try TestServer()
        let path = try await server.listen()
        let peers: [any TestPeer] = [server.connectInMemory(), try SocketPeer(path: path)]
        for peer in peers {
            peer.send(#"{"jsonrpc":"2.0","id":1,"method":"subscribe","params":{"subscription":"s","action":"hold"}}"#)
            peer.send(#"{"jsonrpc":"2.0","id":2,"method":"action.execute","params":{"action":"ticks","stream":"x"}}"#)
            #expect(try await peer.nextValue()["id"] == 1)
            #expect(try await peer.nextValue()["id"] == 2)
            for _ in 0..<UnparsableLines.tolerated { peer.send("garbage") }
            var lines: [JSONValue] = []
            while let line = await peer.nextLine() { lines.append(try RawJSON(validating: line).value()) }
            #expect(peer.isAtEnd)
            let ends = lines.suffix(2).map { $0["params"]?["channel"]?.string }
            #expect(ends == ["end", "end"])
            #expect(Set(lines.suffix(2).compactMap { $0["params"]?["subscription"]?.string }) == ["s", "x"])
            server.host.log.inFlight.forEach { $0.cancel(by: .host) }
            #expect(await eventually { server.host.log.inFlight.isEmpty })
        }
        await server.stop()
    }
}
