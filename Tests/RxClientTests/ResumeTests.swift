import RxJSON
import RxProtocol
import TestSupport
import Testing

@testable import RxClient

/// Resuming against the real server, over a line that is cut at random.
@Suite(.ownThreads(limit: .seconds(60)))
struct ResumeTests {
    /// The same numbers in each run: a fault can be looked at again.
    struct Seeded: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return state ^ state >> 31
        }
    }

    /// A cut after 1 to 12 lines, `count` times.
    private func cuts(_ count: Int, seed: UInt64) -> () -> Int? {
        var (random, left) = (Seeded(state: seed), count)
        return {
            left -= 1
            return left >= 0 ? Int.random(in: 1...12, using: &random) : nil
        }
    }

    @Test("each element once and in order over 60 cuts", arguments: 1...4 as ClosedRange<UInt64>)
    func subscription(_ seed: UInt64) async throws {
        try await withCutServer(cutAfter: cuts(60, seed: seed)) { server in
            // Executed over a line of its own, which may be cut as well: the key makes that harmless.
            let client = try await Client.connect(path: server.path, reconnecting: ReconnectTests.soon)
            let stream = try await client.subscribe(SubscribeRequest(action: ["ticks"], channels: [.elements]))
            let other = try await Client.connect(path: server.path, reconnecting: ReconnectTests.soon)
            async let reply = other.execute(
                ExecuteRequest(
                    action: "ticks", input: #"{"count":500,"interval":"1ms"}"#, key: "once"))
            var values: [Int] = []
            for try await element in stream {
                guard case .event(let event) = element else { return #expect(Bool(false), "\(element)") }
                guard event.channel == .elements else { return #expect(Bool(false), "\(event.record)") }
                values.append(event.value?.value().int ?? -1)
                if values.last == 499 { break }
            }
            #expect(values == Array(0..<500))
            #expect(server.cuts >= 40)
            _ = try? await reply
        }
    }

    @Test("the elements of an execution that is left running, each once, over 40 cuts", arguments: [5, 6] as [UInt64])
    func execution(_ seed: UInt64) async throws {
        try await withCutServer(cutAfter: cuts(40, seed: seed)) { server in
            let client = try await Client.connect(path: server.path, reconnecting: ReconnectTests.soon)
            var values: [Int] = []
            // Without the key, a cut before the answer would be an error.
            for try await element in client.elements(
                of: "ticks", ["count": 400, "interval": "1ms"], onDisconnect: .detach, key: "k")
            {
                values.append(element.value().int ?? -1)
            }
            #expect(values == Array(0..<400))
            #expect(server.cuts == 40)
        }
    }

    @Test("another start of the daemon is a gap, and what it emits follows")
    func restart() async throws {
        try await withCutServer { server in
            let client = try await Client.connect(path: server.path, reconnecting: ReconnectTests.soon)
            let stream = try await client.subscribe(SubscribeRequest(action: ["echo"], channels: [.elements]))
            _ = try await client.execute(ExecuteRequest(action: "echo", input: "1"))
            try await server.restart()
            try await eventually("it is connected again") { await stream.reconnection != nil }
            _ = try await client.execute(ExecuteRequest(action: "echo", input: "2"))
            var iterator = stream.makeAsyncIterator()
            #expect(try await iterator.next()?.event?.value?.text == "1")
            guard case .gap(let gap)? = try await iterator.next() else { return #expect(Bool(false)) }
            #expect(gap.snapshot?.value()["actions"]?["echo"] != nil)
            #expect(gap.after != nil)
            #expect(gap.after?.split(separator: ":").first != gap.cursor?.split(separator: ":").first)
            #expect(try await iterator.next()?.event?.value?.text == "2")
        }
    }
}
