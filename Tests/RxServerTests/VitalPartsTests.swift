import Rx
import RxHost
import RxJSON
import RxLoop
import RxRecords
import Systemd
import Testing
import TestSupport

@testable import RxServer

@Suite("What the watchdog watches", .ownThreads)
struct VitalPartsTests {
    /// An engine whose thread is frozen.
    private final class Frozen: ReactorEngine {
        let isFrozen: Bool

        init(_ isFrozen: Bool) { self.isFrozen = isFrozen }

        func start(from kept: JSONValue?, outlet: any ReactorOutlet) throws(ReactorFault) -> any ReactorState {
            JSONState(.null)
        }

        func dispatch(_ input: ReactorInput, completion: @escaping @Sendable (ReactorFault?) -> Void) {
            completion(nil)
        }

        func replay(_ mutation: RawJSON) throws(ReactorFault) {}
        func stop(completion: @escaping @Sendable () -> Void) { completion() }
        func probe(_ answer: @escaping @Sendable () -> Void) { if !isFrozen { answer() } }
    }

    /// What a watchdog over a host with these engines says first.
    private func verdict(_ engines: [String: Bool]) async throws -> String? {
        let loop = try EventLoop()
        let host = Host(
            [],
            reactors: engines.map { name, isFrozen in
                ReactorDefinition(
                    name: name, kind: "test", fingerprint: "", makeEngine: { Frozen(isFrozen) })
            })
        try host.startReactors()
        loop.start(name: "test")
        let said = Locked<[String]>([])
        let watchdog = Watchdog(
            interval: .milliseconds(60), parties: host.vitalParts(loop: loop),
            feed: { said.withLock { $0.append("fed") } }, onStall: { name in said.withLock { $0.append(name) } })
        watchdog.start()
        #expect(
            await eventually(within: .seconds(60)) {
                said.withLock { said in
                    engines.values.contains(true) ? said.contains { $0.hasPrefix("reactors") } : said.contains("fed")
                }
            })
        loop.stop()
        loop.join()
        return said.withLock { said in said.contains("fed") ? "fed" : said.first { $0.hasPrefix("reactors") } }
    }

    @Test("answers while everything makes progress")
    func progress() async throws {
        #expect(try await verdict(["a": false, "b": false]) == "fed")
        #expect(try await verdict([:]) == "fed")
    }

    @Test("does not while the thread of an engine is frozen, and names the reactor")
    func frozen() async throws {
        #expect(try await verdict(["a": false, "b": true, "c": true]) == "reactors (b, c)")
    }
}
