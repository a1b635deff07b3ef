import Rx
import RxHost
import RxJSON
import RxProtocol
import Testing

@testable import RxServer

@Suite("A slow reader")
struct SlowReaderTests {
    /// Sends `count` numbers as fast as it can.
    private static func numbers(_ count: Int) -> ActionDefinition {
        ActionDefinition(name: "numbers", kind: "test", scheduler: .inline, fingerprint: "") { _ in
            .create { observer in
                for number in 0..<count { observer.onNext(RawJSON(unchecked: Array(String(number).utf8))) }
                observer.onCompleted()
                return Disposables.create()
            }
        }
    }

    @Test("loses its oldest events, is told how many and which, and gets the newest in order")
    func lag() async throws {
        let count = 50_000
        let server = try TestServer(definitions: [SlowReaderTests.numbers(count)])
        let slow = server.connectInMemory()
        slow.send(
            #"{"jsonrpc":"2.0","id":1,"method":"subscribe","params":{"subscription":"s","action":"numbers","channels":["elements"],"buffer":100}}"#
        )
        _ = try await slow.nextValue()
        slow.stall()
        let writer = server.connectInMemory()
        writer.send(#"{"jsonrpc":"2.0","id":1,"method":"action.execute","params":{"action":"numbers"}}"#)
        let answer = try await writer.nextValue()
        #expect(answer["result"]?["truncated"]?.bool == true)
        #expect(answer["result"]?["elements"]?.array?.count == Limits().elementsPerReply)
        _ = await server.onLoop { server.server.deliverEvents() }
        let queued = await server.onLoop { server.server.connections.values.map(\.queuedBytes).max()! }
        #expect(queued < Outbox.encodedBytes + 101 * 300, "what waits is bounded: \(queued)")

        slow.resume()
        var sequence = 0
        var expected = 0
        var dropped = 0
        while expected < count {
            let event = try #require(try await slow.nextValue()["params"])
            sequence += 1
            #expect(event["seq"]?.int == sequence)
            if event["channel"]?.string == "lag" {
                #expect(dropped == 0, "one gap is told once")
                dropped = try #require(event["value"]?["dropped"]?.int)
                expected += dropped
            } else {
                try #require(event["value"]?.int == expected)
                expected += 1
            }
        }
        #expect(dropped > count / 2)
        await server.stop()
    }

    @Test("gets of a level only the newest, and no lag for it")
    func levels() async throws {
        let server = try TestServer(definitions: [Builtin.echo.definition(name: "echo")])
        let slow = server.connectInMemory()
        slow.send(
            #"{"jsonrpc":"2.0","id":1,"method":"subscribe","params":{"subscription":"s","action":"echo","channels":["executing","enabled"]}}"#
        )
        _ = try await slow.nextValue()
        slow.stall()
        let writer = server.connectInMemory()
        let rounds = 5000
        for _ in 0..<rounds {
            writer.send(#"{"jsonrpc":"2.0","id":1,"method":"action.execute","params":{"action":"echo"}}"#)
        }
        for _ in 0..<rounds { _ = try await writer.nextValue() }
        _ = await server.onLoop { server.server.deliverEvents() }
        let queued = await server.onLoop { server.server.connections.values.map(\.queuedBytes).max()! }
        #expect(queued < Outbox.encodedBytes + 4096)

        slow.resume()
        slow.send(#"{"jsonrpc":"2.0","id":2,"method":"unsubscribe","params":{"subscription":"s"}}"#)
        var last: [String: JSONValue] = [:]
        var events = 0
        while true {
            let message = try await slow.nextValue()
            guard let event = message["params"] else { continue }
            events += 1
            #expect(event["seq"]?.int == events)
            let channel = try #require(event["channel"]?.string)
            #expect(channel != "lag")
            if channel == "end" { break }
            last[channel] = event["value"]
        }
        #expect(events < rounds)
        #expect(last["executing"] == .bool(false))
        #expect(last["enabled"]?["enabled"] == .bool(true))
        await server.stop()
    }

    @Test("that floods with requests is read no further than its answers are taken")
    func flood() async throws {
        let server = try TestServer(definitions: [Builtin.echo.definition(name: "echo")])
        let path = try await server.listen()
        let flooder = try SocketPeer(path: path)
        let payload = String(repeating: "x", count: 1000)
        let request = Array(
            #"{"jsonrpc":"2.0","id":1,"method":"action.execute","params":{"action":"echo","input":"\#(payload)"}}"#.utf8
                + [10])
        var sent = 0
        // Until the daemon has stopped reading and the kernel's buffers are full.
        var idle = 0
        while idle < 50, sent < 20_000 {
            if flooder.trySend(request) {
                sent += 1
                idle = 0
            } else {
                idle += 1
                try await Task.sleep(for: .milliseconds(2))
            }
        }
        #expect(sent < 20_000, "the flood was never held back")
        let queued = await server.onLoop { server.server.connections.values.map(\.queuedBytes).max()! }
        #expect(queued <= Limits().outboxBytes + 70_000, "\(queued)")
        // Another client is served meanwhile.
        let other = try SocketPeer(path: path)
        other.send(#"{"jsonrpc":"2.0","id":7,"method":"action.execute","params":{"action":"echo","input":1}}"#)
        #expect(try await other.nextValue()["id"]?.int == 7)
        // And nothing was lost: each request has its answer.
        for _ in 0..<sent { #expect(try await flooder.nextValue()["result"]?["elements"]?.array?.count == 1) }
        await server.stop()
    }
}
