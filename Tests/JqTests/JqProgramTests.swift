import Glibc
import RxJSON
import Testing

@testable import Jq

struct JqProgramTests {
    private func answers(_ program: String, _ input: String = "null") throws -> [String] {
        try JqProgram(program).answers(to: RawJSON(validating: input)).map(\.text)
    }

    @Test("the answers are JSON, each on one line, in their order")
    func order() throws {
        #expect(
            try answers(".[], {a: 1, b: [\"x\\n\"]}", "[null,true,1.5,\"\\u00e9\"]")
                == ["null", "true", "1.5", "\"é\"", #"{"a":1,"b":["x\n"]}"#])
        #expect(try answers("empty") == [])
        #expect(try answers("1, 2, halt, 3") == ["1", "2"])
        #expect(try answers("nan, infinite") == ["null", "1.7976931348623157e+308"])
    }

    @Test("what is deep or long within the limits of JSON is read, and a NUL in a text is kept")
    func odd() throws {
        let deep = String(repeating: "[", count: 128) + String(repeating: "]", count: 128)
        #expect(try answers(".", deep) == [deep])
        #expect(try answers(".", #""a\u0000b""#) == [#""a\u0000b""#])
        let long = "[" + String(repeating: "1,", count: 200_000) + "1]"
        #expect(try answers("length", long) == ["200001"])
    }

    @Test("an error after answers is an error")
    func lateError() throws {
        #expect(throws: JqError.failed("late")) { try answers("1, error(\"late\")") }
    }

    @Test("answers are bounded in number, bytes and depth, also of a program that would go on for ever")
    func bounds() throws {
        #expect(try answers("range(1000)").count == 1000)
        let program = try JqProgram("repeat(1)")
        for _ in 0..<3 {
            #expect(throws: JqError.tooLarge(what: "answers", limit: 1000)) { try program.answers(to: .null) }
        }
        #expect(throws: JqError.tooLarge(what: "bytes of the answers", limit: 16 << 20)) {
            try answers("range(20) | \"x\" * 1000000")
        }
        #expect(throws: JqError.tooLarge(what: "levels of an answer", limit: Evaluation.depth)) {
            try answers("reduce range(5000) as $i (0; [.])")
        }
        #expect(throws: JqError.tooLarge(what: "bytes of the program", limit: 65_536)) {
            _ = try JqProgram(String(repeating: " ", count: 65_537))
        }
    }

    @Test("each invalid program among many is found, as if it were alone")
    func faults() {
        let invalid = [".a |", "if . then 1", "$nothing", "nothing(1)", "a\0b", String(repeating: " ", count: 65_537)]
        for place in [0, 1, 17, 59] {
            for text in invalid {
                var texts = Array(repeating: ".a", count: 60)
                texts[place] = text
                let fault = #expect(throws: JqError.self) { _ = try JqProgram(text) }
                #expect(JqProgram.faults(in: texts) == [place: fault])
            }
        }
        #expect(Set(JqProgram.faults(in: invalid + [".", "", "empty"]).keys) == Set(invalid.indices))
        #expect(JqProgram.faults(in: []).isEmpty)
    }

    @Test("a program has no further input, no file and no place to print to")
    func surroundings() throws {
        #expect(try answers("[inputs], input_line_number, input_filename") == ["[]", "0", "null"])
        #expect(try answers("debug") == ["null"])
    }

    @Test("evaluations leave no memory behind")
    func memory() throws {
        let program = try JqProgram("([.a[] | {x: ., s: \"v\\(.)\"}] | map(select(.x > 1))), (.b | test(\"z+\"))")
        let failing = try JqCondition(".a.b.c")
        let input = try RawJSON(validating: #"{"a":[1,2,3],"b":"xyz"}"#)
        func evaluate(_ count: Int) throws {
            for _ in 0..<count {
                _ = try program.answers(to: input)
                #expect(throws: JqError.self) { try failing.holds(for: input) }
            }
        }
        try evaluate(2000)
        // Other tests take memory meanwhile, but not in every round; a leak of thirty bytes would show in each.
        var grown: [Int] = []
        for _ in 0..<20 where !grown.contains(where: { $0 < 50 }) {
            let before = residentPages()
            try evaluate(10_000)
            grown.append(residentPages() - before)
        }
        #expect(grown.contains { $0 < 50 }, "\(grown)")
    }

    private func residentPages() -> Int {
        guard let file = fopen("/proc/self/statm", "r") else { return 0 }
        defer { fclose(file) }
        var text = [CChar](repeating: 0, count: 256)
        guard fgets(&text, 256, file) != nil else { return 0 }
        let words = String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self).split(
            separator: " ")
        return words.count > 1 ? Int(words[1]) ?? 0 : 0
    }
}
