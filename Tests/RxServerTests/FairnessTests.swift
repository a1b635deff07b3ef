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
        arguments: [40_000, PendingEvents.eventsKept + 5000])
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
        // Those of the work beside its elements count, too.
        let most = 2 * (Delivery.deliveriesPerTurn / readers.count)
        for (reader, early) in zip(readers, lines.withLock { $0 }) {
            #expect((1...most).contains(early.count) && early.count < count, "\(early.count)")
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

    @Test("is delivered in smaller parts once a reader that has stalled drops events")
    func dropping() async throws {
        let count = 40_000
        let server = try TestServer(definitions: [StalledReaderTests.numbers()])
        let (reader, stalled) = (server.connectInMemory(), server.connectInMemory())
        _ = try await StalledReaderTests.subscribe(reader)
        _ = try await StalledReaderTests.subscribe(stalled, #","buffer":10"#)
        stalled.stall()
        // What the reader has after each turn.
        let turns = Locked<[[String]]>([])
        @Sendable func take(after turnsLeft: Int) {
            server.loop.execute {
                turns.withLock { $0.append(reader.takeLines()) }
                if turnsLeft > 0 { take(after: turnsLeft - 1) }
            }
        }
        await server.onLoop {
            Self.emit(count, on: server)
            take(after: 5)
        }
        #expect(await eventually { turns.withLock { $0.count == 6 } })
        let lines = turns.withLock { $0 }
        // The first that delivers finds room, and so more.
        let later = lines.drop { $0.isEmpty }.dropFirst()
        let most = Delivery.deliveriesWhileDropping
        #expect(later.count >= 3 && later.allSatisfy { (1...most).contains($0.count) }, "\(lines.map(\.count))")
        var reading = StalledReaderTests.Reading()
        for line in lines.joined() { try reading.take(line) }
        try await reading.read(count, from: reader)
        #expect(reading.received == count && reading.dropped == 0)
        stalled.vanish()
        await server.stop()
    }

    @Test("of long elements is delivered in parts that are no longer than those of short ones")
    func longElements() async throws {
        let (count, bytes) = (8, 1 << 20)
        let text = RawJSON(.string(String(repeating: "x", count: bytes)))
        var limits = Limits()
        limits.outboxBytes = 2 * count * bytes
        let server = try TestServer(
            definitions: [
                ActionDefinition(name: "numbers", kind: "test", scheduler: .inline, fingerprint: "") { _ in
                    .from(Array(repeating: text, count: count))
                }
            ], limits: limits)
        let reader = server.connectInMemory()
        _ = try await StalledReaderTests.subscribe(reader)
        reader.stall()
        // What waits for the reader after the first part.
        let queued = Locked<Int?>(nil)
        await server.onLoop {
            Self.emit(1, on: server)
            server.loop.execute { queued.withLock { $0 = server.server.sessions.queuedBytes } }
        }
        #expect(await eventually { queued.withLock { $0 } != nil })
        #expect((bytes...3 * bytes).contains(queued.withLock { $0 } ?? 0))
        await server.onLoop { server.server.delivery.deliverAll() }
        #expect(await server.onLoop { server.server.sessions.queuedBytes } >= count * bytes)
        reader.vanish()
        await server.stop()
    }

    @Test("is delivered to its end before the daemon stops")
    func stop() async throws {
        let count = 40_000
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
