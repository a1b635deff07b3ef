import RxAction
import RxBindings
import RxHost
import RxJSON
import RxRecords
import RxStore
import RxStreams
import TestSupport
import Testing

@Suite("A level")
struct LevelTests {
    private static let halves = StepDefinition("map", ["map": .program(StreamProgram(". / 2", .many))])
    private static let large = StepDefinition("filter", ["filter": .program(StreamProgram(". > 5", .condition))])
    private static let pairs = StepDefinition("pairwise", ["pairwise": .boolean(true)])

    private func emit(_ value: String, _ stream: String, _ fixture: StreamFixture) {
        fixture.opener[stream]?.emit([json(value)], at: StreamFixture.start)
    }

    @Test("gives its current value to a stream that begins to read it, also after map")
    func replays() async {
        let fixture = StreamFixture()
        let level = StreamDefinition.of("reactor", "s", [Self.halves])
        await fixture.apply([level])
        emit("4", "s", fixture)
        #expect(await eventually { fixture.elements == [json("2")] })
        let reader = StreamDefinition(name: "r", source: .stream("s", channel: .elements))
        await fixture.apply([level, reader], [.on("r")])
        #expect(await eventually { fixture.work.inputs == [json("2")] })
        #expect(fixture.host.streams["s"]?.currentValues == [json("2")])
        await fixture.stop()
    }

    @Test("is none any more after a step that makes elements of it")
    func noLevel() async {
        let fixture = StreamFixture()
        let stream = StreamDefinition.of("reactor", "s", [Self.pairs])
        await fixture.apply([stream])
        for value in ["4", "5"] {
            emit(value, "s", fixture)
            #expect(await eventually { fixture.streams.stream("s")?.status.taken == (value == "4" ? 1 : 2) })
        }
        let reader = StreamDefinition(name: "r", source: .stream("s", channel: .elements))
        await fixture.apply([stream, reader])
        emit("6", "s", fixture)
        #expect(await eventually { fixture.elements == ["[4,5]", "[5,6]", "[5,6]"].map { json($0) } })
        #expect(fixture.host.streams["s"]?.currentValues == nil)
        await fixture.stop()
    }

