import Rx
import RxAction
import RxBindings
import RxHost
import RxJSON
import RxPlatform
import RxRecords
import RxStreams
import TestSupport
import Testing

@testable import RxStore

/// A firing that cannot be stored is neither lost nor repeated.
@Suite("A firing that is owed, and cannot be stored", .ownThreads)
struct HeldFiringTests {
    private static func stream(_ kind: String) -> StreamDefinition { .of(kind, "s", persist: kind == "action") }

    private static func emit(_ fixture: StreamFixture, _ kind: String, _ number: Int) {
        let slot = kind == "every" ? StreamFixture.start : nil
        fixture.opener["s"]?.emit([json("\(number)")], at: StreamFixture.start, position: number, slot: slot)
    }

    private static func open(_ directory: TemporaryDirectory) throws -> ExecutionStore {
        try ExecutionStore(path: directory.path + "/rxd.db") { _ in }
    }

    private static func disk(_ store: ExecutionStore, fails: Bool) throws {
        try store.writes.queue.sync {
            try store.writes.writer?.database.execute("PRAGMA query_only = \(fails ? 1 : 0)")
        }
    }

    private static func flush(_ store: ExecutionStore) async {
        await withCheckedContinuation { continuation in
            store.set(nil, of: "flush") { _ in continuation.resume() }
        }
    }

    /// A host whose disk fails, and whose stream has emitted 1.
    private static func emitted(
        _ kind: String, _ directory: TemporaryDirectory
    ) async throws -> (ExecutionStore, StreamFixture) {
        let store = try open(directory)
        let fixture = StreamFixture(store: store)
        await fixture.apply([stream(kind)], [.on("s")])
        await flush(store)
        try disk(store, fails: true)
        emit(fixture, kind, 1)
        return (store, fixture)
    }

    @Test("waits with a reason, and starts once, when it can be stored", arguments: ["every", "action"])
    func waits(kind: String) async throws {
        let directory = TemporaryDirectory()
        let (store, fixture) = try await Self.emitted(kind, directory)
        let hasReason = await eventually {
            guard case .waiting(let reason)? = fixture.streams.stream("s")?.status.state else { return false }
            return reason.contains("cannot be stored")
        }
        #expect(hasReason && fixture.work.inputs.isEmpty)
        #expect(fixture.firings("s").map(\.end) == [nil])
        try Self.disk(store, fails: false)
        #expect(await eventually { fixture.work.inputs == [json("1")] })
        #expect(fixture.streams.stream("s")?.status.state == .running)
        fixture.work.end()
        #expect(await eventually { fixture.firings("s").map(\.end) == ["completed"] })
        await fixture.stop()
        store.close()
        // The positions that could not be stored are stored, too.
        let next = try Self.open(directory)
        let later = StreamFixture(store: next)
        await later.apply([Self.stream(kind)], [.on("s")])
        #expect(later.opener["s"]?.startPosition == json("1"))
        #expect(later.work.inputs.isEmpty && later.host.log.inFlight.isEmpty)
        await later.stop()
        next.close()
    }

    @Test("leaves its slot to the next daemon if this one ends", arguments: ["every", "action"], [false, true])
    func isLeft(kind: String, hasRoom: Bool) async throws {
        let directory = TemporaryDirectory()
        let (store, fixture) = try await Self.emitted(kind, directory)
        #expect(await eventually { fixture.host.log.inFlight.first?.waitsForStore == true })
        await fixture.stop()
        let idle = Locked(false)
        fixture.host.stop { idle.withLock { $0 = true } }
        #expect(await eventually { idle.withLock { $0 } })
        if hasRoom { try Self.disk(store, fails: false) }
        store.close()
        #expect(fixture.work.inputs.isEmpty)

        let next = try Self.open(directory)
        let later = StreamFixture(store: next)
        await later.apply([Self.stream(kind)], [.on("s")])
        if !hasRoom {
            #expect(later.opener["s"]?.startPosition == nil)
            Self.emit(later, kind, 1)
        }
        #expect(await eventually { later.work.inputs == [json("1")] })
        later.work.end()
        #expect(await eventually { later.host.log.inFlight.isEmpty })
        #expect(later.work.inputs == [json("1")])
        await later.stop()
        next.close()
    }

    @Test("is not fired again if its execution is canceled before that")
    func canceled() async throws {
        let directory = TemporaryDirectory()
        let (store, fixture) = try await Self.emitted("every", directory)
        #expect(await eventually { fixture.host.log.inFlight.first?.waitsForStore == true })
        fixture.host.log.inFlight.first?.cancel(by: .host)
        #expect(await eventually { fixture.firings("s").map(\.end) == ["cancelled"] })
        try Self.disk(store, fails: false)
        await Self.flush(store)
        await fixture.stop()
        store.close()
        let next = try Self.open(directory)
        let recovery = StreamFixture(store: next)
        await recovery.apply([Self.stream("every")], [.on("s")])
        #expect(recovery.opener["s"]?.startPosition == json("1"))
        await recovery.stop()
        #expect(recovery.host.log.inFlight.isEmpty && recovery.work.inputs.isEmpty)
        next.close()
    }
}
