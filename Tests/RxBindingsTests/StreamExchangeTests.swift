import Dispatch
import Jq
import Rx
import RxAction
import RxBindings
import RxHost
import RxJSON
import RxRecords
import RxStore
import RxStreams
import TestSupport
import Testing

/// An evaluator that stands still while a test has it do so.
private final class GatedEvaluator: ProgramEvaluator {
    private let inner = LocalEvaluator()
    private let gate = DispatchSemaphore(value: 0)
    private let count = Locked(0)

    /// How many evaluations have begun.
    var begun: Int { count.withLock { $0 } }

    func open() { gate.signal() }

    func evaluate(_ program: StreamProgram, on inputs: [ProgramInput]) -> [ProgramResult] {
        count.withLock { $0 += 1 }
        gate.wait()
        return inner.evaluate(program, on: inputs)
    }
}

/// What happens while the streams of a reload take the place of others, or afterwards to what is gone.
@Suite("An exchange of streams", .ownThreads)
struct StreamExchangeTests {
    private static let same = StepDefinition("map", ["map": .program(StreamProgram(".", .many))])
    private static let other = StepDefinition("map", ["map": .program(StreamProgram(". + 1", .many))])

    @Test("begins no stream after a stop, which waits for those that are on their way out")
    func stops() async {
        let evaluator = GatedEvaluator()
        let fixture = StreamFixture(evaluator: evaluator)
        await fixture.apply([.of("lines", "s", [Self.same])])
        fixture.opener["s"]?.emit([json("1")], at: StreamFixture.start)
        #expect(await eventually { evaluator.begun == 1 })
        // The stream stops after its turn.
        let (isExchanged, isStopped) = (Locked(false), Locked(false))
        fixture.streams.apply(StreamHost.Plan(streams: [.of("lines", "s", [Self.other])])) {
            isExchanged.withLock { $0 = true }
        }
        fixture.streams.stop { isStopped.withLock { $0 = true } }
        #expect(!isStopped.withLock { $0 } && !isExchanged.withLock { $0 })
        evaluator.open()
        #expect(await eventually { isStopped.withLock { $0 } && isExchanged.withLock { $0 } })
        #expect(fixture.opener.count("s") == 1)
        #expect(fixture.opener["s"]?.isStopped == true)
        // A reload that comes after the stop begins nothing, and is answered.
        await fixture.apply([])
        let isAnswered = Locked(false)
        fixture.streams.apply(StreamHost.Plan(streams: [.of("lines", "t")])) { isAnswered.withLock { $0 = true } }
        #expect(isAnswered.withLock { $0 } && fixture.opener.count("t") == 0)
    }

    @Test("keeps a switch that is set for a stream which a client found before")
    func switches() async throws {
        let fixture = StreamFixture()
        await fixture.apply([.of("lines", "s")])
        let found = try #require(fixture.host.streams["s"])
        await fixture.apply([.of("lines", "s", [Self.same])])
        #expect(fixture.opener.count("s") == 2)
        fixture.host.set(ManualSwitch(by: .host, since: 0, reason: "test"), of: found) { _ in }
        #expect(await eventually { fixture.opener["s"]?.isStopped == true })
        #expect(fixture.host.streams["s"]?.disabledReason?.hasSuffix("test") == true)
        fixture.host.set(nil, of: found) { _ in }
        #expect(await eventually { fixture.opener.count("s") == 3 })
        await fixture.stop()
    }

    // MARK: What is stored

    private func owners(_ directory: TemporaryDirectory) throws -> Set<String> {
        let store = try ExecutionStore(path: directory.path + "/rxd.db") { _ in }
        defer { store.close() }
        return Set(Host([], store: store).storedStreams.keys)
    }

    private func withFixture(_ directory: TemporaryDirectory, _ body: (StreamFixture) async -> Void) async throws {
        let store = try ExecutionStore(path: directory.path + "/rxd.db") { _ in }
        let fixture = StreamFixture([("act", .reject)], store: store)
        await body(fixture)
        await fixture.stop()
        store.close()
    }

    private func fire(_ fixture: StreamFixture, _ position: Int) async {
        for name in ["s", "t"] {
            let before = fixture.firings(name).count
            fixture.opener[name]?.emit([json("1")], at: StreamFixture.start, position: position)
            #expect(await eventually { fixture.firings(name).count == before + 1 })
            #expect(await eventually { fixture.opener[name]?.settlements.count == 1 })
        }
    }

    @Test("forgets the rows of streams and of ons that are removed, in a reload or while no daemon runs")
    func forgets() async throws {
        let directory = TemporaryDirectory()
        let s = StreamDefinition.of("lines", "s", persist: true)
        let t = StreamDefinition.of("lines", "t", persist: true)
        try await withFixture(directory) { fixture in
            await fixture.apply([s, t], [.on("s"), .on("t")])
            await fire(fixture, 1)
        }
        #expect(try owners(directory) == ["s", "t", "s action act", "t action act"])
        try await withFixture(directory) { fixture in
            // The on of t is gone.
            await fixture.apply([s, t], [.on("s")])
            #expect(fixture.opener["t"]?.startPosition == json("1"))
            #expect(fixture.firings("s").count == 1)
        }
        #expect(try owners(directory) == ["s", "t", "s action act"])
        try await withFixture(directory) { fixture in
            await fixture.apply([s, t], [.on("s")])
            await fixture.apply([t])
            // Added again with the same text, it starts over.
            await fixture.apply([s, t], [.on("s")])
            #expect(fixture.opener["s"]?.startPosition == nil && fixture.firings("s").isEmpty)
            #expect(fixture.opener.count("t") == 1)
            await fixture.apply([t])
        }
        #expect(try owners(directory) == ["t"])
    }
}
