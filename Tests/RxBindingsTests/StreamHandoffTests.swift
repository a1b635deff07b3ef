import Rx
import RxAction
import RxBindings
import RxHost
import RxJSON
import RxRecords
import RxStore
import RxStreams
import RxTime
import TestSupport
import Testing

/// A stream `r` reads `s`, whose source has a position, and gives its elements to an action whose queue has one place.
@Suite("A stream that reads one whose positions are stored", .ownThreads)
struct StreamHandoffTests {
    /// One whose elements are owed.
    private static let source = StreamDefinition.of("action", "s", persist: true)
    private static let actions: [(String, Overlap)] = [("act", .queue(limit: 1))]

    private static func reader(_ steps: [StepDefinition] = []) -> StreamDefinition {
        StreamDefinition(name: "r", source: .stream("s", channel: .elements), steps: steps)
    }

    private static let numbers = (1...5).map { json("\($0)") }

    /// Ends executions until all inputs have started.
    private func work(_ fixture: StreamFixture, until inputs: [RawJSON]) async {
        for count in 1...inputs.count {
            #expect(await eventually { fixture.work.inputs.count >= count })
            fixture.work.end()
            // The `on` tries again when its execution has ended, or after this time.
            fixture.advance(by: .seconds(1))
        }
        #expect(fixture.work.inputs == inputs)
    }

    /// One in which elements wait at the `on` of `r`.
    private func waiting(_ store: ExecutionStore? = nil) async -> StreamFixture {
        let fixture = StreamFixture(Self.actions, store: store)
        await fixture.apply([Self.source, Self.reader()], [.on("r")])
        fixture.opener["s"]?.emit(Self.numbers, at: StreamFixture.start, position: 5)
        #expect(await eventually { fixture.streams.stream("r")?.status.state.isWaiting == true })
        return fixture
    }

    @Test("has the source of that one wait for a full queue", arguments: ["action", "path"])
    func waits(kind: String) async {
        let fixture = StreamFixture(Self.actions)
        await fixture.apply([.of(kind, "s", persist: true), Self.reader()], [.on("r")])
        fixture.opener["s"]?.emit(Self.numbers, at: StreamFixture.start, position: 5)
        #expect(await eventually { fixture.streams.stream("r")?.status.state.isWaiting == true })
        #expect(fixture.opener["s"]?.settlements.isEmpty == true)
        await work(fixture, until: Self.numbers)
        #expect(await eventually { fixture.opener["s"]?.settlements == [json("5")] })
        await fixture.stop()
    }

    @Test("fires what waits for a full queue when the daemon stops, once the next one has started")
    func stopped() async throws {
        let folder = TemporaryDirectory()
        let first = try ExecutionStore(path: folder.path + "/rxd.db") { _ in }
        let fixture = await waiting(first)
        #expect(await eventually { fixture.work.inputs == [json("1")] })
        await fixture.stop()
        first.close()
        let second = try ExecutionStore(path: folder.path + "/rxd.db") { _ in }
        let later = StreamFixture(Self.actions, store: second)
        await later.apply([Self.source, Self.reader()], [.on("r")])
        #expect(later.opener["s"]?.startPosition == json("5"))
        // The second one was in the queue.
        await work(later, until: Array(Self.numbers[1...]))
        await later.stop()
        second.close()
        let third = try ExecutionStore(path: folder.path + "/rxd.db") { _ in }
        #expect(StreamFixture(store: third).host.storedStreams["r reads 0"] == nil, "nothing is left")
        third.close()
    }

    @Test("keeps the position of a source that emits again until all is fired")
    func repeated() async throws {
        let folder = TemporaryDirectory()
        let source = StreamDefinition.of("path", "s", persist: true)
        let first = try ExecutionStore(path: folder.path + "/rxd.db") { _ in }
        let fixture = StreamFixture(Self.actions, store: first)
        await fixture.apply([source, Self.reader()], [.on("r")])
        fixture.opener["s"]?.emit([json("1")], at: StreamFixture.start, position: 1)
        #expect(await eventually { fixture.opener["s"]?.settlements == [json("1")] })
        fixture.opener["s"]?.emit(Self.numbers, at: StreamFixture.start, position: 5)
        #expect(await eventually { fixture.streams.stream("r")?.status.state.isWaiting == true })
        await fixture.stop()
        first.close()
        let second = try ExecutionStore(path: folder.path + "/rxd.db") { _ in }
        let later = StreamFixture(Self.actions, store: second)
        #expect(later.host.storedStreams["r reads 0"] == nil)
        await later.apply([source, Self.reader()], [.on("r")])
        #expect(later.opener["s"]?.startPosition == json("1"))
        await later.stop()
        second.close()
    }

