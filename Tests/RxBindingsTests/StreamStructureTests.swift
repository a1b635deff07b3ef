import RxAction
import RxBindings
import RxHost
import RxJSON
import RxStreams
import TestSupport
import Testing

@Suite("The structure of a stream")
struct StreamStructureTests {
    private static let merged = StreamDefinition(
        name: "act@1",
        source: .merge([
            .external(ExternalSource("calendar", ["calendar": .text("*-*-* 03:00"), "zone": .text("Europe/Berlin")])),
            .stream("other", channel: .errors),
            .external(
                ExternalSource("action", ["action": .texts(["act", "secret"]), "channel": .texts(["errors"])])),
        ]),
        steps: [
            StepDefinition("debounce", ["debounce": .duration(300_000), "at-most": .duration(5_000_000)]),
            StepDefinition(
                "groupBy",
                [
                    "groupBy": .program(StreamProgram(".a\n  | .b", .one)),
                    "through": .steps([
                        StepDefinition("take", ["take": .count(2)]),
                        StepDefinition("concatMap", ["concatMap": .text("secret"), "yields": .text("all")]),
                    ]),
                ]),
            StepDefinition(
                "withLatestFrom",
                [
                    "withLatestFrom": .source(
                        .external(ExternalSource("reactor", ["reactor": .text("light"), "pointer": .text("/on")])))
                ]),
            StepDefinition("concatMap", ["concatMap": .text("act")]),
            StepDefinition("retry", ["retry": .count(3), "delay": .duration(10_000_000)]),
        ])

    private func graph(_ view: StreamView = StreamView()) async -> JSONObject? {
        let fixture = StreamFixture([("act", .queue(limit: 1)), ("secret", .queue(limit: 1))])
        await fixture.apply([.of("path", "other"), Self.merged], [.on("act@1")])
        let graph = fixture.host.streams["act@1"]?.graph(for: view)
        await fixture.stop()
        return graph
    }

    private func lines(_ list: JSONValue?) -> [String] {
        (list?.array ?? []).map { row in
            (row.object ?? [:]).map { $0.value.string ?? RawJSON($0.value).text }.joined(separator: "|")
        }
    }

    @Test("has each source and each step at its place, with its argument on one line")
    func complete() async throws {
        let graph = try #require(await graph())
        #expect(graph["inline"] == true)
        #expect(
            lines(graph["sources"]) == [
                "0|1|merge||[]",
                "0|1.1|calendar|*-*-* 03:00 Europe/Berlin|[]",
                #"0|1.2|stream|other errors|[{"kind":"stream","name":"other","label":"errors"}]"#,
                #"0|1.3|action|act secret errors|[{"kind":"action","name":"act","label":"errors"},"#
                    + #"{"kind":"action","name":"secret","label":"errors"}]"#,
                #"3|1|reactor|light /on|[{"kind":"reactor","name":"light","label":"/on"}]"#,
            ])
        #expect(
            lines(graph["steps"]) == [
                "1|debounce|300ms, at-most 5s|0|0", "2|groupBy|.a | .b|0|0", "2.1|take|2|0|0",
                "2.2|concatMap|yields all|secret|0|0", "3|withLatestFrom||0|0",
                "4|concatMap||act|0|0", "5|retry|3, delay 10s",
            ])
        #expect(lines(graph["targets"]) == ["action|act|0"])
    }

    @Test("names nothing that the client may not see")
    func redacted() async throws {
        let graph = try #require(await graph(StreamView(showsTexts: false, visible: ["other"])))
        let text = RawJSON(.object(graph)).text
        for hidden in ["secret", "act\"", "light", "Berlin", ".a", "300ms", "/on"] {
            #expect(!text.contains(hidden), "\(hidden) in \(text)")
        }
        #expect(text.contains(#"{"kind":"stream","name":"other","label":"errors"}"#))
        #expect(text.contains("withLatestFrom"))
    }

    @Test("cuts long arguments")
    func long() async throws {
        let fixture = StreamFixture()
        let program = StreamProgram(String(repeating: ".a+", count: 200) + "1", .many)
        await fixture.apply([.of("path", "s", [StepDefinition("map", ["map": .program(program)])])])
        let graph = try #require(fixture.host.streams["s"]?.graph(for: StreamView()))
        let argument = try #require(graph["steps"]?.array?.first?["argument"]?.string)
        #expect(argument.count == 160)
        #expect(argument.hasSuffix("…"))
        await fixture.stop()
    }

    @Test("counts refused firings by their targets")
    func refused() async {
        let fixture = StreamFixture([("act", .reject)])
        await fixture.apply([.of("path", "s")], [.on("s")])
        fixture.opener["s"]?.emit([json("1"), json("2"), json("3")], at: StreamFixture.start)
        #expect(
            await eventually {
                let targets = fixture.host.streams["s"]?.graph(for: StreamView())["targets"]
                return targets?.array?.first?["refused"] == 2
            })
        await fixture.stop()
    }
}
