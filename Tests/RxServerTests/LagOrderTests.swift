import RxRecords
import Rx
import RxHost
import RxJSON
import Testing
import TestSupport

@testable import RxServer

/// No line overtakes a lag. Otherwise a reader that resumes from the cursor of that line would miss the lost events
/// without a report.
@Suite("A lag", .countedApart)
struct LagOrderTests {
    private static let definitions = [
        StalledReaderTests.numbers(), StalledReaderTests.numbers("more"),
        ActionDefinition(name: "hold", kind: "test", scheduler: .inline, fingerprint: "") { _ in .never() },
    ]

    private func subscribe(_ peer: MemoryPeer, _ name: String, _ params: String) async throws {
        peer.send(#"{"jsonrpc":"2.0","id":1,"method":"subscribe","params":{"subscription":"\#(name)",\#(params)}}"#)
        #expect(try await peer.nextValue()["result"]?["subscription"]?.string == name)
    }

    /// The cursors of each line that one subscription receives, which follow one another.
    private struct Order {
        var channels: [String] = []
        var elements = 0
        var dropped = 0
        private var last = 0

        mutating func take(_ event: JSONValue) throws {
            func number(_ cursor: JSONValue?) throws -> Int {
                let digits = try #require(cursor?.string?.split(separator: ":").last)
                return try #require(Int(digits))
            }
            let channel = try #require(event["channel"]?.string)
            let isLag = channel == "lag"
            let first = try number(isLag ? event["value"]?["first"] : event["cursor"])
            try #require(first > last, "\(channel) from \(first) on comes after \(channels.last ?? "") \(last)")
            last = try number(isLag ? event["value"]?["last"] : event["cursor"])
            if channels.last != channel { channels.append(channel) }
            if isLag { dropped += event["value"]?["dropped"]?.int ?? 0 } else if channel == "elements" { elements += 1 }
        }
    }

    @Test("comes before a level that has waited while all around it was dropped, and another after it")
    func level() async throws {
        let server = try TestServer(definitions: Self.definitions)
        let slow = server.connectInMemory()
        try await subscribe(
            slow, "s", #""action":["numbers","hold"],"channels":["elements","executing"],"buffer":10"#)
        slow.stall()
        try await StalledReaderTests.emit(1000, on: server)
        await server.onLoop {
            _ = server.host.submit(server.host.registry["hold"]!, ExecutionRequest(input: .null, by: .host))
            server.server.delivery.deliverAll()
        }
        try await StalledReaderTests.emit(500, on: server)
        slow.resume()
        var order = Order()
        while order.elements + order.dropped < 1500 {
            try order.take(try #require(try await slow.nextValue()["params"]))
        }
        #expect(order.channels.suffix(4) == ["lag", "executing", "lag", "elements"])
        #expect(order.dropped > 1000)
        await server.stop()
    }

    @Test("comes before an element that found room after others had found none")
    func newest() async throws {
        let server = try TestServer(definitions: Self.definitions)
        let slow = server.connectInMemory()
        try await subscribe(
            slow, "few", #""action":"numbers","channels":["elements"],"buffer":1,"overflow":"drop-newest""#)
        try await subscribe(slow, "many", #""action":"more","channels":["elements"]"#)
        slow.stall()
        try await StalledReaderTests.emit(500, on: server, action: "more")
        // One of these waits, and two are lost.
        try await StalledReaderTests.emit(3, on: server)
        try await StalledReaderTests.emit(500, on: server, action: "more")
        // The reader takes as much as brings that one on its way.
        let few = await server.onLoop {
            LoopConfined(server.server.sessions.all.compactMap { $0.subscriptions["few"] }[0])
        }
        var waiting = 1
        while waiting > 0 {
            waiting = await server.onLoop {
                slow.takeOnce(atMost: 10_000)
                return few.value.lane.count
            }
        }
        let isLagging = await server.onLoop { few.value.isLagging }
        try #require(isLagging, "the others are still to be sent")
        try await StalledReaderTests.emit(3, on: server)
        slow.resume()
        var order = Order()
        while order.elements + order.dropped < 6 {
            let event = try #require(try await slow.nextValue()["params"])
            if event["subscription"] == "few" { try order.take(event) }
        }
        #expect(order.channels == ["elements", "lag", "elements", "lag"])
        #expect(order.elements == 2 && order.dropped == 4)
        await server.stop()
    }

    @Test("ends with the subscription that lacks room: the rest of the turn is neither sent nor logged")
    func afterKick() async throws {
        let book = LogBook()
        let server = try TestServer(definitions: Self.definitions, logger: book.logger)
        let slow = server.connectInMemory()
        try await subscribe(
            slow, "s", #""action":["numbers","more"],"channels":["elements"],"buffer":5,"overflow":"end""#)
        slow.stall()
        await server.onLoop {
            for (name, count) in [("numbers", 1000), ("more", 10), ("numbers", 10)] {
                let input = RawJSON(unchecked: Array("\(count)".utf8))
                _ = server.host.submit(server.host.registry[name]!, ExecutionRequest(input: input, by: .host))
            }
            server.server.delivery.deliverAll()
        }
        #expect(book.all.count { $0.fields["subscription"] != nil } == 1)
        slow.resume()
        // What comes after an answer was sent before it.
        slow.send(#"{"jsonrpc":"2.0","id":7,"method":"server.hello"}"#)
        var channels: [String] = []
        while true {
            let message = try await slow.nextValue()
            if message["id"] == 7 { break }
            channels.append(message["params"]?["channel"]?.string ?? "")
        }
        #expect(channels.last == "end" && channels.count { $0 == "end" } == 1)
        #expect(channels.count { $0 != "elements" } == 1)
        await server.stop()
    }
}
