import RxRecords
import Rx
import RxJSON
import RxProtocol
import RxAction
import Testing
import TestSupport
import RxLoop

@testable import RxHost
@testable import RxServer

@Suite("A flood of events", .countedApart)
struct FairnessTests {
    private static func emit(_ count: Int, on server: TestServer) {
        let input = RawJSON(unchecked: Array("\(count)".utf8))
        _ = server.host.submit(server.host.registry["numbers"]!, ExecutionRequest(input: input, by: .host))
    }

    // The second is more than the log keeps pending: events that are left out are read afterwards.
    @Test(
        "is delivered over several turns, with other clients served in between, and each event exactly once",
        arguments: [10_000, PendingEvents.eventsKept + 5000])
    func turns(_ count: Int) async throws {
        let server = try TestServer(definitions: [
            StalledReaderTests.numbers(), Builtin.echo.definition(name: "echo"),
        ])
        let readers = [server.connectInMemory(), server.connectInMemory()]
        for reader in readers { _ = try await StalledReaderTests.subscribe(reader) }
        let other = server.connectInMemory()
        // What each has after a turn, and after the one in which the other's request came.
        let lines = Locked<[[String]]>([])
        await server.onLoop {
            Self.emit(count, on: server)
            server.loop.execute {
                other.receiveNow(#"{"jsonrpc":"2.0","id":1,"method":"action.execute","params":{"action":"echo"}}"#)
                server.loop.execute { lines.withLock { $0 = readers.map { $0.takeLines() } } }
            }
        }
        #expect(try await other.nextValue()["result"] != nil)
        #expect(await eventually { !lines.withLock(\.isEmpty) })
        for (reader, early) in zip(readers, lines.withLock { $0 }) {
            #expect(early.count < count, "\(early.count)")
            var reading = StalledReaderTests.Reading()
            for line in early { try reading.take(line) }
            try await reading.read(count, from: reader)
            #expect(reading.received == count && reading.dropped == 0)
        }
        // And later ones follow.
        await server.onLoop { Self.emit(1, on: server) }
        for reader in readers { #expect(try await reader.nextValue()["params"]?["seq"]?.int == count + 1) }
        await server.stop()
    }

    @Test("is delivered to its end before the daemon stops")
    func stop() async throws {
        let count = 10_000
        let server = try TestServer(definitions: [StalledReaderTests.numbers()])
        let reader = server.connectInMemory()
        _ = try await StalledReaderTests.subscribe(reader)
        await server.onLoop {
            Self.emit(count, on: server)
            // After the first turn of delivery.
            server.loop.execute { server.server.stop {} }
        }
        var reading = StalledReaderTests.Reading()
        // As long as there is anything to come.
        try await reading.read(count + 1, from: reader)
        #expect(reading.received == count && reading.dropped == 0)
        #expect(reading.ended == "shutdown")
        await server.stop()
    }
}
