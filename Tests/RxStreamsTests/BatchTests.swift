import RxJSON
import RxStreams
import Testing

struct BatchTests {
    @Test("`buffer` emits the elements of each period; empty ones are not emitted")
    func buffer() {
        let arrays: [Character: String] = ["a": #"["x","y"]"#, "b": #"["z"]"#, "c": #"["x"]"#, "d": #"["y","z"]"#]
        expect([step("buffer", milliseconds(1_000))], given: "xy 3200ms z", emits: "1s a 3s b", values: arrays)
        expect(
            [step("buffer", .on, ["count": .count(2)])], given: "x 1s y 1s z 1s |", emits: "1s a 2s b|", values: arrays)
        expect(
            [step("buffer", milliseconds(1_000), ["count": .count(2)])], given: "500ms xy 900ms z",
            emits: "500ms a 1s b", values: arrays)
    }

    @Test("`window` reduces each batch from the initial state; a failing program drops its element")
    func window() {
        let sum: [String: ArgumentValue] = ["reduce": program(".state + .element"), "initial": .json(number(0))]
        expect([step("window", milliseconds(1_000), sum)], given: "ab 1s c |", emits: "1s c c|", values: numbers)
        var strict = sum
        strict["reduce"] = program("if .element == 2 then error(\"two\") else .state + .element end")
        expect([step("window", milliseconds(1_000), strict)], given: "abc", emits: "# 1s d", values: numbers)
    }

    @Test("`recent` emits the elements of the last while, the new one last")
    func recent() {
        let arrays: [Character: String] = [
            "a": "[1]", "b": "[1,2]", "c": "[2,3]", "d": "[3,4]", "e": "[4]",
        ]
        let given = "x 500ms y 500ms z 100ms w 2s w"
        let values: [Character: String] = ["x": "1", "y": "2", "z": "3", "w": "4"].merging(arrays) { $1 }
        expect(
            [step("recent", milliseconds(1_000), ["count": .count(2)])], given: given,
            emits: "a 500ms b 500ms c 100ms d 2s e", values: values)
        // After a delay, what is recent is what has come lately.
        expect(
            [step("delay", milliseconds(5_000)), step("recent", milliseconds(1_000))], given: "x 500ms y",
            emits: "5s a 500ms b", values: values)
    }

    @Test("`recent` with `at-least` emits only while that many elements are recent")
    func recentAtLeast() {
        let values: [Character: String] = ["x": "1", "y": "2", "z": "3", "a": "[1,2]", "b": "[2,3]"]
        expect(
            [step("recent", milliseconds(1_000), ["at-least": .count(2)])], given: "x 900ms y 900ms z 1s x",
            emits: "900ms a 900ms b", values: values)
    }

    @Test("each group has steps of its own, with `$key`; the elements continue downstream")
    func groups() {
        let values: [Character: String] = [
            "a": #"{"k":"a","n":1}"#, "b": #"{"k":"b","n":2}"#, "x": #"["a",0]"#, "y": #"["b",0]"#, "z": #"["a",1]"#,
        ]
        expect(
            [
                step(
                    "groupBy", program(".k"),
                    ["through": .steps([step("enumerated", .on), step("map", program("[$key, .index]", .many))])])
            ], given: "a 1s b 1s a |", emits: "x 1s y 1s z|", values: values)
        expect(
            [
                step("groupBy", program(".k"), ["through": .steps([step("debounce", milliseconds(1_000))])]),
                step("map", program("$key", .many)),
            ], given: "a 500ms b |", emits: "500ms cd|",
            values: values.merging(["c": #""a""#, "d": #""b""#]) { $1 })
    }

    @Test("a group that ended itself does not keep the stream from ending, and begins anew after it was idle")
    func endedGroups() {
        let steps = [
            step(
                "groupBy", program("."), ["idle": milliseconds(10_000), "through": .steps([step("take", .count(1))])])
        ]
        expect(steps, given: "aab 1s a 20s a |", emits: "ab 21s a|", values: numbers)
    }

    @Test("a group is not idle while an element waits in it")
    func busyGroups() {
        let steps = [
            step(
                "groupBy", program("."),
                ["idle": milliseconds(1_000), "through": .steps([step("delay", milliseconds(5_000))])])
        ]
        expect(steps, given: "a", emits: "5s a", values: numbers)
    }

    @Test("a key that cannot be computed drops the element")
    func keys() {
        expect(
            [step("groupBy", program("error(\"none\")"), ["through": .steps([])])], given: "a 1s |", emits: "# 1s |",
            values: numbers)
    }

    @Test("of more groups than fit, the one that has been idle longest ends")
    func manyGroups() {
        let rig = Rig(
            steps: [
                step(
                    "groupBy", .program(StreamProgram("itself", .one)),
                    ["through": .steps([step("debounce", milliseconds(100_000))])])
            ], evaluator: Itself())
        let inputs = (0...StreamLimits.groups).map { Input(time: Int64($0), value: number($0)) }
        // The first group ends when one too many begins: it emits what it has.
        #expect(rig.outputs(inputs, until: 20_000).map(\.value) == [number(0)])
    }
}

private final class Itself: ProgramEvaluator {
    func evaluate(_ program: StreamProgram, on inputs: [ProgramInput]) -> [ProgramResult] {
        inputs.map { .values([$0.value]) }
    }
}
