import Rx
import RxAction
import RxJSON
import RxPlatform
import TestSupport
import Testing

@testable import RxHost
@testable import RxRecords
@testable import RxStore

@Suite("A durable input whose start cannot be stored", .countedApart, .ownThreads)
struct HeldStartTests {
    /// A host with an action whose first input runs until `finishFirst`, and whose others end at once.
    private final class Fixture {
        let file: StoreFile
        let store: ExecutionStore
        let host: Host
        let action: HostedAction
        let started = Heard<ExecutionID>()
        private let first = PublishSubject<RawJSON>()
        private let time: SteppedTime?

        init(
            _ file: StoreFile = StoreFile(), isKept: Bool = true, timeout: Duration? = nil, _ time: SteppedTime? = nil
        ) throws {
            self.file = file
            self.time = time
            store = try file.open()
            let (started, first) = (started, first)
            var definition = ActionDefinition(
                name: "w", kind: "test", overlap: .queue(limit: 100), keepsHistory: isKept, fingerprint: "w"
            ) { invocation in
                started.add(invocation.context.id)
                return invocation.input == .null ? first.asObservable() : .just(invocation.input)
            }
            definition.isDurable = true
            definition.timeout = timeout
            let host = Host([definition], store: store, platform: time?.platform ?? .system)
            self.host = host
            action = try #require(host.registry["w"])
            host.resume()
        }

        /// The first input runs, and the second one waits for the disk.
        func held() async throws -> (first: HostedExecution, held: HostedExecution, last: HostedExecution) {
            let running = try host.execute(action, ExecutionRequest(input: .null, by: .host)).get()
            let rest = try (0..<2).map { _ in
                try host.execute(action, ExecutionRequest(input: .true, by: .host)).get()
            }
            #expect(
                await eventually {
                    self.time?.settle()
                    return self.started.values == [running.id]
                })
            await store.flush()
            try store.disk(fails: true)
            first.onCompleted()
            #expect(
                await eventually {
                    self.time?.settle()
                    return rest[0].waitsForStore
                })
            #expect(!running.isInFlight && rest[0].isInFlight && started.values == [running.id])
            return (running, rest[0], rest[1])
        }

        /// Waits until nothing is in flight.
        func isIdle() async -> Bool {
            await eventually {
                self.time?.settle()
                return self.host.log.inFlight.isEmpty
            }
        }

        func makeRoom() async throws {
            try store.disk(fails: false)
            await store.flush()
        }

        func stop() async {
            let idle = Heard<Int>()
            host.stop { idle.add(1) }
            #expect(await eventually { idle.values == [1] })
        }

        func close() { store.close() }
    }

    @Test("waits, and starts once it can be stored", arguments: [true, false])
    func waits(isKept: Bool) async throws {
        let fixture = try Fixture(isKept: isKept)
        let (first, held, last) = try await fixture.held()
        try await fixture.makeRoom()
        #expect(await fixture.isIdle())
        #expect(fixture.started.values == [first.id, held.id, last.id])
        #expect([held, last].allSatisfy { fixture.host.log.record(of: $0).state == .completed })
        fixture.close()
        let next = try Fixture(fixture.file)
        #expect(next.host.log.inFlight.isEmpty && next.started.values.isEmpty)
        next.close()
    }

    @Test("starts without any other write, once the store has tried again")
    func triesAgain() async throws {
        let fixture = try Fixture()
        let (_, held, last) = try await fixture.held()
        try fixture.store.disk(fails: false)
        #expect(await eventually { !held.isInFlight && !last.isInFlight })
        #expect(fixture.host.log.record(of: held).state == .completed)
        fixture.close()
    }

    @Test("is started by the next daemon if this one is killed, once")
    func killed() async throws {
        let fixture = try Fixture()
        let (_, held, last) = try await fixture.held()
        let killed = try fixture.file.killed()
        for expected in [[held.id, last.id], []] {
            let next = try Fixture(killed)
            #expect(await next.isIdle())
            await next.store.flush()
            #expect(next.started.values == expected)
            #expect(try await next.store.found(held.id)?.state == .completed)
            next.close()
        }
        fixture.close()
    }

    @Test(
        "is started by the next daemon if this one stops, whether or not the disk has room by then",
        arguments: [true, false])
    func stopped(hasRoom: Bool) async throws {
        let fixture = try Fixture()
        let (_, held, last) = try await fixture.held()
        await fixture.stop()
        for execution in [held, last] {
            #expect(fixture.host.log.record(of: execution).isPostponed)
        }
        if hasRoom { try await fixture.makeRoom() }
        fixture.close()
        let next = try Fixture(fixture.file)
        #expect(await next.isIdle())
        #expect(next.started.values == [held.id, last.id])
        next.close()
    }

    @Test("and that is just tried again when the daemon stops is started by the next one")
    func stoppedInAttempt() async throws {
        let fixture = try Fixture()
        let (_, held, last) = try await fixture.held()
        let other = try Database(path: fixture.file.path, on: .system)
        try fixture.store.writes.queue.sync {
            let database = try #require(fixture.store.writes.writer?.database)
            try database.execute("PRAGMA busy_timeout = 600000")
            try other.execute(
                """
                BEGIN IMMEDIATE;
                CREATE TRIGGER fails BEFORE UPDATE ON commits BEGIN DELETE FROM nowhere; END
                """)
            try database.execute("PRAGMA query_only = 0")
        }
        // The attempt waits for the other program's lock, and then fails.
        #expect(await eventually { !held.waitsForStore })
        let idle = Heard<Int>()
        for number in 1...2 { fixture.host.stop { idle.add(number) } }
        #expect(throws: (any Error).self) {
            try fixture.host.execute(fixture.action, ExecutionRequest(input: .true, by: .host)).get()
        }
        try other.execute("COMMIT")
        #expect(await eventually { idle.values == [2] })
        #expect([held, last].allSatisfy { fixture.host.log.record(of: $0).isPostponed })
        try other.execute("DROP TRIGGER fails")
        fixture.close()
        let next = try Fixture(fixture.file)
        #expect(await next.isIdle())
        #expect(next.started.values == [held.id, last.id])
        next.close()
    }

    @Test("and that is canceled meanwhile is not started by any daemon", arguments: [true, false])
    func canceled(isKept: Bool) async throws {
        let fixture = try Fixture(isKept: isKept)
        let (first, held, last) = try await fixture.held()
        held.cancel(by: .host)
        #expect(await eventually { !held.isInFlight && last.waitsForStore })
        #expect(fixture.host.log.record(of: held).state == .cancelled)
        let killed = try fixture.file.killed()
        try await fixture.makeRoom()
        #expect(await fixture.isIdle())
        #expect(fixture.started.values == [first.id, last.id])
        fixture.close()
        for (file, expected) in [(killed, [last.id]), (fixture.file, [])] {
            let next = try Fixture(file)
            #expect(await next.isIdle())
            #expect(next.started.values == expected)
            next.close()
        }
    }

    @Test("has its whole time once it starts")
    func timeout() async throws {
        let time = SteppedTime()
        let fixture = try Fixture(timeout: .seconds(3600), time)
        let (_, held, last) = try await fixture.held()
        time.advance(by: .seconds(7200))
        #expect(held.isInFlight && held.waitsForStore)
        try await fixture.makeRoom()
        #expect(await fixture.isIdle())
        #expect([held, last].allSatisfy { fixture.host.log.record(of: $0).state == .completed })
        fixture.close()
    }
}
