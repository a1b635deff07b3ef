import RxJSON
import Testing

@testable import rxctl

struct InputTests {
    private func read(_ arguments: String..., file: String = "") throws -> String? {
        try Input.read(arguments) { _ in Array(file.utf8) }?.text
    }

    private func refusal(_ arguments: String..., file: String = "") -> String? {
        do {
            _ = try Input.read(arguments) { _ in Array(file.utf8) }
            return nil
        } catch {
            guard error.outcome == .inputRefused, case .text(let text) = error.message else { return nil }
            return text
        }
    }

    @Test("no argument is no input")
    func none() throws {
        #expect(try read() == nil)
    }

    @Test(
        "inline JSON is taken as written, without white space",
        arguments: [
            (#"{"a":1}"#, #"{"a":1}"#), (#" { "a b" : [ 1.0 , 2e3 ] } "#, #"{"a b":[1.0,2e3]}"#),
            (#""a=b""#, #""a=b""#), (#"{"a":"x=y"}"#, #"{"a":"x=y"}"#), (#"["k=v"]"#, #"["k=v"]"#), ("12", "12"),
            ("-1.50", "-1.50"), ("true", "true"), ("null", "null"), ("1e400", nil),
        ] as [(String, String?)])
    func inline(text: String, value: String?) throws {
        #expect((try? read(text)) == value)
    }

    @Test("pairs make one object: = for strings, := for JSON")
    func pairs() throws {
        #expect(try read("env=prod", "n:=3", "list:=[1, 2]") == #"{"env":"prod","n":3,"list":[1,2]}"#)
        #expect(try read("empty=") == #"{"empty":""}"#)
        #expect(try read("url=http://x/?a=b") == #"{"url":"http://x/?a=b"}"#)
        #expect(try read("a.b=1") == #"{"a.b":"1"}"#)
        #expect(try read("größe=\"7\"") == #"{"größe":"\"7\""}"#)
        #expect(try read("true=1") == #"{"true":"1"}"#)
    }

    @Test("- and @file are read, and may have many lines")
    func files() throws {
        #expect(try read("-", file: "{\n  \"a\": 1\n}\n") == #"{"a":1}"#)
        var name: String?
        let value = try Input.read(["@some/file.json"]) {
            name = $0
            return Array("[1]".utf8)
        }
        #expect(name == "some/file.json")
        #expect(value?.text == "[1]")
    }

    @Test("invalid JSON is refused with its place")
    func places() {
        #expect(refusal(#"{"a":}"#)?.hasSuffix("at line 1, column 6") == true)
        #expect(refusal("-", file: "{\n  \"a\": 1,\n  \"b\": x\n}")?.hasSuffix("at line 3, column 8") == true)
        #expect(refusal("-", file: "")?.contains("stdin is not valid JSON") == true)
        #expect(refusal("n:=three")?.contains("n is not valid JSON") == true)
    }

    @Test("text that is neither pairs nor JSON is refused with what it may stand for")
    func text() throws {
        #expect(refusal("prod!") == #"prod! is not JSON; write '"prod!"' for a string"#)
        #expect(refusal("https://x/a'b") == #"https://x/a'b is not JSON; write '"https://x/a'\''b"' for a string"#)
        #expect(refusal("env:a") == "env:a is not a key=value or key:=json pair; write env=a, or env:=<json>")
        #expect(refusal("n:3") == "n:3 is not a key=value or key:=json pair; write n:=3, or n=3 for a string")
        #expect(refusal("a=1", "n:3") == refusal("n:3"))
        #expect(try read(" true ") == "true")
        #expect(refusal("two\nlines")?.contains("not valid JSON") == true)
        #expect(refusal(String(repeating: "! ", count: 41))?.contains("not valid JSON") == true)
    }

    @Test("pairs do not mix with other forms, and a key comes once")
    func mixtures() {
        #expect(refusal("a=1", "{}") == "{} is not a key=value or key:=json pair; give only pairs, or one JSON text")
        #expect(refusal("{}", "{}") == "{} is not a key=value or key:=json pair; give only pairs, or one JSON text")
        #expect(refusal("a=1", "a=2") == "a is given twice")
        #expect(refusal("=1") == #"=1 is not JSON; write '"=1"' for a string"#)
    }

    @Test("a file that cannot be read, or is longer than any request, is refused by name")
    func unreadable() {
        let missing = #expect(throws: Ending.self) { try Input.contents("/nonexistent/input.json") }
        #expect(missing?.outcome == .inputRefused)
        guard case .text(let text)? = missing?.message else { return #expect(Bool(false)) }
        #expect(text == "cannot read /nonexistent/input.json: No such file or directory (ENOENT)")
        let endless = #expect(throws: Ending.self) { try Input.contents("/dev/zero") }
        #expect(endless?.outcome == .inputRefused)
    }
}
