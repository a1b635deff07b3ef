import RxStreams
import Testing

struct PerElementTests {
    @Test("a program that fails drops the element, is reported, and the stream continues")
    func failures() {
        let strict = "if . == 2 then error(\"two\") else . end"
        let uses: [(String, StreamProgram.Use)] = [
            ("map", .many), ("filter", .condition), ("compactMap", .one), ("distinctUntilChanged", .one),
            ("takeWhile", .condition),
        ]
        for (name, use) in uses {
            expect([step(name, program(strict, use))], given: "a 1s b 1s c", emits: "a 1s # 1s c", values: numbers)
        }
        expect(
            [step("skipWhile", program("if . == 2 then error(\"two\") else . < 3 end", .condition))],
            given: "a 1s b 1s c 1s b", emits: "1s # 1s c 1s b", values: numbers)
        expect(
            [
                step(
                    "scan", program("if .element == 2 then error(\"two\") else .state + .element end"),
                    ["initial": .json(number(0))])
            ],
            given: "a 1s b 1s c", emits: "a 1s # 1s d", values: numbers)
    }

    @Test("`map` emits any number of results; a key must be exactly one")
    func results() {
        expect([step("map", program("., . + 1", .many))], given: "a 1s c |", emits: "ab 1s cd|", values: numbers)
        expect([step("map", program("empty", .many))], given: "a|", emits: "|", values: numbers)
        expect([step("compactMap", program("empty"))], given: "a", emits: "#", values: numbers)
        expect([step("distinctUntilChanged", program("., ."))], given: "a", emits: "#", values: numbers)
        expect([step("filter", program("false, true", .condition))], given: "a", emits: "a", values: numbers)
        expect([step("filter", program("empty", .condition))], given: "a", emits: "", values: numbers)
        expect([step("filter", program("null", .condition))], given: "a", emits: "", values: numbers)
        expect([step("filter", program("0", .condition))], given: "a", emits: "a", values: numbers)
    }

    @Test("neither white space nor the order of members makes a value distinct")
    func equality() {
        expect(
            [step("distinctUntilChanged", .on)], given: "abd", emits: "ad",
            values: [
                "a": #"{"x":1,"y":[2]}"#, "b": #"{"y": [2], "x": 1}"#, "d": #"{"x":1}"#,
            ])
    }

    @Test("`now` is the time of the element, also later in the stream")
    func time() {
        expect(
            [step("delay", milliseconds(5_000)), step("map", program("now", .many))], given: "1s x 2s y",
            emits: "6s a 2s b", values: ["a": "946684801", "b": "946684803"])
        expect(
            [step("timestamp", .on)], given: "1s x", emits: "1s a",
            values: ["a": #"{"time":"2000-01-01T00:00:01.000Z","element":"x"}"#])
    }

    @Test("elements that are processed together, or in parts, become what they become one by one")
    func together() {
        let steps = [
            step("map", .program(Programs.twice)), step("filter", .program(Programs.isEven)),
            step("compactMap", .program(Programs.halfOfEven)), step("map", .program(StreamProgram("none", .many))),
        ]
        for count in 1...4 {
            for end in [1, 5, 100] {
                let chain = Array(steps.prefix(count)) + [step("take", .count(end))]
                let inputs = (0..<30).map { Input(time: Int64($0), value: $0 % 7 == 3 ? json("null") : number($0)) }
                let one = Rig(steps: chain)
                let expected = one.outputs(inputs).compactMap(\.value)
                for most in [1, 3, .max] {
                    for isCut in [false, true] {
                        let all = Rig(steps: chain, evaluator: Closures(most: most), isCut: isCut)
                        #expect(all.outputs(together: inputs) == expected)
                        #expect(all.environment.failures == one.environment.failures)
                    }
                }
            }
        }
    }

    @Test("each step counts what it took and what it emitted, and shows that to a tap, once")
    func counters() {
        let chains: [(StepDefinition, Int)] = [
            (step("map", .program(Programs.twice)), 20), (step("filter", .program(Programs.isEven)), 5),
            (step("take", .count(20)), 10), (step("startWith", .json(number(1))), 11),
            (step("merge", .sources([.kind("signal")])), 10), (step("concat", .other), 10),
            (step("takeUntil", .other), 10), (step("skipUntil", .other), 0), (step("elementAt", .count(9)), 1),
            (step("takeWhile", .program(StreamProgram("parity", .many))), 0), (step("delay", milliseconds(0)), 9),
            (step("flatMapFirst", .each(Programs.double, through: [])), 10),
        ]
        for (step, emitted) in chains {
            let running = RunningStream(
                StreamDefinition(name: "s", source: .kind("subject"), steps: [step]), startingAt: Rig.start,
                evaluator: Closures(), environment: TimedExecutions())
            let counters = running.context.counters
            let tapped = Tapped()
            counters["1"]?.tap = { _ in tapped.count += 1 }
            running.begin { _ in tapped.outputs += 1 }
            for number in 0..<10 {
                let element = StreamElement(value: RxStreamsTests.number(number), time: Rig.instant(Int64(number)))
                running.process([element], from: running.context.ports[0])
            }
            let isWhile = step.name == "takeWhile"
            #expect(counters["0"]?.emitted == 10 || isWhile, "\(step.name)")
            #expect(counters["1"]?.taken == (isWhile ? 1 : 10), "\(step.name)")
            #expect(counters["1"]?.emitted == emitted, "\(step.name)")
            #expect(tapped.count == emitted && tapped.outputs == emitted, "\(step.name)")
            running.stop()
        }
    }

    @Test("an empty source ends the stream", arguments: ["map", "filter", "pairwise", "enumerated", "timestamp"])
    func empty(_ name: String) {
        let main: ArgumentValue =
            name == "map" || name == "filter" ? program(".", name == "map" ? .many : .condition) : .on
        expect([step(name, main)], given: "1s |", emits: "1s |")
    }
}

// Unchecked: a test runs on one thread.
private final class Tapped: @unchecked Sendable {
    var count = 0
    var outputs = 0
}
