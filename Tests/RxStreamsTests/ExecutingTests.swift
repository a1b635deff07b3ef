import RxJSON
import RxStreamTest
import RxStreams
import Testing

struct ExecutingTests {
    private func outcome(_ elements: String..., takes: Int64 = 1_000) -> MockOutcome {
        MockOutcome(.elements(elements.map { json($0) }), takes: takes * 1_000)
    }

    private let failing = MockOutcome(.error(json(#"{"exit":3}"#)), takes: 1_000_000)

    @Test("`yields` decides what is emitted: the last element or null, an array of all, or each")
    func yields() {
        func emits(_ yields: String?, _ outcome: MockOutcome, _ expected: String, _ values: [Character: String]) {
            expect(
                [step("concatMap", .text("work"), yields.map { ["yields": .text($0)] } ?? [:])], given: "x",
                emits: expected, values: values, mock: [outcome])
        }
        emits(nil, outcome("1", "2"), "1s b", numbers)
        emits("last", outcome(), "1s n", ["n": "null"])
        emits("all", outcome("1", "2"), "1s a", ["a": "[1,2]"])
        emits("all", outcome(), "1s a", ["a": "[]"])
        emits("each", outcome("1", "2"), "1s ab", numbers)
        emits("each", outcome(), "", numbers)
    }

    @Test("`input` gives the input, and `$from` is the element that started the execution")
    func from() {
        expect(
            [
                step("concatMap", .text("work"), ["input": program(".n")]),
                step("map", program("[., $from.n]", .many)),
            ], given: "x", emits: "1s y", values: ["x": #"{"n":7}"#, "y": "[1,7]"], mock: [outcome("1")])
        expect(
            [step("concatMap", .text("work"), ["input": program("error(\"none\")")])], given: "x", emits: "#",
            mock: [outcome("1")])
    }

    @Test("each operator has its own way with elements that come while an execution is in flight")
    func flattening() {
        let outcomes = [outcome("1", takes: 2_000), outcome("2", takes: 2_000), outcome("3", takes: 2_000)]
        func emits(_ name: String, _ expected: String, _ more: [String: ArgumentValue] = [:]) {
            expect(
                [step(name, .text("work"), more)], given: "x 1s y 1500ms z |", emits: expected, values: numbers,
                mock: outcomes)
        }
        emits("concatMap", "2s a 2s b 2s c|")
        emits("flatMap", "2s a 1s b 1500ms c|")
        emits("flatMap", "2s a 2s b 2s c|", ["limit": .count(1)])
        emits("flatMapLatest", "4500ms c|")
        emits("flatMapFirst", "2s a 2500ms b|")
    }

    @Test("a failure without `catch` is an error of the stream, which continues")
    func failures() {
        expect(
            [step("concatMap", .text("work"))], given: "x 5s y", emits: "1s # 5s a", values: numbers,
            mock: [failing, outcome("1")])
    }

    @Test("`catch` gets the element and the error, and its results continue downstream")
    func catching() {
        expect(
            [
                step("concatMap", .text("work")),
                step("catch", program("[.element, .error.exit], [$from]", .many)),
            ], given: "x", emits: "1s ab", values: ["a": #"["x",3]"#, "b": "[null]"], mock: [failing])
        expect(
            [step("concatMap", .text("work")), step("catch", program("error(\"again\")", .many))], given: "x",
            emits: "1s #", mock: [failing])
    }

    @Test("`retry` counts all attempts, waits longer each time, and repeats refusals")
    func retrying() {
        expect(
            [step("concatMap", .text("work")), step("retry", .count(3))], given: "x", emits: "6s a", values: numbers,
            mock: [failing, failing, outcome("1")])
        expect(
            [step("concatMap", .text("work")), step("retry", .count(2))], given: "x", emits: "3s #", values: numbers,
            mock: [failing])
        expect(
            [step("concatMap", .text("work")), step("retry", .count(2))], given: "x", emits: "2s a", values: numbers,
            mock: [MockOutcome(.refused("notEnabled")), outcome("1")])
        expect(
            [
                step("concatMap", .text("work")),
                step(
                    "retry", .count(4),
                    ["delay": milliseconds(1_000), "backoff": .count(3), "max": milliseconds(2_000)]),
                step("catch", program("9", .many)),
            ], given: "x", emits: "9s i", values: numbers, mock: [failing])
    }

    @Test("`each` starts an inner stream of a program's results")
    func inner() {
        func each(_ steps: [StepDefinition]) -> ArgumentValue {
            .each(StreamProgram(".[]", .many), through: steps)
        }
        let values = numbers.merging(["x": "[1,2]", "y": "[3]"]) { $1 }
        expect([step("concatMap", each([]))], given: "xy|", emits: "abc|", values: values)
        expect(
            [
                step(
                    "concatMap",
                    each([
                        step("delay", milliseconds(1_000)), step("enumerated", .on),
                        step("map", program(".element + .index", .many)),
                    ]))
            ],
            given: "xy|", emits: "1s ac 1s c|", values: values)
        expect(
            [step("flatMapLatest", each([step("delay", milliseconds(1_000))]))], given: "x 500ms y", emits: "1500ms c",
            values: values)
        expect(
            [step("concatMap", each([step("map", program("[., ($from | length)]", .many))]))], given: "y", emits: "z",
            values: values.merging(["z": "[3,1]"]) { $1 })
    }

    @Test("in an inner stream, a failure drops the rest of the inner stream")
    func innerFailures() {
        func each(_ steps: [StepDefinition]) -> ArgumentValue {
            .each(StreamProgram(".[]", .many), through: steps)
        }
        let strict = step("map", program("if . == 2 then error(\"two\") else . end", .many))
        let values = numbers.merging(["x": "[1,2,3]", "y": "[3]"]) { $1 }
        expect([step("concatMap", each([strict]))], given: "x 1s y", emits: "a# 1s c", values: values)
        expect(
            [step("concatMap", each([strict])), step("retry", .count(3)), step("catch", program("9", .many))],
            given: "x 1s y", emits: "ai 1s c", values: values)
        expect(
            [step("concatMap", .each(StreamProgram("error", .many), through: []))], given: "x", emits: "#",
            values: values)
        // The same through a group, and through an execution.
        let grouped = step("groupBy", program("."), ["through": .steps([strict])])
        expect([step("concatMap", each([grouped]))], given: "x 1s y", emits: "a# 1s c", values: values)
        expect(
            [step("concatMap", each([step("concatMap", .text("work"))]))], given: "x 5s y", emits: "1s d 1s # 4s d",
            values: values, mock: [outcome("4"), failing, outcome("4")])
    }

    @Test("the state of an inner stream ends with it")
    func innerState() {
        let each = ArgumentValue.each(StreamProgram(".[]", .many), through: [step("take", .count(1))])
        expect(
            [step("concatMap", each)], given: "x 1s x", emits: "a 1s a", values: numbers.merging(["x": "[1,2]"]) { $1 })
    }
}
