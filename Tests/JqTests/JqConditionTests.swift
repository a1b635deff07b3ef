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
        "an answer that says yes decides, whatever comes after it and however much it is"
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

    @Test("a failure is told with jq's own message, and the next input starts afresh")
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
        "what is no program is refused with jq's own message, about the program as it was written",
        arguments: [
            (".a ==", "syntax error, unexpected $end"), ("foo(1) | .", "foo/1 is not defined"), (")", "syntax error"),
            ("\"", "syntax error"), ("$x", "$x is not defined"), ("import \"a\" as a; .", "module not found"),
            ("a\u{0}b", "a NUL"),
        ])
    func invalid(program: String, part: String) throws {
        do {
            _ = try JqCondition(program)
            Issue.record("compiled: \(program)")
        } catch {
            guard case .invalidProgram(let message) = error else { throw error }
            #expect(message.contains(part), "\(message)")
            #expect(!message.contains("first(") && !message.contains("\n"))
        }
    }
}
