import Jq
import RxJSON
import RxStreams
import RxTime
import TestSupport
import Testing

@testable import RxJq

/// What a program does with some inputs. Results are written `[1,2]`, failures `! message`.
struct EvaluationCase: CustomTestStringConvertible, Sendable {
    var program: StreamProgram
    var inputs: [ProgramInput]
    var results: [String]

    init(_ text: String, _ use: StreamProgram.Use, _ cases: KeyValuePairs<String, String>) {
        program = StreamProgram(text, use)
        inputs = cases.map { element($0.key) }
        results = cases.map(\.value)
    }

    init(_ text: String, _ use: StreamProgram.Use, on inputs: [ProgramInput], _ results: [String]) {
        program = StreamProgram(text, use)
        self.inputs = inputs
        self.results = results
    }

    var testDescription: String { "\(program.use) \(program.text)" }
}

func element(_ text: String, key: String? = nil, from: String? = nil) -> ProgramInput {
    ProgramInput(
        value: RawJSON(unchecked: Array(text.utf8)), time: Instant(microseconds: 1_700_000_000_250_000),
        key: key.map { RawJSON(unchecked: Array($0.utf8)) }, from: from.map { RawJSON(unchecked: Array($0.utf8)) })
}

/// Results as `EvaluationCase` writes them.
func written(_ results: [ProgramResult]) -> [String] {
    results.map { result in
        switch result {
        case .values(let values): "[" + values.map(\.text).joined(separator: ",") + "]"
        case .failed(let message): "! " + message
        }
    }
}

private func nested(_ depth: Int) -> String {
    String(repeating: "[", count: depth) + "0" + String(repeating: "]", count: depth)
}

