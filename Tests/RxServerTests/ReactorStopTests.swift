import RxRecords
import Rx
import RxHost
import RxJSON
import RxProtocol
import Testing
import TestSupport

@testable import RxServer

/// An engine whose dispatches, and whose stop, end only when the test ends them. Its state is that of a lamp.
private final class Sluggish: ReactorEngine {
    private struct State {
        var dispatched: [@Sendable (ReactorFault?) -> Void] = []
        var stopped: (@Sendable () -> Void)?
    }

    private let state = Locked(State())

    func start(from kept: JSONValue?, outlet: any ReactorOutlet) throws(ReactorFault) -> any ReactorState {
        JSONState(["on": false, "switched": 6])
    }

    func dispatch(_ input: ReactorInput, completion: @escaping @Sendable (ReactorFault?) -> Void) {
        state.withLock { $0.dispatched.append(completion) }
    }

    func replay(_ mutation: RawJSON) throws(ReactorFault) {}

    func stop(completion: @escaping @Sendable () -> Void) { state.withLock { $0.stopped = completion } }

    /// Completes its dispatches.
    func complete() {
        let dispatched = state.withLock { state in
            defer { state.dispatched = [] }
            return state.dispatched
        }
        for completion in dispatched { completion(nil) }
    }

    var isBusy: Bool { state.withLock { !$0.dispatched.isEmpty } }
    var isStopping: Bool { state.withLock { $0.stopped != nil } }

    /// As an engine does that is stopped.
    func end() {
        let ended = state.withLock { state in
            defer { state = State() }
            return state
        }
        for completion in ended.dispatched { completion(ReactorFault(.stopped, "the reactor is stopping")) }
        ended.stopped?()
    }
}

@Suite("Dispatches that take long", .ownThreads)
struct LongDispatchTests {
    @Test("are charged with their actions until they are answered, whatever becomes of the connection")
    func charged() async throws {
        let engine = Sluggish()
        let definition = ReactorDefinition(name: "slug", kind: "test", fingerprint: "", makeEngine: { engine })
        var limits = Limits()
        limits.bytesPerUid = 1 << 20
        let server = try TestServer(reactors: [definition], limits: limits)
        let peer = server.connectInMemory(uid: 1000)
        let action = "\"" + String(repeating: "x", count: 100_000) + "\""
        for id in 1...8 {
            peer.send(
                #"{"jsonrpc":"2.0","id":\#(id),"method":"reactor.dispatch","params":{"reactor":"slug","#
                    + #""action":\#(action)}}"#)
        }
        // Half of the limit has room for five.
        for _ in 6...8 {
            let refused = try await peer.nextValue()
            #expect((refused["id"]?.int ?? 0) > 5 && refused["error"]?["data"]?["limit"] == "bytesPerUid")
        }
        let kept = await server.account(1000) { $0.keptBytes }
        #expect(kept > 500_000 && kept <= limits.bytesPerUid / 2)
        peer.vanish()
        #expect(await server.account(1000) { $0.keptBytes } > 500_000)
        engine.complete()
        #expect(await server.account(1000) { $0.keptBytes } == 0)
        server.beginStopping()
        #expect(await eventually { engine.isStopping })
        engine.end()
        await server.stop()
    }
}

@Suite("A reactor that is stopping", .countedApart)
struct ReactorStopTests {
    private let engine = Sluggish()

    private var definition: ReactorDefinition {
        ReactorDefinition(name: "slug", kind: "test", fingerprint: "", makeEngine: { [engine] in engine })
    }

