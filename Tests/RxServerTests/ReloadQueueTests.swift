import Dispatch
import Rx
import RxJSON
import RxPlatform
import TestSupport
import Testing

@testable import RxHost
@testable import RxServer

/// Reloads that read until the test lets them go on, and then report their number among all as added.
private final class SlowReloads: Sendable {
    private struct State {
        var begun: [ReloadAttempt] = []
    }

    private let state = Locked(State())
    private let mayGoOn = DispatchSemaphore(value: 0)

    @Sendable
    func reload(_ attempt: ReloadAttempt) {
        let number = state.withLock { state in
            state.begun.append(attempt)
            return state.begun.count
        }
        mayGoOn.wait()
        var change = RegistryChange()
        change.added = [String(number)]
        attempt.finish(.success(change))
    }

    var begun: [ReloadAttempt] { state.withLock { $0.begun } }

    /// Lets one of them go on.
    func goOn() { mayGoOn.signal() }
}

@Suite("Reloads", .ownThreads)
struct ReloadQueueTests {
    private let slow = SlowReloads()

    private func queue() -> ReloadQueue { ReloadQueue(on: Queues.system.serial("test.reload"), slow.reload) }

    private func reload(_ peer: MemoryPeer, _ id: Int) {
        peer.send(#"{"jsonrpc":"2.0","id":\#(id),"method":"server.reload"}"#)
    }

    private func echo(_ peer: MemoryPeer, _ id: Int) async throws -> JSONValue? {
        peer.send(#"{"jsonrpc":"2.0","id":\#(id),"method":"action.execute","params":{"action":"echo","input":7}}"#)
        return try await peer.nextValue()["id"]
    }

    @Test("take place beside the loop, which serves others and the same client meanwhile")
    func beside() async throws {
        let server = try TestServer(onReload: slow.reload)
        let (operatorPeer, other) = (server.connectInMemory(), server.connectInMemory())
        reload(operatorPeer, 1)
        #expect(await eventually { slow.begun.count == 1 })
        #expect(try await echo(other, 2) == 2)
        #expect(try await echo(operatorPeer, 3) == 3)
        slow.goOn()
        let answer = try await operatorPeer.nextValue()
        #expect(answer["id"] == 1 && answer["result"]?["added"] == ["1"])
        await server.stop()
    }

    @Test("take place one after another, in their order")
    func inOrder() async throws {
        let server = try TestServer(onReload: slow.reload)
        let (first, second) = (server.connectInMemory(), server.connectInMemory())
        reload(first, 1)
        #expect(await eventually { slow.begun.count == 1 })
        reload(second, 2)
        #expect(try await echo(second, 3) == 3)
        #expect(slow.begun.count == 1)
        slow.goOn()
        #expect(try await first.nextValue()["result"]?["added"] == ["1"])
        #expect(await eventually { slow.begun.count == 2 })
        #expect(second.unread == [])
        slow.goOn()
        #expect(try await second.nextValue()["result"]?["added"] == ["2"])
        await server.stop()
    }

    @Test("wait in a bounded number; one more is refused, but not one of a signal")
    func bounded() async throws {
        let server = try TestServer(onReload: slow.reload)
        let peer = server.connectInMemory()
        for id in 0...ReloadQueue.mostWaiting { reload(peer, id) }
        #expect(await eventually { slow.begun.count == 1 })
        // Whether the first one had begun when the others came or not: this is one too many.
        reload(peer, 1000)
        reload(peer, 1001)
        let refused = try await peer.nextValue()
        #expect(refused["error"]?["data"]?["name"] == "limitReached")
        #expect(refused["error"]?["data"]?["limit"] == "reloads")
        #expect(refused["error"]?["data"]?["value"]?.int == ReloadQueue.mostWaiting)
        let signals = Locked(0)
        await server.onLoop { [reloads = server.reloads!] in
            let hangUps = HangUps(reloads)
            for _ in 0..<3 { hangUps.add { _ in signals.withLock { $0 += 1 } } }
            #expect(!hangUps.isIdle && hangUps.end(), "the three are one")
        }
        for _ in 0...ReloadQueue.mostWaiting + 3 { slow.goOn() }
        #expect(await eventually { signals.withLock { $0 } == 1 })
        await server.stop()
    }

    @Test("report reactors that do not start; messages that may have values only to who may subscribe to the reactor")
    func faults() async throws {
        let server = try TestServer(
            reactors: [ReactorDefinition(name: "blob", kind: "test", fingerprint: "", makeEngine: { Blob() })],
            onReload: { attempt in
                var change = RegistryChange()
                change.faults = ["blob", "hidden"].map { name in
                    ReloadFault(reactor: name, fault: ReactorFault(.restore, "7 is wrong", isPublic: false))
                }
                attempt.finish(.success(change))
            })
        let peer = server.connectInMemory()
        reload(peer, 1)
        #expect(
            try await peer.nextValue()["result"]?["faults"] == [
                "reactor blob: 7 is wrong",
                "reactor hidden: failed; users who may subscribe to the reactor see the message",
            ])
        await server.stop()
    }

    @Test("of a client that leaves take place")
    func clientLeaves() async throws {
        let server = try TestServer(onReload: slow.reload)
        let (leaving, other) = (server.connectInMemory(), server.connectInMemory())
        reload(leaving, 1)
        #expect(await eventually { slow.begun.count == 1 })
        reload(leaving, 2)
        // Both requests are there.
        #expect(try await echo(leaving, 3) == 3)
        leaving.vanish()
        slow.goOn()
        slow.goOn()
        #expect(await eventually { slow.begun.count == 2 })
        #expect(try await echo(other, 4) == 4)
        await server.stop()
    }

    @Test("do not keep a daemon from stopping while they only read, and change nothing then")
    func stopWhileReading() async throws {
        let queue = queue()
        let results = Locked<[Result<RegistryChange, ReloadFailure>]>([])
        for _ in 0..<2 { queue.add(dryRun: false) { result in results.withLock { $0.append(result) } } }
        #expect(await eventually { slow.begun.count == 1 })
        let isIdle = Locked(false)
        queue.stop { isIdle.withLock { $0 = true } }
        #expect(isIdle.withLock { $0 })
        #expect(results.withLock { $0 } == [.failure(.stopping), .failure(.stopping)])
        #expect(!slow.begun[0].beginChanges())
        queue.add(dryRun: false) { result in results.withLock { $0.append(result) } }
        #expect(results.withLock { $0.count } == 3 && results.withLock { $0.last } == .failure(.stopping))
        slow.goOn()
        await withCheckedContinuation { continuation in slow.begun[0].queue.async { continuation.resume() } }
        #expect(slow.begun.count == 1 && results.withLock { $0.count } == 3)
    }

    @Test("are waited for by a daemon that stops, once they change something")
    func stopWhileChanging() async throws {
        let queue = queue()
        let results = Locked<[Result<RegistryChange, ReloadFailure>]>([])
        queue.add(dryRun: false) { result in results.withLock { $0.append(result) } }
        #expect(await eventually { slow.begun.count == 1 })
        #expect(slow.begun[0].beginChanges())
        let isIdle = Locked(false)
        queue.stop { isIdle.withLock { $0 = true } }
        #expect(!isIdle.withLock { $0 } && results.withLock { $0.isEmpty })
        slow.goOn()
        #expect(await eventually { isIdle.withLock { $0 } })
        #expect(results.withLock { $0.first?.success?.added } == ["1"])
    }
}

extension Result {
    fileprivate var success: Success? { try? get() }
}
