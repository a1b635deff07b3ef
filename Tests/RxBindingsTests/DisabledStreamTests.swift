import RxAction
import RxBindings
import RxHost
import RxJSON
import RxRecords
import RxStreams
import RxTime
import TestSupport
import Testing

@Suite("A stream that is disabled")
struct DisabledStreamTests {
    private static let off = ManualSwitch(by: .host, since: 0, reason: nil)

    @Test("begins its steps when it is enabled first, at that time")
    func startWith() async {
        let fixture = StreamFixture()
        let steps = [
            StepDefinition("startWith", ["startWith": .json(json(#""go""#))]),
            StepDefinition("timestamp", ["timestamp": .boolean(true)]),
        ]
        fixture.streams.apply(
            StreamHost.Plan(
                streams: [.of("subject", "s", steps)], bindings: [.on("s")], conditions: ["s": .pathExists("/a")]))
        #expect(await eventually { fixture.streams.stream("s")?.status.state == .disabled("/a does not exist") })
        #expect(fixture.elements.isEmpty && fixture.work.inputs.isEmpty)
        fixture.advance(by: .seconds(60))
        fixture.opener.set(true, "/a")
        #expect(await eventually { fixture.work.inputs.count == 1 })
        let time = StreamFixture.start.adding(microseconds: 60_000_000)
        let started = json(#"{"time":"\#(TimeText.utc(time))","element":"go"}"#)
        #expect(fixture.work.inputs == [started] && fixture.elements == [started])
        // Once: the steps go on from then on.
        fixture.opener.set(false, "/a")
        #expect(await eventually { fixture.streams.stream("s")?.status.state == .disabled("/a does not exist") })
        fixture.opener.set(true, "/a")
        #expect(await eventually { fixture.opener.count("s") == 2 && fixture.opener["s"]?.isStarted == true })
        #expect(fixture.elements == [started])
        await fixture.stop()
    }

    @Test("holds what its executing steps emit, and fires it once it is enabled", arguments: ["subject", "every"])
    func results(_ kind: String) async {
        let fixture = StreamFixture([("act", .queue(limit: 100)), ("inner", .queue(limit: 100))])
        let step = StepDefinition("concatMap", ["concatMap": .text("inner")])
        await fixture.apply([.of(kind, "s", [step])], [.on("s")])
        let slot = kind == "every" ? StreamFixture.start : nil
        fixture.opener["s"]?.emit([json("1")], at: StreamFixture.start, position: 1, slot: slot)
        #expect(await eventually { fixture.work.inputs == [json("1")] })
        fixture.streams.stream("s")?.set(Self.off)
        #expect(await eventually { fixture.opener["s"]?.isStopped == true })
        fixture.work.end(json("2"))
        #expect(await eventually { fixture.elements == [json("2")] })
        fixture.advance(by: .seconds(60))
        fixture.streams.stream("s")?.set(nil)
        #expect(await eventually { fixture.work.inputs == [json("1"), json("2")] })
        #expect(fixture.firings("s").map(\.time) == [StreamFixture.start.microseconds / 1_000 + 60_000])
        await fixture.stop()
    }

    @Test("holds what it emits at its end, and fires it once it is enabled")
    func end() async {
        let fixture = StreamFixture([("act", .queue(limit: 100)), ("inner", .queue(limit: 100))])
        let steps = [
            StepDefinition("concatMap", ["concatMap": .text("inner")]), StepDefinition("take", ["take": .count(1)]),
        ]
        await fixture.apply([.of("subject", "s", steps)], [.on("s")])
        fixture.opener["s"]?.emit([json("1")], at: StreamFixture.start)
        #expect(await eventually { fixture.work.inputs == [json("1")] })
        fixture.streams.stream("s")?.set(Self.off)
        #expect(await eventually { fixture.opener["s"]?.isStopped == true })
        fixture.work.end(json("2"))
        #expect(await eventually { fixture.streams.stream("s")?.status.state == .ended })
        fixture.advance(by: .seconds(60))
        fixture.streams.stream("s")?.set(nil)
        #expect(await eventually { fixture.work.inputs == [json("1"), json("2")] })
        #expect(fixture.firings("s").map(\.time) == [StreamFixture.start.microseconds / 1_000 + 60_000])
        await fixture.stop()
    }
}
