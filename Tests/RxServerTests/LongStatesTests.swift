import Dispatch
import Glibc
import Rx
import RxHost
import RxJSON
import RxProtocol
import RxRecords
import TestSupport
import Testing

@testable import RxServer

/// A state that notes where it is written, and waits for a signal each time.
private struct WatchedState: ReactorState {
    final class Writes: Sendable {
        let threads = Locked<[pthread_t]>([])
        let gate = DispatchSemaphore(value: 0)
    }

    let number: Int
    let writes: Writes

    func write(to writer: inout JSONWriter) {
        writes.threads.withLock { $0.append(pthread_self()) }
        writes.gate.wait()
        writer.string(String(repeating: "x", count: 100_000) + "\(number)")
    }

    func patch(from earlier: any ReactorState) -> JSONPatch { JSONPatch([]) }
}

/// An engine with such a state, which counts its actions.
private final class Watched: ReactorEngine {
    private let writes: WatchedState.Writes
    private let outlet = Locked<(any ReactorOutlet)?>(nil)
    private let number = Locked(0)

    init(_ writes: WatchedState.Writes) { self.writes = writes }

    func start(from kept: JSONValue?, outlet: any ReactorOutlet) throws(ReactorFault) -> any ReactorState {
        self.outlet.withLock { $0 = outlet }
        return JSONState(0)
    }

    func dispatch(_ input: ReactorInput, completion: @escaping @Sendable (ReactorFault?) -> Void) {
        let number = number.withLock { number in
            number += 1
            return number
        }
        outlet.withLock { $0 }?.reduced(
            ReactorStep(
                input: input, mutation: { input.action }, state: WatchedState(number: number, writes: writes)))
        completion(nil)
    }

    func replay(_ mutation: RawJSON) throws(ReactorFault) {}
    func stop(completion: @escaping @Sendable () -> Void) { completion() }
}

/// A long state as an event: written once, beside the loop, when there is room for it.
@Suite("A long state that is sent as a whole", .ownThreads)
struct LongStatesTests {
    private static func dispatch(_ action: Int) -> String {
        #"{"jsonrpc":"2.0","id":9,"method":"reactor.dispatch","params":{"reactor":"blob","action":\#(action)}}"#
    }

    private static let subscribe =
        #"{"jsonrpc":"2.0","id":1,"method":"subscribe","params":{"subscription":"s","reactor":"blob"}}"#

    private func subscribe(_ peer: MemoryPeer) async throws {
        peer.send(Self.subscribe)
        #expect(try await peer.nextValue()["result"] != nil)
    }

    private func dispatch(_ action: Int, _ writer: MemoryPeer) async throws {
        writer.send(Self.dispatch(action))
        #expect(try await writer.nextValue()["result"]?["revision"] != nil)
    }

    private static func watched(_ writes: WatchedState.Writes) -> ReactorDefinition {
        ReactorDefinition(name: "blob", kind: "test", fingerprint: "", makeEngine: { Watched(writes) })
    }

    @Test("is not written on the loop, and once for those that get it at about the same time")
    func shared() async throws {
        let writes = WatchedState.Writes()
        let server = try TestServer(reactors: [Self.watched(writes)])
        let loop = await server.onLoop { pthread_self() }
        let peers = (0..<8).map { server.connectInMemory(uid: 1000 + UInt32($0 % 2)) }
        for peer in peers { try await subscribe(peer) }
        for _ in 0..<100 { writes.gate.signal() }
        try await dispatch(0, server.connectInMemory())
        for peer in peers {
            let event = try #require(try await peer.nextValue()["params"])
            #expect(event["seq"] == 1 && event["channel"] == "state" && event["reactor"] == "blob")
            #expect(event["value"]?["revision"] == 1)
            #expect(event["value"]?["state"]?.string == String(repeating: "x", count: 100_000) + "1")
        }
        let threads = writes.threads.withLock { $0 }
        #expect(!threads.contains(loop))
        #expect(threads.count < peers.count)
        await server.stop()
    }

    @Test("is the newest after the one that is being written, and cursors never go back")
    func newest() async throws {
        let writes = WatchedState.Writes()
        let echo = Builtin.echo.definition(name: "echo")
        let server = try TestServer(definitions: [echo], reactors: [Self.watched(writes)])
        let (peer, writer) = (server.connectInMemory(), server.connectInMemory())
        try await subscribe(peer)
        try await dispatch(0, writer)
        #expect(await eventually { writes.threads.withLock { $0.count } == 1 }, "the first is being written")
        for _ in 2...9 { try await dispatch(0, writer) }
        await server.onLoop { server.server.delivery.deliverAll() }
        for _ in 0..<100 { writes.gate.signal() }
        var cursors: [Int] = []
        for (sequence, revision) in [(1, 1), (2, 9)] {
            let event = try #require(try await peer.nextValue()["params"])
            #expect(event["seq"]?.int == sequence && event["value"]?["revision"]?.int == revision, "\(sequence)")
            cursors.append(try #require(event["cursor"]?.string?.split(separator: ":").last.flatMap { Int($0) }))
        }
        #expect(cursors == cursors.sorted())
        // Whoever resumes there has nothing to catch up with, and the newest state in the snapshot.
        #expect(await server.onLoop { server.server.context.reached } == UInt64(cursors[1]))
        #expect(peer.unread.isEmpty)
        await server.stop()
    }

    @Test("waits for room, and is the newest when there is")
    func room() async throws {
        let definition = ReactorDefinition(name: "blob", kind: "test", fingerprint: "", makeEngine: { Blob() })
        var limits = Limits()
        limits.bytesPerUid = 1 << 20
        let server = try TestServer(reactors: [definition], limits: limits)
        let writer = server.connectInMemory(uid: 1001)
        let peers = (0..<20).map { _ in server.connectInMemory(uid: 1000) }
        for peer in peers {
            try await subscribe(peer)
            peer.stall()
        }
        let length = 240_000
        try await dispatch(length, writer)
        #expect(await eventually { server.waiting(1000) == 16 && server.reserved(1000) == 0 })
        let outbound = await server.account(1000) { $0.outboundBytes }
        #expect(outbound > 900_000 && outbound <= limits.bytesPerUid, "\(outbound)")
        // Those that wait keep nothing of it.
        try await dispatch(length + 1, writer)
        await server.onLoop { server.server.delivery.deliverAll() }
        for peer in peers { peer.resume() }
        for peer in peers {
            var revision = 0
            while revision < 2 {
                let value = try #require(try await peer.nextValue()["params"]?["value"])
                revision = value["revision"]?.int ?? 3
                #expect(value["state"]?.string?.utf8.count == length + revision - 1)
            }
            #expect(revision == 2)
        }
        #expect(await server.account(1000) { $0.outboundBytes } == 0)
        await server.stop()
    }
}
