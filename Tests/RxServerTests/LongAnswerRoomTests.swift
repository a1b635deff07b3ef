import Rx
import RxHost
import RxJSON
import RxProtocol
import RxRecords
import RxStore
import TestSupport
import Testing

@testable import RxServer

/// A state whose length is known only once it is written.
struct UnmeasuredState: ReactorState {
    let length: Int

    func write(to writer: inout JSONWriter) { writer.string(String(repeating: "x", count: length)) }

    func patch(from earlier: any ReactorState) -> JSONPatch {
        JSONPatch([.replace(JSONPointer(tokens: []), tree)])
    }
}

/// An engine that has such a state from the start.
final class Unmeasured: ReactorEngine {
    private let length: Int

    init(length: Int) { self.length = length }

    func start(from kept: JSONValue?, outlet: any ReactorOutlet) throws(ReactorFault) -> any ReactorState {
        UnmeasuredState(length: length)
    }

    func dispatch(_ input: ReactorInput, completion: @escaping @Sendable (ReactorFault?) -> Void) { completion(nil) }
    func replay(_ mutation: RawJSON) throws(ReactorFault) {}
    func stop(completion: @escaping @Sendable () -> Void) { completion() }
}

/// An answer counts as what it is, however long it was expected to be.
@Suite("An answer that is longer than expected", .ownThreads)
struct LongAnswerRoomTests {
    private static func request(_ method: String, _ params: String) -> String {
        #"{"jsonrpc":"2.0","id":1,"method":"\#(method)","params":\#(params)}"#
    }

    /// Sends the request on connections that read nothing, and expects that what waits for them is within the limit;
    /// then that each has its answer once it reads.
    ///
    /// - Parameter room: how many answers have room.
    private func expectBounded(
        _ line: String, on server: TestServer, count: Int, room: Int, limit: Int
    ) async throws {
        let peers = (0..<count).map { _ in server.connectInMemory(uid: 1000) }
        for peer in peers {
            peer.stall()
            peer.send(line)
        }
        // As many as there is room for; the others wait.
        #expect(await eventually { server.waiting(1000) == count - room && server.reserved(1000) == 0 })
        let outbound = await server.account(1000) { $0.outboundBytes }
        #expect(outbound > limit / 2 && outbound <= limit, "\(outbound)")
        for peer in peers { peer.resume() }
        for peer in peers { #expect(await peer.nextLine()?.contains(#""result":"#) == true) }
        for peer in peers { peer.vanish() }
        #expect(await eventually { server.waiting(1000) == 0 })
    }

    @Test("waits for room if it is an earlier state, which may be longer than the present one")
    func earlier() async throws {
        let file = try ServedFile()
        let store = try file.openStates()
        var definition = ReactorDefinition(name: "blob", kind: "test", fingerprint: "", makeEngine: { Blob() })
        var persistence = ReactorPersistence()
        // The step is there when it is read.
        persistence.durability = .sync
        definition.persistence = persistence
        var limits = Limits()
        limits.bytesPerUid = 1 << 20
        let server = try TestServer(reactors: [definition], limits: limits, stateStore: store)
        let writer = server.connectInMemory(uid: 1001)
        let length = 120_000
        for (revision, action) in [(1, length), (2, 0)] {
            writer.send(Self.request("reactor.dispatch", #"{"reactor":"blob","action":\#(action)}"#))
            #expect(try await writer.nextValue()["result"]?["revision"]?.int == revision)
        }
        try await expectBounded(
            Self.request("reactor.state", #"{"reactor":"blob","revision":1}"#), on: server, count: 20,
            // Each reserves twice its length, for the tree.
            room: 7, limit: limits.bytesPerUid)
        await server.stop()
        store.close()
    }

    @Test("is dropped and made again when there is room", arguments: ["reactor.state", "subscribe"])
    func unmeasured(_ method: String) async throws {
        let length = 1_900_000
        let definition = ReactorDefinition(
            name: "blob", kind: "test", fingerprint: "", makeEngine: { Unmeasured(length: length) })
        var limits = Limits()
        limits.bytesPerUid = 8 << 20
        let server = try TestServer(reactors: [definition], limits: limits)
        let params = #"{"reactor":"blob"\#(method == "subscribe" ? #","subscription":"s""# : "")}"#
        try await expectBounded(
            Self.request(method, params), on: server, count: 10, room: 4, limit: limits.bytesPerUid)
        await server.stop()
    }
}
