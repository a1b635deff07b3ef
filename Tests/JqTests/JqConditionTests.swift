import RxJSON
import Testing

@testable import Jq

struct JqConditionTests {
    private func holds(_ program: String, _ input: String) throws -> Bool {
        try JqCondition(program).holds(for: RawJSON(validating: input))
    }

    @Test(
        "it holds if any answer is neither false nor null",
        arguments: [
            (".a", #"{"a":1}"#, true), (".a", #"{"a":0}"#, true), (".a", #"{"a":""}"#, true),
            (".a", #"{"a":false}"#, false), (".a", "{}", false), ("empty", "1", false),
            ("false, null, 3", "1", true), (".[] | select(. > 2)", "[1,2]", false),
            ("def f: . + 1; f == 2", "1", true), (". == 1 # a remark", "1", true), ("", "1", true),
            ("  ", "null", false), ("halt", "1", false),
        ] as [(String, String, Bool)])
    func truth(program: String, input: String, expected: Bool) throws {
        #expect(try holds(program, input) == expected)
    }

    @Test(
        "an answer that is true decides, whatever comes after it and however much it is"
    )
    func first() throws {
        let condition = try JqCondition("paths, repeat(1)")
        for _ in 0..<100 {
            #expect(try condition.holds(for: RawJSON(validating: "[[1],{\"a\":[2]}]")))
        }
    }

    @Test("a failure after the answer that decides changes nothing")
    func lateFailure() throws {
        #expect(try holds("1, error(\"late\")", "1"))
        #expect(throws: JqError.failed("early")) { try holds("false, error(\"early\"), 1", "1") }
    }

    @Test("a failure is reported with jq's own message, and the next input starts afresh")
    func failure() throws {
        let condition = try JqCondition(".a.b")
        #expect(throws: JqError.failed(#"Cannot index string with string "b""#)) {
            try condition.holds(for: RawJSON(validating: #"{"a":"x"}"#))
        }
        #expect(try condition.holds(for: RawJSON(validating: #"{"a":{"b":true}}"#)))
        #expect(throws: JqError.failed(#"{"code":7}"#)) { try holds("error({code: 7})", "1") }
        #expect(throws: JqError.failed("bye")) { try holds("halt_error", #""bye""#) }
    }

    @Test(
        "what is no program is refused with the place in the program as it was written",
        arguments: [
            (".a ==", "it ends too early at line 1, column 6: .a =="),
            ("foo(1) | .", "foo/1 is not defined at line 1, column 1: foo(1) | ."),
            (")", #"unexpected ")" at line 1, column 1: )"#),
            (".a |\n .b c", #"unexpected "c" at line 2, column 5:  .b c"#),
            (#""é" | {a: }"#, #"unexpected "}" at line 1, column 11: "é" | {a: }"#),
            (#". == "x"#, #"a string is not closed at line 1, column 6: . == "x"#),
            ("$x", "$x is not defined at line 1, column 1: $x"),
            ("if . then 1", "it ends too early at line 1, column 12: if . then 1"),
            ("import \"a\" as a; .", "module not found: a"), ("a\u{0}b", "a NUL in the program"),
        ])
    func invalid(program: String, message: String) throws {
        do {
            _ = try JqCondition(program)
            Issue.record("compiled: \(program)")
        } catch {
            guard case .invalidProgram = error else { throw error }
            #expect("\(error)" == message)
        }
    }
}
