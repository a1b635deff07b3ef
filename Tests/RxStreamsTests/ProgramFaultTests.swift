import RxStreams
import Testing

@Suite
struct ProgramFaultTests {
    @Test(
        "a program that depends on more than its input is rejected, wherever the name is",
        arguments: [
            ("env", "env"), ("$ENV", "$ENV"), ("$ENV.PATH", "$ENV"), ("$ ENV", "$ENV"), ("{$ENV}", "$ENV"),
            ("env.PATH", "env"), (".a | env", "env"), ("[.a, env]", "env"), ("{a: env}", "env"),
            ("{env: env}", "env"), ("{a: 1, b: env}", "env"), ("{(env): 1}", "env"), ("{a: (1, env)}", "env"),
            ("{a: (if . then 1, env else 2 end)}", "env"), (#""\(env)""#, "env"), (#""a \("b \(env)") c""#, "env"),
            (#""\(1)" + env"#, "env"), (#"@base64 "\(env)""#, "env"), ("1 # a comment\n| env", "env"),
            ("1|env#", "env"),
            (#""a\\" | env"#, "env"), ("try env", "env"), ("def f: env; f", "env"), ("input", "input"),
            ("[inputs]", "inputs"), ("first(inputs)", "inputs"), ("input_filename", "input_filename"),
            ("input_line_number", "input_line_number"), ("now | localtime", "localtime"),
            (#"now|strflocaltime("%H")"#, "strflocaltime"), ("stderr", "stderr"), (#"import "a" as a; 1"#, "import"),
            (#"include "a"; 1"#, "include"), (#""a" | modulemeta"#, "modulemeta"),
            ("get_search_list", "get_search_list"),
            ("1e3,env", "env"), ("-env", "env"), ("..|env", "env"), (".[env]", "env"), (".a[1]?//env", "env"),
        ])
    func rejected(text: String, name: String) {
        #expect(
            StreamProgram.fault(in: text) == #"uses "\#(name)", which is not available in programs of streams"#)
    }

    @Test(
        "a field, a key, a text, a comment, or a longer name is not a use",
        arguments: [
            ".env", ".a.env.input", ".[].env", ".env?", #"."env""#, #".["env"]"#, "{env}", "{env: 1}",
            "{a, env, input}",
            "{a: 1, env: 2}", "{a: [1, 2], env}", #"{"env": 1}"#, #""env""#, #""\"env""#, "1 # env", "# env\n1",
            "environment", "my_env", "$env", ". as $input | $input", ". as {env: $e} | $e", "$__loc__", "@text",
            "inputs_", "env2", "now", "gmtime | mktime", #"strftime("%H")"#, "debug", "halt", "a::env", "",
            #""\(.env) \({env: 1})""#, #"{a: "\(1)", env: 2}"#, "if .a then {env} else .env end", "{a: {b: 1}, env: 3}",
        ])
    func accepted(text: String) {
        #expect(StreamProgram.fault(in: text) == nil)
    }

    @Test(
        "a bracket that would close one around the program is a fault",
        arguments: [("1) | (2", ")"), ("1]", "]"), ("{a: 1}}", "}"), ("(1]", "]"), (#""\(1]""#, "]")])
    func brackets(text: String, bracket: String) {
        #expect(StreamProgram.fault(in: text) == #"syntax error, unexpected "\#(bracket)""#)
    }

    @Test("ten thousand nested strings are read without recursion")
    func nested() {
        let text = String(repeating: #""\("#, count: 10_000) + "env"
        #expect(StreamProgram.fault(in: text)?.hasPrefix(#"uses "env""#) == true)
    }
}

@Suite
struct EvaluatedProgramTests {
    @Test(
        "what a program mentions of the element, and nothing else, is bound",
        arguments: [
            (".a", []), ("now", .time), ("$key", .key), ("$from.x", .from), (#""\($key)""#, .key),
            ("{$key, t: now}", [.key, .time]), ("{now}", []), (".now", []), ("$keys", []), ("# $key", []),
        ] as [(String, EvaluatedProgram.Mentions)])
    func mentions(text: String, mentions: EvaluatedProgram.Mentions) {
        #expect(EvaluatedProgram(StreamProgram(text, .one)).mentions == mentions)
    }
}