    @Test("at an on that waits for a queue is its newest value, and the others are counted")
    func coalesced() async {
        let fixture = StreamFixture([("act", .queue(limit: 1))])
        await fixture.apply([.of("reactor", "s")], [.on("s")])
        for value in 1...6 {
            emit("\(value)", "s", fixture)
            #expect(await eventually { fixture.streams.stream("s")?.status.taken == value })
        }
        for expected in [[1, 2], [1, 2, 6]] {
            fixture.work.end()
            #expect(
                await eventually {
                    fixture.advance(by: .seconds(1))
                    return fixture.work.inputs == expected.map { json("\($0)") }
                })
        }
        // 3, 4, and 5.
        #expect(fixture.streams.stream("s")?.status.coalesced == 3)
        #expect(fixture.host.streams["s"]?.details["coalesced"] == 3)
        await fixture.stop()
    }

    @Test("of several units has a value for each")
    func units() async {
        let fixture = StreamFixture([("act", .queue(limit: 0))])
        let units = StreamDefinition(name: "s", source: .external(ExternalSource("unit", ["unit": .text("a*")])))
        await fixture.apply([units], [.on("s")])
        let states = [("a1", 1), ("a2", 1), ("a3", 1), ("a2", 2), ("a3", 2)].map {
            json(#"{"unit":"\#($0.0)","n":\#($0.1)}"#)
        }
        for (index, state) in states.enumerated() {
            fixture.opener["s"]?.emit([state], at: StreamFixture.start)
            #expect(await eventually { fixture.streams.stream("s")?.status.taken == index + 1 })
        }
        for expected in 2...3 {
            fixture.work.end()
            #expect(
                await eventually {
                    fixture.advance(by: .seconds(1))
                    return fixture.work.inputs.count == expected
                })
        }
        #expect(fixture.work.inputs == [states[0], states[3], states[4]])
        #expect(fixture.streams.stream("s")?.status.coalesced == 2)
        await fixture.stop()
    }

    // MARK: Restarts

    private func withStore(_ directory: TemporaryDirectory, _ body: (StreamFixture) async throws -> Void) async throws {
        let store = try ExecutionStore(path: directory.path + "/rxd.db") { _ in }
        let fixture = StreamFixture([("act", .concurrent(limit: 100))], store: store)
        try await body(fixture)
        await fixture.stop()
        store.close()
    }

    @Test("is not fired again after a restart if it has not changed, although nothing else of the stream is kept")
    func restart() async throws {
        let directory = TemporaryDirectory()
        let streams = [
            StreamDefinition.of("reactor", "s", [Self.halves]),
            StreamDefinition(name: "r", source: .stream("s", channel: .elements)),
        ]
        try await withStore(directory) { fixture in
            await fixture.apply(streams, [.on("s"), .on("r")])
            emit("4", "s", fixture)
            #expect(await eventually { fixture.work.inputs == [json("2"), json("2")] })
        }
        try await withStore(directory) { fixture in
            await fixture.apply(streams, [.on("s"), .on("r")])
            emit("4", "s", fixture)
            #expect(await eventually { fixture.streams.stream("r")?.status.taken == 1 })
            emit("6", "s", fixture)
            #expect(await eventually { fixture.work.inputs == [json("3"), json("3")] })
            // A value that comes again by itself is fired.
            emit("6", "s", fixture)
            #expect(await eventually { fixture.work.inputs.count == 4 })
        }
    }

    @Test("fires a value that it had before once it has changed in between, though a filter has let nothing through")
    func filtered() async throws {
        let directory = TemporaryDirectory()
        let streams = [
            StreamDefinition.of("reactor", "s", [Self.large]),
            StreamDefinition(name: "r", source: .stream("s", channel: .elements)),
        ]
        try await withStore(directory) { fixture in
            await fixture.apply(streams, [.on("r")])
            emit("9", "s", fixture)
            #expect(await eventually { fixture.work.inputs == [json("9")] })
        }
        try await withStore(directory) { fixture in
            await fixture.apply(streams, [.on("r")])
            emit("1", "s", fixture)
            #expect(await eventually { fixture.streams.stream("s")?.status.taken == 1 })
            emit("9", "s", fixture)
            #expect(await eventually { fixture.work.inputs == [json("9")] })
        }
    }

    @Test("that is long is remembered too")
    func long() async throws {
        let directory = TemporaryDirectory()
        let long = "\"" + String(repeating: "x", count: 10_000) + "\""
        try await withStore(directory) { fixture in
            await fixture.apply([.of("reactor", "s")], [.on("s")])
            emit(long, "s", fixture)
            #expect(await eventually { fixture.work.inputs == [json(long)] })
        }
        try await withStore(directory) { fixture in
            await fixture.apply([.of("reactor", "s")], [.on("s")])
            emit(long, "s", fixture)
            #expect(await eventually { fixture.streams.stream("s")?.status.taken == 1 })
            emit("1", "s", fixture)
            #expect(await eventually { fixture.work.inputs == [json("1")] })
        }
    }

    @Test("is not fired again when its stream is enabled again, nor by those that read it")
    func enabledAgain() async {
        let fixture = StreamFixture([("act", .concurrent(limit: 100))])
        let reader = StreamDefinition(name: "r", source: .stream("s", channel: .elements))
        await fixture.apply([.of("reactor", "s"), reader], [.on("s"), .on("r")])
        emit("4", "s", fixture)
        #expect(await eventually { fixture.work.inputs.count == 2 })
        fixture.streams.stream("s")?.set(ManualSwitch(by: .host, since: 0, reason: nil))
        #expect(await eventually { fixture.opener["s"]?.isStopped == true })
        fixture.streams.stream("s")?.set(nil)
        #expect(await eventually { fixture.opener.count("s") == 2 && fixture.opener["s"]?.isStarted == true })
        emit("4", "s", fixture)
        #expect(await eventually { fixture.streams.stream("s")?.status.taken == 2 })
        emit("5", "s", fixture)
        #expect(await eventually { fixture.work.inputs == ["4", "4", "5", "5"].map { json($0) } })
        await fixture.stop()
    }
}
