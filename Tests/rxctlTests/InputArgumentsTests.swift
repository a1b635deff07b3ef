import JSONRPC
import RxJSON
import RxProtocol
import Testing

@testable import rxctl

struct InputArgumentsTests {
    private static let schema: JSONValue = [
        "required": ["from", "unit"],
        "properties": [
            "from": ["type": "integer", "minimum": 1, "maximum": 9], "unit": ["enum": ["s", "ms"]],
            "force": ["type": "boolean"], "at": ["type": "string", "format": "date"],
        ],
    ]

    private func text(_ words: [String], _ faults: [(String, String)], _ schema: JSONValue? = nil) -> String {
        let faults = faults.map { RPCError.Fault(path: $0.0, message: $0.1) }
        return InputArguments(words, ofAction: "count").explaining(.refused(faults), schema: schema).message
    }

    @Test(
        "a value that only is written wrong comes with how to write it",
        arguments: [
            ("n=3", "must be an integer", "; write n:=3"), ("n=3.5", "must be an integer", "; write n:=<integer>"),
            ("n=x", "must be a number", "; write n:=<number>"), ("n=true", "must be a boolean", "; write n:=true"),
            ("n=null", "must be a string or null", "; write n:=null"), ("n=[1]", "must be an array", "; write n:=[1]"),
            ("n={}", "must be an object", "; write n:={}"), ("n=2", "must be one of 1, 2", "; write n:=2"),
            ("n=3", "must be one of 1, 2", ""), ("n:=5", "must be a string", "; write n=5"),
            ("n:={}", "must be a string", ""), ("n:=0", "must be at least 1", ""),
        ])
    func spelling(pair: String, fault: String, advice: String) {
        #expect(text([pair], [("/input/n", fault)]) == "/input/n: \(fault)\(advice)")
    }

    @Test("members that are missing are named with what they take, in the place of a fault for each")
    func missing() {
        let fault = [("/input", "missing required \"from\""), ("/input", "missing required \"unit\"")]
        #expect(
            text([], fault, Self.schema) == "count needs from:=<integer, at least 1, at most 9> unit=<s or ms>")
        #expect(text(["from:=1"], fault, Self.schema) == "count needs unit=<s or ms>")
        #expect(text([#"{"unit":"s"}"#], fault, Self.schema).hasPrefix("count needs from:="))
        #expect(text(["-"], fault, Self.schema) == "/input: missing required \"from\"")
        #expect(text([], [("/input", "must be an object")], nil) == "/input: must be an object")
    }

    @Test("an unknown member is answered with the nearest one")
    func unknown() {
        #expect(
            text(["uint=s"], [("/input/uint", "is not a known property")], Self.schema)
                == "/input/uint: is not a known property; did you mean unit?")
    }

    @Test("a member in a few words")
    func members() {
        let properties = Self.schema["properties"]
        #expect(SchemaText.pair("force", properties?["force"] ?? .null) == "force:=<true or false>")
        #expect(SchemaText.pair("at", properties?["at"] ?? .null) == "at=<string, a date>")
        #expect(SchemaText.pair("any", [:]) == "any:=<JSON>")
        #expect(SchemaText.pair("n", ["enum": [1, 2, 3, 4, 5, 6, 7, 8, 9]]).hasSuffix("7 or 8 or others>"))
    }
}
