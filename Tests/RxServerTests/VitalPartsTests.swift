import Rx
import RxHost
import RxJSON
import RxLoop
import RxPlatform
import RxRecords
import RxStore
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

    /// A queue whose threads are frozen.
    private final class FrozenQueue: WorkQueue, @unchecked Sendable {
        override func async(_ body: @escaping @Sendable () -> Void) {}
    }

    /// The answer of a watchdog over a host: "fed", or of the part with this name that it is stuck.
    private func verdict(of host: Host, on part: String? = nil) async throws -> String? {
        let loop = try EventLoop()
        loop.start(name: "test")
        let said = Locked<[String]>([])
        let watchdog = Watchdog(
            interval: .milliseconds(60),
            parties: host.vitalParts(loop: loop, workers: RequestWorkers(host.platform.queues)),
            feed: { said.withLock { $0.append("fed") } }, onStall: { name in said.withLock { $0.append(name) } })
        watchdog.start()
        #expect(
            await eventually(within: .seconds(60)) {
                said.withLock { said in
                    part.map { part in said.contains { $0.hasPrefix(part) } } ?? said.contains("fed")
                }
            })
        loop.stop()
        loop.join()
        return said.withLock { said in
            said.contains("fed") ? "fed" : said.first { $0.hasPrefix(part ?? "") }
        }
    }

    /// The verdict on a host with these engines.
    private func verdict(_ engines: [String: Bool]) async throws -> String? {
        let host = Host(
            [],
            reactors: engines.map { name, isFrozen in
                ReactorDefinition(
                    name: name, kind: "test", fingerprint: "", makeEngine: { Frozen(isFrozen) })
            })
        try host.startReactors()
        return try await verdict(of: host, on: engines.values.contains(true) ? "reactors" : nil)
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

    @Test("does not while the pool of tasks is frozen")
    func frozenPool() async throws {
        let queues = Queues(shared: Queues.system.shared, cooperative: FrozenQueue()) { Queues.system.serial($0) }
        let host = Host(platform: Platform(queues: queues))
        #expect(try await verdict(of: host, on: "cooperative pool") == "cooperative pool")
    }

    @Test("does not while one of the threads for long requests is frozen")
    func frozenWorker() async throws {
        let queues = Queues(shared: Queues.system.shared) { label in
            label == "rxd.request.2" ? FrozenQueue() : Queues.system.serial(label)
        }
        let host = Host(platform: Platform(queues: queues))
        #expect(try await verdict(of: host, on: "threads for requests") == "threads for requests")
    }

    @Test("does not while a thread of a store is frozen, that for writes or that for reads")
    func frozenStore() async throws {
        for freezesReads in [false, true] {
            let file = try ServedFile()
            let store = try file.open()
            let host = Host(store: store)
            file.hang(store, reads: freezesReads)
            #expect(try await verdict(of: host, on: "store of executions") == "store of executions")
            file.resume(store, reads: freezesReads)
            store.close()
        }
    }
}
