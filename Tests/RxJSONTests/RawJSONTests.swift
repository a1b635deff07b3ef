import RxJSON
import Testing

struct RawJSONTests {
    @Test("a valid text is kept as written, without white space around it")
    func validating() throws {
        #expect(try RawJSON(validating: " { \"a\" : 1.0 }\n").text == "{ \"a\" : 1.0 }")
        #expect(try RawJSON(validating: [0x5B, 0x5D]).text == "[]")
        #expect(try RawJSON(validating: "\"x\"".utf8.dropFirst(0)).text == "\"x\"")
    }

    @Test("an invalid text is refused with its error")
    func refused() {
        #expect { try RawJSON(validating: "[1,") } throws: { ($0 as? JSONError)?.kind == .syntax }
        #expect { try RawJSON(validating: [UInt8]()) } throws: { ($0 as? JSONError)?.kind == .empty }
        #expect { try RawJSON(validating: [0x22, 0xFF, 0x22]) } throws: { ($0 as? JSONError)?.kind == .encoding }
        #expect { try RawJSON(validating: "[[1]]", limits: JSONLimits(depth: 1)) } throws: {
            ($0 as? JSONError)?.kind == .depth
        }
        #expect { try RawJSON(validating: "[10]", limits: JSONLimits(bytes: 3)) } throws: {
            ($0 as? JSONError)?.kind == .size
        }
        #expect { try RawJSON(validating: "1e400") } throws: {
            ($0 as? JSONError)?.kind == .number(path: JSONPointer(tokens: []))
        }
    }

    @Test(
        "minifying drops white space outside strings and nothing else",
        arguments: [
            ("{ \"a b\" :\n\t[ 1 , \"\\\" x\\\\\" , \" \" ] }", "{\"a b\":[1,\"\\\" x\\\\\",\" \"]}"), ("1", "1"),
            ("[ ]", "[]"), ("\" \\\\\"", "\" \\\\\""), ("[\"\\\\\" , \"a b\"]", "[\"\\\\\",\"a b\"]"),
        ])
    func minified(text: String, expected: String) throws {
        #expect(try RawJSON(validating: text).minified().text == expected)
    }

    @Test("a value inside is found and copied as written")
    func valueAt() throws {
        let raw = try RawJSON(validating: "{\"a\": [ {\"b\" : 1.0} , 2e0 ], \"a/b\": null}")
        #expect(raw.value(at: try JSONPointer("/a/0"))?.text == "{\"b\" : 1.0}")
        #expect(raw.value(at: try JSONPointer("/a/1"))?.text == "2e0")
        #expect(raw.value(at: try JSONPointer("/a~1b")) == .null)
        #expect(raw.value(at: try JSONPointer("/a/2")) == nil)
        #expect(raw.value(at: try JSONPointer(""))?.text == raw.text)
    }

    @Test("the constants are what their names state")
    func constants() {
        #expect(RawJSON.null.value() == nil)
        #expect(RawJSON.true.value() == true)
        #expect(RawJSON.false.value() == false)
        #expect(RawJSON.emptyObject.value() == [:])
        #expect(RawJSON.emptyArray.value() == [])
    }

    @Test("what was let in is read again, whatever its size; what never was valid is null")
    func unchecked() {
        let long = "\"" + "x" * 2_000_000 + "\""
        #expect(RawJSON(unchecked: Array(long.utf8)).value().string?.utf8.count == 2_000_000)
        #expect(RawJSON(unchecked: Array("[1e400]".utf8)).value()[0]?.number?.text == "1e400")
        #expect(RawJSON(unchecked: Array("[1".utf8)).value() == .null)
        #expect(RawJSON(unchecked: []).value() == .null)
    }
}
