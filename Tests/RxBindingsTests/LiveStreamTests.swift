import RxAction
import RxBindings
import RxHost
import RxJSON
import RxRecords
import RxStreams
import RxTime
import TestSupport
import Testing

@Suite("A stream in a daemon")
struct LiveStreamTests {
    @Test("settles a batch once its elements have taken effect")
    func settles() async {
        let fixture = StreamFixture()
        await fixture.apply([.of("lines", "s")], [.on("s")])
        fixture.opener["s"]?.emit([json("1"), json("2")], at: StreamFixture.start, position: 2)
        #expect(await eventually { fixture.opener["s"]?.settlements == [json("2")] })
        #expect(fixture.firings("s").count == 2)
    }

    @Test("processes what is due at its time")
    func time() async {
        let fixture = StreamFixture()
        let debounce = StepDefinition("debounce", ["debounce": .duration(300_000)])
        await fixture.apply([.of("path", "s", [debounce])], [.on("s")])
        fixture.opener["s"]?.emit([json("1"), json("2")], at: StreamFixture.start)
        #expect(await eventually { fixture.streams.stream("s")?.status.taken == 2 })
        fixture.advance(by: .milliseconds(299))
        #expect(fixture.elements.isEmpty)
        #expect(
            await eventually {
                fixture.advance(by: .milliseconds(1))
                return fixture.elements == [json("2")]
            })
    }

    @Test("passes elements, errors, and firings to the streams that read it")
    func channels() async {
        let fixture = StreamFixture([("act", .reject)])
        let map = StepDefinition("map", ["map": .program(StreamProgram(".a", .many))])
        await fixture.apply(
            [
                .of("path", "s", [map]),
                StreamDefinition(name: "errors", source: .stream("s", channel: .errors)),
                StreamDefinition(name: "firings", source: .stream("s", channel: .firings)),
                StreamDefinition(name: "copies", source: .stream("s", channel: .elements)),
            ], [.on("s")])
        fixture.opener["s"]?.emit([json(#"{"a":1}"#), json("[]")], at: StreamFixture.start)
        #expect(await eventually { fixture.streams.stream("copies")?.status.emitted == 1 })
        #expect(await eventually { fixture.streams.stream("errors")?.status.emitted == 1 })
        #expect(await eventually { fixture.streams.stream("firings")?.status.emitted == 1 })
    }

    @Test("that has ended takes nothing more")
    func ended() async {
        let fixture = StreamFixture()
        await fixture.apply([.of("path", "s", [StepDefinition("take", ["take": .count(1)])])], [.on("s")])
        fixture.opener["s"]?.emit([json("1"), json("2")], at: StreamFixture.start)
        #expect(await eventually { fixture.streams.stream("s")?.status.state == .ended })
        #expect(fixture.elements == [json("1")])
        #expect(await eventually { fixture.opener["s"]?.isStopped == true })
    }
}

@Suite("A reload of streams")
struct StreamReloadTests {
    @Test("leaves those alone that have not changed, and rebuilds those that read a changed one")
    func unchanged() async {
        let fixture = StreamFixture()
        let reader = StreamDefinition(name: "r", source: .stream("s", channel: .elements))
        await fixture.apply([.of("path", "s"), .of("path", "t"), reader])
        let map = StepDefinition("map", ["map": .program(StreamProgram(". + 1", .many))])
        let plan = StreamHost.Plan(streams: [.of("path", "s", [map]), .of("path", "t"), reader])
        let change = fixture.streams.difference(from: plan)
        #expect(
            change.changed == ["r", "s"] && change.unchanged == ["t"] && change.added == [] && change.removed == [])
        await fixture.apply(plan.streams)
        #expect(await eventually { fixture.opener.count("s") == 2 && fixture.opener["s"]?.isStarted == true })
        #expect(fixture.opener.count("t") == 1)
        fixture.opener["s"]?.emit([json("1")], at: StreamFixture.start)
        #expect(await eventually { fixture.streams.stream("r")?.status.emitted == 1 })
        #expect(fixture.elements.contains(json("2")))
    }

    @Test("keeps the values of the steps of a stream with other readers, and drops them with other steps")
    func values() async {
        let fixture = StreamFixture()
        func scan(_ text: String) -> StepDefinition {
            StepDefinition(
                "scan", ["scan": .program(StreamProgram(text, .one)), "initial": .json(json("0"))])
        }
        let sum = scan(".state + .element")
        await fixture.apply([.of("path", "s", [sum], persist: true)])
        fixture.opener["s"]?.emit([json("1"), json("2")], at: StreamFixture.start, position: 7)
        #expect(await eventually { fixture.opener["s"]?.settlements.count == 1 })
        // A binding more.
        await fixture.apply([.of("path", "s", [sum], persist: true)], [.on("s")])
        #expect(await eventually { fixture.opener.count("s") == 2 && fixture.opener["s"]?.isStarted == true })
        #expect(fixture.opener["s"]?.startPosition == json("7"))
        fixture.opener["s"]?.emit([json("3")], at: StreamFixture.start, position: 8)
        #expect(await eventually { fixture.elements.last == json("6") })
        #expect(await eventually { fixture.opener["s"]?.settlements.count == 1 })
        await fixture.apply([.of("path", "s", [scan(".state - .element")], persist: true)], [.on("s")])
        #expect(await eventually { fixture.opener.count("s") == 3 && fixture.opener["s"]?.isStarted == true })
        #expect(fixture.opener["s"]?.startPosition == json("8"))
        fixture.opener["s"]?.emit([json("4")], at: StreamFixture.start, position: 9)
        #expect(await eventually { fixture.elements.last == json("-4") })
    }
}
