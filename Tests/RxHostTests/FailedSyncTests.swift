import Glibc
import Rx
import RxPlatform
import TestSupport
import Testing

@testable import RxRecords
@testable import RxStore

/// Stores whose disk refuses to sync, and that are killed then.
@Suite("A write that the disk refused to sync", .countedApart)
struct FailedSyncTests {
    private let directory = TemporaryDirectory()
    private let disk = ModelDisk(seed: 1)

    private func open(_ simulation: Simulation) throws -> ExecutionStore {
        try ExecutionStore(path: directory.path + "/rxd.db", platform: simulation.platform(on: disk.disk)) { _ in }
    }

    /// Switches an action off, and returns the outcome.
    private func disable(_ action: String, _ store: ExecutionStore, _ simulation: Simulation) -> [StoreError?] {
        let outcomes = Heard<StoreError?>()
        store.set(ManualSwitch(by: .host, since: 0, reason: nil), of: action) { outcomes.add($0) }
        simulation.run()
        return outcomes.values
    }

    /// What is off after a kill, and what the next start reports.
    private func restart(after refusal: ModelDisk.Refusal, retries: Bool) throws -> ([String], [StateLoss]) {
        let simulation = Simulation(seed: 1)
        let store = try open(simulation)
        #expect(disable("a", store, simulation) == [nil])
        disk.refusal = refusal
        #expect(disable("b", store, simulation).compactMap(\.self).count == 1)
        disk.refusal = .nothing
        if retries { #expect(disable("c", store, simulation) == [nil]) }
        disk.kill()
        store.close()
        disk.start()
        let next = Simulation(seed: 2)
        let opened = try open(next)
        defer { opened.close() }
        next.run()
        return (opened.takeRecovery().switches.keys.sorted(), opened.losses)
    }

    @Test("is not there after a kill", arguments: [true, false])
    func sync(retries: Bool) throws {
        let (switches, losses) = try restart(after: .sync, retries: retries)
        #expect(switches == (retries ? ["a", "c"] : ["a"]) && losses.isEmpty)
    }

    @Test("is not there after a kill if nothing could be written in its place, either")
    func syncAndWrites() throws {
        let (switches, losses) = try restart(after: .syncAndWrites, retries: false)
        #expect(switches == ["a"] && losses.isEmpty)
        // The next transaction has its number, and is none that has failed.
        let simulation = Simulation(seed: 3)
        let store = try open(simulation)
        #expect(disable("d", store, simulation) == [nil])
        disk.kill()
        store.close()
        disk.start()
        let next = try open(Simulation(seed: 4))
        #expect(next.takeRecovery().switches.keys.sorted() == ["a", "d"] && next.losses.isEmpty)
        next.close()
    }

    @Test("is reported after a kill if it cannot be taken back")
    func stuck() throws {
        let simulation = Simulation(seed: 1)
        let store = try open(simulation)
        #expect(disable("a", store, simulation) == [nil])
        disk.refusal = .syncAndWrites
        #expect(disable("b", store, simulation).compactMap(\.self).count == 1)
        disk.refusal = .nothing
        disk.kill()
        store.close()
        disk.start()
        var other = disk.disk
        other.truncate = { _, _ in EBUSY }
        let path = directory.path + "/rxd.db"
        let next = try ExecutionStore(path: path, platform: Simulation(seed: 2).platform(on: other)) { _ in }
        #expect(next.takeRecovery().switches.keys.sorted() == ["a", "b"] && next.losses == [.void(path: path)])
        next.close()
    }

    @Test("is gone after a kill if a later one was written in its place")
    func replaced() throws {
        let (switches, losses) = try restart(after: .syncAndWrites, retries: true)
        #expect(switches == ["a", "c"] && losses.isEmpty)
    }
}