    @Test("passes what waits, and what comes meanwhile, to its successor at a reload")
    func reloaded() async {
        let fixture = await waiting()
        let other = StepDefinition("map", ["map": .program(StreamProgram("10 * .", .many))])
        await fixture.apply([Self.source, Self.reader([other])], [.on("r")])
        #expect(fixture.opener.count("s") == 1, "the stream that is read goes on")
        fixture.opener["s"]?.emit([json("6")], at: StreamFixture.start, position: 6)
        #expect(
            await eventually {
                fixture.work.end()
                fixture.advance(by: .seconds(1))
                return fixture.work.inputs.count == 6
            })
        // 10 came from 1.
        let numbers = fixture.work.inputs.map { (number($0) - 1) % 9 + 1 }
        #expect(Set(numbers).count == 6, "each once: \(fixture.work.inputs)")
        #expect(fixture.work.inputs.last == json("60"))
        await fixture.stop()
    }

    @Test("does not hold up the one that it reads when it is disabled or removed")
    func closed() async {
        let fixture = StreamFixture(Self.actions)
        let other = StreamDefinition(name: "q", source: .stream("s", channel: .elements))
        await fixture.apply([Self.source, Self.reader(), other], [.on("r"), .on("q")])
        fixture.opener["s"]?.emit(Self.numbers, at: StreamFixture.start, position: 5)
        #expect(await eventually { fixture.streams.stream("r")?.status.state.isWaiting == true })
        #expect(await eventually { fixture.streams.stream("q")?.status.state.isWaiting == true })
        fixture.streams.stream("q")?.set(ManualSwitch(by: .host, since: 0, reason: nil))
        await fixture.apply([Self.source, other], [.on("q")])
        #expect(await eventually { fixture.opener["s"]?.settlements == [json("5")] })
        await fixture.stop()
    }

    @Test("does not hold up the one that it reads when it has ended while a step of it still executes")
    func ended() async {
        let fixture = StreamFixture([("act", .queue(limit: 9)), ("inner", .concurrent(limit: 9))])
        let steps = [
            StepDefinition("flatMap", ["flatMap": .text("inner")]), StepDefinition("take", ["take": .count(1)]),
        ]
        await fixture.apply([Self.source, Self.reader(steps)], [.on("r")])
        fixture.opener["s"]?.emit(Self.numbers, at: StreamFixture.start, position: 5)
        #expect(await eventually { fixture.work.inputs.count == 5 })
        fixture.work.end(json("10"))
        #expect(await eventually { fixture.streams.stream("r")?.status.state == .ended })
        #expect(await eventually { fixture.opener["s"]?.settlements == [json("5")] })
        await fixture.stop()
    }

    @Test("goes on after a reload with what waits, and then has the source of that one go on")
    func settledByAnother() async {
        let fixture = await waiting()
        let other = StepDefinition("map", ["map": .program(StreamProgram(".", .many))])
        await fixture.apply([Self.source, Self.reader([other])], [.on("r")])
        #expect(fixture.opener["s"]?.settlements.isEmpty == true)
        await work(fixture, until: Self.numbers)
        #expect(await eventually { fixture.opener["s"]?.settlements == [json("5")] })
        await fixture.stop()
    }

    private static let conditions = ["r": EnabledCondition.pathExists("/p")]

    @Test("does not hold up the one that it reads when a reload leaves it disabled by a condition")
    func disabledByReload() async {
        let fixture = StreamFixture([("act", .queue(limit: 9))])
        await fixture.apply([Self.source, Self.reader()], [.on("r")])
        fixture.streams.apply(
            StreamHost.Plan(
                streams: [Self.source, Self.reader()], bindings: [.on("r")], conditions: Self.conditions))
        #expect(await eventually { fixture.streams.stream("r")?.disabledReason == "/p does not exist" })
        fixture.opener["s"]?.emit([json("1")], at: StreamFixture.start, position: 1)
        #expect(await eventually { fixture.opener["s"]?.settlements == [json("1")] })
        fixture.opener.set(true, "/p")
        #expect(await eventually { fixture.streams.stream("r")?.status.state == .running })
        fixture.opener["s"]?.emit([json("2")], at: StreamFixture.start, position: 2)
        #expect(await eventually { fixture.work.inputs == [json("2")] })
        await fixture.stop()
    }

    @Test("gets what comes before its condition is decided if that holds, and nothing else", arguments: [true, false])
    func undecided(holds: Bool) async {
        let fixture = StreamFixture([("act", .concurrent(limit: 9))])
        fixture.opener.reportLate()
        fixture.streams.apply(
            StreamHost.Plan(
                streams: [Self.source, Self.reader()], bindings: [.on("r")], conditions: Self.conditions))
        #expect(await eventually { fixture.opener["s"]?.isStarted == true })
        fixture.opener["s"]?.emit([json("1")], at: StreamFixture.start, position: 1)
        #expect(await eventually { fixture.streams.stream("s")?.status.emitted == 1 })
        fixture.opener.set(holds, "/p")
        #expect(await eventually { fixture.opener["s"]?.settlements == [json("1")] })
        fixture.opener.set(true, "/p")
        #expect(await eventually { fixture.streams.stream("r")?.status.state == .running })
        fixture.opener["s"]?.emit([json("2")], at: StreamFixture.start, position: 2)
        #expect(await eventually { fixture.work.inputs == (holds ? [json("1"), json("2")] : [json("2")]) })
        await fixture.stop()
    }

    @Test("that was disabled for some time gets what an executing step of that one emits after it")
    func enabledAgain() async {
        let fixture = StreamFixture([("act", .concurrent(limit: 9)), ("inner", .concurrent(limit: 9))])
        let source = StreamDefinition.of(
            "action", "s",
            [
                StepDefinition("map", ["map": .program(StreamProgram(".[]", .many))]),
                StepDefinition("flatMap", ["flatMap": .text("inner")]),
            ], persist: true)
        // The source of its own shows when it is disabled.
        let reader = StreamDefinition(
            name: "r", source: .merge([.stream("s", channel: .elements), .external(ExternalSource("signal"))]))
        await fixture.apply([source, reader], [.on("r")])
        fixture.opener["s"]?.emit([json("[1,2]")], at: StreamFixture.start, position: 5)
        #expect(await eventually { fixture.work.inputs == [json("1"), json("2")] })
        fixture.work.end(json("10"))
        #expect(await eventually { fixture.work.inputs.last == json("10") })
        fixture.streams.stream("r")?.set(ManualSwitch(by: .host, since: 0, reason: nil))
        #expect(await eventually { fixture.opener["r"]?.isStopped == true })
        fixture.streams.stream("r")?.set(nil)
        #expect(await eventually { fixture.opener.count("r") == 2 })
        fixture.work.end(json("20"))
        #expect(await eventually { fixture.work.inputs.last == json("20") })
        await fixture.stop()
    }

    @Test("has that one wait when too much waits, though its elements come out of executions")
    func full() async throws {
        let count = StreamLimits.pendingElements * 9 / 10
        let many = ActionDefinition(
            name: "many", kind: "test", overlap: .queue(limit: 9), fingerprint: "many"
        ) { _ in .from((0..<count).map { json("\($0)") }) }
        let fixture = StreamFixture(Self.actions, builtins: [many])
        let source = StreamDefinition.of(
            "action", "s", [StepDefinition("flatMap", ["flatMap": .text("many"), "yields": .text("each")])],
            persist: true)
        await fixture.apply([source, Self.reader()], [.on("r")])
        let stream = try #require(fixture.streams.stream("s"))
        fixture.opener["s"]?.emit([json("1")], at: StreamFixture.start, position: 1)
        #expect(await eventually { stream.status.emitted == count })
        fixture.opener["s"]?.emit([json("2")], at: StreamFixture.start, position: 2)
        #expect(
            await eventually {
                fixture.host.streams["s"]?.summary["reason"] == "too much waits at the stream r, which reads it"
            })
        // A turn of each stream may go beyond.
        #expect(stream.status.emitted <= StreamLimits.pendingElements + 2 * StreamLimits.elementsPerTurn)
        fixture.streams.stream("r")?.set(ManualSwitch(by: .host, since: 0, reason: nil))
        #expect(await eventually { stream.status.emitted == 2 * count })
        await fixture.stop()
    }

    @Test("knows the elements of several streams apart")
    func several() async {
        let fixture = StreamFixture([("act", .queue(limit: 9)), ("inner", .concurrent(limit: 9))])
        func reader(_ steps: [StepDefinition] = []) -> StreamDefinition {
            StreamDefinition(
                name: "r",
                source: .merge([.stream("s", channel: .elements), .stream("t", channel: .elements)]),
                steps: [StepDefinition("flatMap", ["flatMap": .text("inner")])] + steps)
        }
        let streams = [Self.source, .of("action", "t", persist: true)]
        await fixture.apply(streams + [reader()], [.on("r")])
        fixture.opener["t"]?.emit([json("2")], at: StreamFixture.start, position: 1)
        #expect(await eventually { fixture.work.inputs == [json("2")] })
        fixture.opener["s"]?.emit([json("1")], at: StreamFixture.start, position: 1)
        #expect(await eventually { fixture.work.inputs == [json("2"), json("1")] })
        fixture.work.end(json("20"))
        #expect(await eventually { fixture.work.inputs.last == json("20") })
        // Both come again, as their results have not all come out.
        await fixture.apply(
            streams + [reader([StepDefinition("map", ["map": .program(StreamProgram(".", .many))])])], [.on("r")])
        #expect(await eventually { fixture.work.inputs.count == 5 })
        #expect(Set(fixture.work.inputs.dropFirst(3)) == [json("1"), json("2")])
        let last = fixture.work.inputs
        // The inner executions of before, and the firing.
        for _ in 0..<2 { fixture.work.end() }
        for input in last.dropFirst(3) { fixture.work.end(input == json("1") ? json("10") : json("20")) }
        #expect(await eventually { fixture.work.inputs.count >= 6 })
        #expect(await eventually { fixture.opener["s"]?.settlements == [json("1")] })
        #expect(await eventually { fixture.opener["t"]?.settlements == [json("1")] })
        #expect(fixture.work.inputs.dropFirst(5) == [json("10")], "\(fixture.work.inputs)")
        await fixture.stop()
    }

    private func number(_ input: RawJSON) -> Int { input.value().int ?? 0 }
}