    private func dispatch(_ peer: MemoryPeer, _ id: Int) {
        peer.send(
            #"{"jsonrpc":"2.0","id":\#(id),"method":"reactor.dispatch","params":{"reactor":"slug","action":1}}"#)
    }

    private func expect(_ answer: JSONValue, _ id: Int, _ code: Int, _ name: String) {
        #expect(answer["id"]?.int == id)
        #expect(answer["error"]?["code"]?.int == code)
        #expect(answer["error"]?["data"]?["name"]?.string == name)
    }

    @Test("with the daemon refuses new dispatches at once, and pending ones when it has stopped")
    func withDaemon() async throws {
        let server = try TestServer(reactors: [definition])
        let peer = server.connectInMemory()
        dispatch(peer, 1)
        #expect(await eventually { engine.isBusy })
        server.beginStopping()
        #expect(await eventually { engine.isStopping })
        dispatch(peer, 2)
        expect(try await peer.nextValue(), 2, -32015, "shuttingDown")
        engine.end()
        expect(try await peer.nextValue(), 1, -32015, "shuttingDown")
        await server.stop()
    }

    @Test("because a reload removes it answers pending dispatches first, and is not found afterwards")
    func removed() async throws {
        let server = try TestServer(reactors: [definition])
        let peer = server.connectInMemory()
        dispatch(peer, 1)
        #expect(await eventually { engine.isBusy })
        #expect(server.host.reload(TestServer.definitions, reactors: []).removed == ["slug"])
        dispatch(peer, 2)
        expect(try await peer.nextValue(), 2, -32006, "notFound")
        #expect(!engine.isStopping)
        engine.complete()
        let answer = try await peer.nextValue()
        #expect(answer["id"] == 1 && answer["result"]?["revision"] == 0)
        #expect(await eventually { engine.isStopping })
        engine.end()
        await server.stop()
    }

    @Test("for a replacement of its name answers pending dispatches first, and holds new ones for the replacement")
    func replaced() async throws {
        let server = try TestServer(reactors: [definition])
        let peer = server.connectInMemory()
        dispatch(peer, 1)
        #expect(await eventually { engine.isBusy })
        var other = TestServer.lamp("slug")
        other.summary = "The next one."
        #expect(server.host.reload(TestServer.definitions, reactors: [other]).changed == ["slug"])
        peer.send(
            #"{"jsonrpc":"2.0","id":2,"method":"reactor.dispatch","params":{"reactor":"slug","action":"on"}}"#)
        await server.onLoop {}
        #expect(peer.unread == [])
        #expect(!engine.isStopping)
        engine.complete()
        #expect(try await peer.nextValue()["result"]?["revision"] == 0)
        #expect(await eventually { engine.isStopping })
        engine.end()
        let answer = try await peer.nextValue()
        #expect(answer["id"] == 2 && answer["result"]?["revision"] == 2)
        #expect(server.host.registry.reactor("slug")?.now.state.tree == ["on": true, "switched": 7])
        await server.stop()
    }
}

@Suite("A reader of patches that stalls", .countedApart)
struct StalledPatchesTests {
    @Test("for ten thousand revisions gets the lines under way, then one whole state, and then patches again")
    func stalled() async throws {
        let server = try TestServer()
        let reader = server.connectInMemory()
        let writer = server.connectInMemory()
        func dispatch(_ action: String, _ revision: Int) async throws {
            writer.send(
                #"{"jsonrpc":"2.0","id":1,"method":"reactor.dispatch","#
                    + #""params":{"reactor":"lamp","action":"\#(action)"}}"#
            )
            #expect(try await writer.nextValue()["result"]?["revision"]?.int == revision)
        }
        reader.send(
            #"{"jsonrpc":"2.0","id":1,"method":"subscribe","#
                + #""params":{"subscription":"p","reactor":"lamp","channels":["state"],"patch":true}}"#
        )
        var state = try #require(
            try await reader.nextValue()["result"]?["snapshot"]?["reactors"]?["lamp"]?["state"])
        reader.stall()
        // Each in its own turn, so that each is sent.
        for revision in 1...10_000 { try await dispatch(revision % 2 == 1 ? "on" : "off", revision) }
        reader.resume()
        var (patches, states, revision) = (0, 0, 0)
        while revision < 10_000 {
            let event = try #require(try await reader.nextValue()["params"])
            if let patch = event["patch"] {
                #expect(states == 0, "behind the whole state there is nothing to be made up for")
                let next = try #require(event["revision"]?.int)
                #expect(next == revision + 1)
                try JSONPatch(patch).apply(to: &state)
                (patches, revision) = (patches + 1, next)
            } else {
                states += 1
                state = try #require(event["value"]?["state"])
                revision = try #require(event["value"]?["revision"]?.int)
            }
            #expect(state["switched"]?.int == revision)
        }
        #expect(states == 1)
        // As many as the bytes that are encoded ahead can hold; a line has more than 100 bytes.
        #expect(patches <= Outbox.encodedBytes / 100)
        try await dispatch("on", 10_001)
        let event = try await reader.nextValue()["params"]
        #expect(event?["patch"] != nil && event?["revision"] == 10_001)
        await server.stop()
    }
}