private let cases: [EvaluationCase] = [
    // One result.
    EvaluationCase(".a", .one, [#"{"a":1}"#: "[1]", #"{"a":"x"}"#: #"["x"]"#, "{}": "[null]"]),
    EvaluationCase(
        ".[]", .one,
        [
            "[]": "! gave no result; exactly one is needed", "[7]": "[7]",
            "[1,2]": "! gave 2 results; exactly one is needed", "5": "! Cannot iterate over number (5)",
        ]),
    EvaluationCase("repeat(1)", .one, ["1": "! gave more than 1000 results; exactly one is needed"]),
    EvaluationCase("1, error(\"no\")", .one, ["1": "! no"]),
    EvaluationCase("", .one, ["1": "[1]", " {\"a\" : 1 } ": #"[{"a":1}]"#]),
    EvaluationCase("# nothing", .one, ["1": "[1]"]),
    EvaluationCase(". # a comment", .one, ["1": "[1]"]),
    EvaluationCase("error({a: 1})", .one, ["1": #"! {"a":1}"#]),
    EvaluationCase("error(\"a\\nb\")", .one, ["1": "! a b"]),
    EvaluationCase("error(null)", .one, ["1": "! gave no result; exactly one is needed"]),
    EvaluationCase(
        "if . == 1 then halt else . end", .one, ["1": "! gave no result; exactly one is needed", "2": "[2]"]),
    EvaluationCase("if . == 1 then halt_error else . end", .one, ["2": "[2]", "1": "! 1", "3": "[3]"]),
    EvaluationCase("{env: .env}", .one, [#"{"env":3}"#: #"[{"env":3}]"#]),
    // Every kind of input, with and without white space.
    EvaluationCase(
        ".", .one,
        [
            "1": "[1]", "-1.5e3": "[-1500]", "\"a\"": #"["a"]"#, "true": "[true]", "false": "[false]", "null": "[null]",
            "[]": "[[]]", "{}": "[{}]", "1 ": "[1]", "\n[1,\n2]\n": "[[1,2]]", "\"é\\u00e9\"": #"["éé"]"#,
            // jq's numbers are doubles.
            "9007199254740993": "[9007199254740992]",
        ]),
    EvaluationCase(
        ".", .one,
        [
            "[1": "! jq cannot read the input", "2": "[2]", "1 2": "! jq cannot read the input", "3": "[3]",
            "\"a": "! jq cannot read the input", "tru": "! jq cannot read the input", "4": "[4]",
            "]": "! jq cannot read the input",
            "[5][6]": "! jq cannot read the input", "[7]": "[[7]]",
        ]),
    // Many.
    EvaluationCase(".[]", .many, ["[]": "[]", "[1]": "[1]", "[1,[2],\"c\"]": #"[1,[2],"c"]"#]),
    EvaluationCase(
        "range(.)", .many,
        [
            "1000": "[" + (0..<1000).map(String.init).joined(separator: ",") + "]",
            "1001": "! gave more than 1000 results", "1e12": "! gave more than 1000 results", "2": "[0,1]",
        ]),
    EvaluationCase("1, 2, error(\"no\")", .many, ["1": "! no"]),
    EvaluationCase(
        "reduce range(.) as $i (0; [.])", .many,
        ["120": "[" + nested(120) + "]", "121": "! a result is nested too deeply"]),
    EvaluationCase("error(reduce range(.) as $i (0; [.]))", .many, ["200": "! an error nested too deeply"]),
    EvaluationCase(
        "range(.) | \"x\" * 1000000", .many, ["20": "! the results are longer than 16 MiB"]),
    // Conditions.
    EvaluationCase(
        ".a", .condition,
        [
            #"{"a":1}"#: "[true]", #"{"a":null}"#: "[false]", #"{"a":false}"#: "[false]", "{}": "[false]",
            #"{"a":0}"#: "[true]", "1": "! Cannot index number with string \"a\"",
        ]),
    EvaluationCase("false, true", .condition, ["1": "[true]"]),
    EvaluationCase("empty", .condition, ["1": "[false]"]),
    EvaluationCase("true, error(\"no\")", .condition, ["1": "[true]"]),
    EvaluationCase("false, error(\"no\")", .condition, ["1": "! no"]),
    EvaluationCase("repeat(1)", .condition, ["1": "[true]"]),
    EvaluationCase("path(repeat(.a))", .condition, ["{}": "[true]", "null": "[true]"]),
    // The element.
    EvaluationCase("now", .one, ["1": "[1700000000.25]"]),
    EvaluationCase("now > 1700000000", .condition, ["1": "[true]"]),
    EvaluationCase("now | todate", .one, ["1": #"["2023-11-14T22:13:20Z"]"#]),
    EvaluationCase("def f: now; [f, .]", .one, ["7": "[[1700000000.25,7]]"]),
    EvaluationCase(
        "[$key, $from, .]", .one,
        on: [element("1"), element("2", key: "\"k\""), element("3", key: "[4]", from: #"{"a":5}"#)],
        ["[[null,null,1]]", #"[["k",null,2]]"#, #"[[[4],{"a":5},3]]"#]),
    EvaluationCase(
        "$key", .one, on: [element("1", key: "7", from: "x"), element("1", key: "[", from: "8")],
        ["[7]", "! jq cannot read the input"]),
    EvaluationCase(#""\($from.a)""#, .many, on: [element("1", from: #"{"a":5}"#)], [#"["5"]"#]),
    EvaluationCase("now as $key | $key", .one, ["1": "[1700000000.25]"]),
    // Programs that are not valid.
    EvaluationCase(
        "foo", .one,
        [
            "1": "! foo/0 is not defined at <top-level>, line 1: foo",
            "2": "! foo/0 is not defined at <top-level>, line 1: foo",
        ]),
    EvaluationCase("$key |\n$other", .one, ["1": "! $other is not defined at <top-level>, line 2: $other"]),
    EvaluationCase("def f: 1;", .one, ["1": "! modules cannot be imported"]),
    EvaluationCase("1\u{0}", .one, ["1": "! the program contains a NUL"]),
    EvaluationCase(String(repeating: " ", count: 65_537), .one, ["1": "! the program is longer than 65536 bytes"]),
    EvaluationCase(
        "length", .one,
        on: [element("[" + String(repeating: " ", count: 16 << 20) + "]"), element("[]")],
        ["! the input is longer than 16777216 bytes", "[0]"]),
    EvaluationCase("1", .many, on: [], []),
]

@Suite(.ownThreads)
struct ProgramEvaluatorTests {
    // All programs run in the same evaluators, so that they would see what others leave behind.
    private static let local = LocalEvaluator()
    private static let remote = StreamEvaluator(executable: program, limits: .patient)

    @Test("both evaluators have these results, again and again", arguments: cases)
    func results(of one: EvaluationCase) {
        for _ in 0..<2 {
            let local = Self.local.evaluate(one.program, on: one.inputs)
            let remote = Self.remote.evaluateAll(one.program, on: one.inputs)
            #expect(written(local) == one.results)
            #expect(local == remote)
        }
    }

    @Test("thousands of inputs keep their order, in requests of their own")
    func many() {
        let inputs = (0..<5000).map { element(#"{"n":\#($0),"text":"\#(String(repeating: "x", count: $0 % 3000))"}"#) }
        let expected = (0..<5000).map { "[\($0)]" }
        #expect(written(LocalEvaluator().evaluate(StreamProgram(".n", .one), on: inputs)) == expected)
        let evaluator = StreamEvaluator(executable: program, limits: .patient)
        #expect(written(evaluator.evaluateAll(StreamProgram(".n", .one), on: inputs)) == expected)
    }

    @Test("more programs than are kept give their results, also those that were dropped")
    func keeping() {
        let evaluators: [any ProgramEvaluator] = [
            LocalEvaluator(mostPrograms: 3),
            StreamEvaluator(limits: .patient) { () throws(WorkerStartError) in
                try StreamWorker(executable: program, limits: .patient, mostPrograms: 3)
            },
        ]
        for evaluator in evaluators {
            for number in [0, 1, 2, 0, 3, 4, 0, 1, 2, 4] {
                let results = evaluator.evaluate(StreamProgram(". + \(number)", .one), on: [element("1")])
                #expect(written(results) == ["[\(number + 1)]"])
            }
        }
    }
}

@Suite
struct ProgramSlotsTests {
    @Test("the program used longest ago makes room, and only a new one is compiled")
    func oldest() {
        var slots = ProgramSlots(most: 2)
        let (a, b, c) = (StreamProgram("1", .one), StreamProgram("2", .one), StreamProgram("1", .many))
        #expect(slots.use(a).isNew && slots.use(b).isNew && !slots.use(a).isNew)
        let place = slots.use(b).number
        _ = slots.use(a)
        let new = slots.use(c)
        #expect(new.isNew && new.number == place)
        #expect(slots.has(a) && !slots.has(b) && slots.has(c))
    }

    @Test("the texts are bounded together")
    func bytes() {
        var slots = ProgramSlots()
        let long = String(repeating: " ", count: ProgramLimits.programBytes - 3)
        let programs = (100..<200).map { StreamProgram("\($0)" + long, .one) }
        for program in programs { _ = slots.use(program) }
        let kept = programs.filter { slots.has($0) }
        #expect(kept.count == ProgramSlots.mostBytes / ProgramLimits.programBytes)
        #expect(slots.has(programs[99]))
    }
}
