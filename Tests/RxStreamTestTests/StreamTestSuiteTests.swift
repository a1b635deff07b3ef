import RxAction
import RxJSON
import RxStreams
import RxTime
import Testing

@testable import RxStreamTest

struct StreamTestSuiteTests {
    private let saves = StreamDefinition(
        name: "saves", source: .kind("path"), steps: [step("debounce", ["debounce": milliseconds(300)])])

    @Test("the first test of the contract: one build for many saves")
    func saved() {
        let test = StreamTestDefinition(
            name: "one-build", target: .stream("saves"), given: ["source": "a 100ms b 1s c"],
            values: ["a": json(#"{"path":"x.md"}"#), "b": json(#"{"path":"y.md"}"#), "c": json(#"{"path":"z.md"}"#)],
            expect: "400ms b 1s c")
        #expect(run(test, TestedConfiguration(streams: [saves])).outcome == .passed)
    }

    @Test("the second test of the contract: the night of the clock change")
    func clockChange() {
        let backup = StreamDefinition(
            name: "backup@1", source: .kind("calendar", .text("*-*-* 03:00"), zone: "Europe/Berlin"))
        let test = StreamTestDefinition(
            name: "night", target: .action("backup"),
            values: [
                "a": json(#"{"input":{"day":"2026-03-29"}}"#), "b": json(#"{"input":{"day":"2026-03-30"}}"#),
            ],
            from: "2026-03-28T12:00", to: "2026-03-30T12:00", zone: "Europe/Berlin",
            mock: [
                "backup": [
                    MockOutcome(.elements([json(#""ok""#)]), takes: 120_000_000),
                    MockOutcome(.error(json(#"{"exit":3}"#))),
                ]
            ],
            expect: "14h a 24h b")
        let configuration = TestedConfiguration(
            streams: [backup],
            bindings: [
                BindingDefinition(
                    target: .action("backup"), stream: "backup@1",
                    input: StreamProgram("{day: .local[0:10]}", .one))
            ])
        let result = run(test, configuration)
        #expect(result.outcome == .passed, "\(result.text)")
    }

    @Test("a failure shows both texts and the first difference, in 80 columns")
    func failure() {
        let test = StreamTestDefinition(
            name: "saves", target: .stream("saves"), given: ["saves": "a 100ms b 1s c"], expect: "400ms b 1s a")
        #expect(
            run(test, TestedConfiguration(streams: [saves])).text == """
                saves: failed
                  expected  400ms b 1s a
                  actual    400ms b 1s c
                                       ^
                  expected a = "a" at 1s400ms (2000-01-01T00:00:01.400Z), got "c" at 1s400ms
                  (2000-01-01T00:00:01.400Z)
                """)
        var long = test
        long.given = ["source": String(repeating: "a 1s ", count: 100)]
        long.expect = String(repeating: "300ms a 700ms ", count: 90)
        let lines = run(long, TestedConfiguration(streams: [saves])).text.split(separator: "\n")
        #expect(lines.allSatisfy { $0.count <= 80 })
        #expect(lines[3].firstIndex(of: "^") != nil)
    }

    @Test("a stream that reads another runs it as well, with its errors and its end")
    func streams() {
        let names = StreamDefinition(
            name: "names", source: .stream("files", channel: .elements),
            steps: [step("map", ["map": .program(StreamProgram(".name", .many))])])
        let files = StreamDefinition(name: "files", source: .kind("subject", .boolean(true)))
        let failures = StreamDefinition(
            name: "failures", source: .stream("names", channel: .errors),
            steps: [step("map", ["map": .program(StreamProgram("[.step, .element]", .many))])])
        let configuration = TestedConfiguration(streams: [failures, names, files])
        let values: [Character: RawJSON] = ["a": json(#"{"name":"n"}"#), "b": json("1"), "n": json(#""n""#)]
        let test = StreamTestDefinition(
            name: "t", target: .stream("names"), given: ["files": "a 1s b 1s a |"], values: values,
            expect: "n 1s # 1s n|")
        #expect(run(test, configuration).outcome == .passed, "\(run(test, configuration).text)")
        let other = StreamTestDefinition(
            name: "t", target: .stream("failures"), given: ["files": "a 1s b 1s a |"],
            values: values.merging(["f": json(#"["1",1]"#)]) { $1 }, expect: "1s f 1s |")
        #expect(run(other, configuration).outcome == .passed, "\(run(other, configuration).text)")
    }

    @Test(
        "the overlap of a mocked action decides what becomes of an input",
        arguments: [
            (Overlap.reject, "started refused:notEnabled refused:notEnabled started"),
            (.queue(limit: 1), "started queued refused:queueFull started"),
            (.concurrent(limit: 2), "started started refused:notEnabled started"),
            (.latest, "started started started started"), (.join, "started joined joined started"),
        ])
    func overlaps(_ overlap: Overlap, _ outcomes: String) {
        let clicks = StreamDefinition(name: "clicks", source: .kind("signal", .text("USR1")))
        let configuration = TestedConfiguration(
            streams: [clicks], bindings: [BindingDefinition(target: .action("work"), stream: "clicks")],
            overlaps: ["work": overlap])
        var values: [Character: RawJSON] = [:]
        for (letter, outcome) in zip("abcd", outcomes.split(separator: " ")) {
            let parts = outcome.split(separator: ":")
            values[letter] = json(
                parts.count == 2 ? #"{"outcome":"refused","refused":"\#(parts[1])"}"# : #"{"outcome":"\#(parts[0])"}"#)
        }
        let test = StreamTestDefinition(
            name: "t", target: .action("work"), given: ["signal:USR1": "a 1s b 1s c 1m d"], values: values,
            mock: ["work": [MockOutcome(.elements([]), takes: 10_000_000)]], expect: "a 1s b 1s c 1m d")
        let result = run(test, configuration)
        #expect(result.outcome == .passed, "\(result.text)")
    }

    @Test("a source that can wait waits while a queue is full, unless its `on` refuses")
    func waiting() {
        func firings(_ whenFull: BindingDefinition.WhenFull) -> StreamTestResult {
            let lines = StreamDefinition(name: "lines", source: .kind("lines"))
            return run(
                StreamTestDefinition(
                    name: "t", target: .action("work"), given: ["source": "abcd"],
                    mock: ["work": [MockOutcome(.elements([]), takes: 1_000_000)]], expect: "ab 1s c 1s d"),
                TestedConfiguration(
                    streams: [lines],
                    bindings: [
                        BindingDefinition(target: .action("work"), stream: "lines", whenFull: whenFull)
                    ], overlaps: ["work": .queue(limit: 1)]))
        }
        #expect(firings(.wait).outcome == .passed, "\(firings(.wait).text)")
        #expect(!firings(.refuse).hasPassed)
    }

    @Test("an executing step gets the outcomes of the mock in order, and its errors")
    func executing() {
        let checks = StreamDefinition(
            name: "checks", source: .kind("subject", .boolean(true)),
            steps: [
                step("concatMap", ["concatMap": .text("check"), "yields": .text("each")]),
                step("retry", ["retry": .count(2), "delay": milliseconds(1_000)]),
            ])
        let test = StreamTestDefinition(
            name: "t", target: .stream("checks"), given: ["source": "x 1m y"],
            values: ["a": json("1"), "b": json("2")],
            mock: [
                "check": [
                    MockOutcome(.error(json(#"{"exit":3}"#)), takes: 2_000_000),
                    MockOutcome(.elements([json("1"), json("2")]), takes: 3_000_000),
                    MockOutcome(.refused("notEnabled")),
                ]
            ], expect: "6s ab 55s #")
        let result = run(test, TestedConfiguration(streams: [checks]))
        #expect(result.outcome == .passed, "\(result.text)")
    }

    @Test("an input that the schema of the action rejects is a failed firing, and an error that is not retried")
    func schema() {
        let work = BindingDefinition(target: .action("work"), stream: "clicks")
        let configuration = TestedConfiguration(
            streams: [
                StreamDefinition(name: "clicks", source: .kind("subject", .boolean(true))),
                StreamDefinition(
                    name: "works", source: .stream("clicks", channel: .elements),
                    steps: [step("flatMap", ["flatMap": .text("work")]), step("retry", ["retry": .count(5)])]),
            ], bindings: [work], inputFault: { _, input in input == json("1") ? "not a name" : nil })
        let outcome = MockOutcome(.elements([json(#""ok""#)]))
        let firings = run(
            StreamTestDefinition(
                name: "t", target: .action("work"), given: ["clicks": "a 1s b"],
                values: [
                    "a": json("1"), "b": json("2"), "c": json(#"{"failed":"not a name","input":1}"#),
                    "d": json(#"{"input":2}"#),
                ],
                mock: ["work": [outcome]], expect: "c 1s d"), configuration)
        #expect(firings.outcome == .passed, "\(firings.text)")
        let elements = run(
            StreamTestDefinition(
                name: "t", target: .stream("works"), given: ["clicks": "a 1s b"],
                values: ["a": json("1"), "b": json("2"), "c": json(#""ok""#)], mock: ["work": [outcome]],
                expect: "# 1s c"), configuration)
        #expect(elements.outcome == .passed, "\(elements.text)")
    }

    @Test("`after` counts from the start, then from the end of each execution")
    func after() {
        let configuration = TestedConfiguration(
            streams: [StreamDefinition(name: "work@1", source: .kind("after", .duration(hour)))],
            bindings: [
                BindingDefinition(target: .action("work"), stream: "work@1", input: StreamProgram("1", .one))
            ])
        let test = StreamTestDefinition(
            name: "t", target: .action("work"), values: ["a": json(#"{"input":1}"#)], to: "2000-01-01T04:00",
            mock: ["work": [MockOutcome(.elements([]), takes: hour / 2)]], expect: "1h a 1h30m a 1h30m a")
        let result = run(test, configuration)
        #expect(result.outcome == .passed, "\(result.text)")
    }

    @Test("a reactor's states are those that its actions make")
    func reactor() {
        let light = TestedReactor(initial: json("0")) { input, state, _ in
            var reaction = TestedReactor.Reaction()
            if case .action(let action) = input {
                reaction.states = [RawJSON(JSONValue((state.value().int ?? 0) + (action.value().int ?? 0)))]
            }
            return reaction
        }
        let level = StreamDefinition(
            name: "level", source: .kind("reactor", .text("light")),
            steps: [step("map", ["map": .program(StreamProgram(". * 10", .many))])])
        let configuration = TestedConfiguration(
            streams: [StreamDefinition(name: "clicks", source: .kind("subject", .boolean(true))), level],
            bindings: [BindingDefinition(target: .reactor("light"), stream: "clicks")],
            reactors: ["light": light])
        let test = StreamTestDefinition(
            name: "t", target: .reactor("light"), given: ["clicks": "a 1s z 1s b"],
            values: ["a": json("1"), "b": json("2"), "z": json("0"), "c": json("3")], expect: "a 2s c")
        #expect(run(test, configuration).outcome == .passed, "\(run(test, configuration).text)")
        let given = StreamTestDefinition(
            name: "t", target: .stream("level"), given: ["reactor:light": "a 1s b"],
            values: ["a": json("1"), "b": json("2"), "c": json("10"), "d": json("20")], expect: "c 1s d")
        #expect(run(given, configuration).outcome == .passed)
    }

    @Test("what cannot be run is a fault of the test, with its reason")
    func faults() {
        func reason(_ change: (inout StreamTestDefinition) -> Void) -> String? {
            var test = StreamTestDefinition(name: "t", target: .stream("saves"), given: [:], expect: "")
            change(&test)
            let ticks = StreamDefinition(name: "ticks", source: .kind("every", .duration(hour)))
            let checks = StreamDefinition(
                name: "checks", source: .kind("subject", .boolean(true)),
                steps: [step("flatMap", ["flatMap": .text("check")])])
            let result = run(test, TestedConfiguration(streams: [saves, ticks, checks]))
            if case .faulty(let fault) = result.outcome { return "\(fault)" } else { return nil }
        }
        #expect(reason { $0.expect = "a-b" }?.contains("expect: \"a-b\", character 2") == true)
        #expect(reason { $0.given = ["source": "1"] }?.contains("given: source") == true)
        #expect(reason { $0.given = ["other": "a"] }?.contains("\"other\"") == true)
        #expect(reason { $0.target = .stream("none") }?.contains("no stream \"none\"") == true)
        #expect(reason { $0.target = .action("none") }?.contains("no stream is bound") == true)
        #expect(reason { $0.target = .stream("ticks") }?.contains("needs `to`") == true)
        #expect(reason { $0.target = .stream("checks") }?.contains("has no mock") == true)
        #expect(reason { $0.zone = "Mars/Base" }?.contains("zone: ") == true)
        #expect(reason { $0.to = "tomorrow" }?.contains("to: ") == true)
    }

    @Test("a year of cron takes less than a second")
    func year() {
        let ticks = StreamDefinition(
            name: "ticks", source: .kind("cron", .text("0 3 * * *"), zone: "Europe/Berlin"),
            steps: [step("map", ["map": .program(StreamProgram(".local[11:16]", .many))])])
        let test = StreamTestDefinition(
            name: "t", target: .stream("ticks"), values: ["a": json(#""03:00""#)], from: "2026-01-01T00:00",
            to: "2027-01-01T00:00", zone: "Europe/Berlin",
            expect: (1...365).map { $0 == 1 ? "3h a" : $0 == 88 ? "23h a" : $0 == 298 ? "25h a" : "1d a" }
                .joined(separator: " "))
        // A busy machine may stop some of them for as long as it likes.
        let durations = (0..<5).map { _ in
            ContinuousClock().measure {
                let result = run(test, TestedConfiguration(streams: [ticks]))
                #expect(result.outcome == .passed, "\(result.text)")
            }
        }
        #expect(durations.contains { $0 < .seconds(1) }, "\(durations)")
    }
}
