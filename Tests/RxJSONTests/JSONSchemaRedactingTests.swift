import RxJSON
import Testing

struct JSONSchemaRedactingTests {
    private func redacted(_ schema: String, _ input: String) throws -> String {
        let (schema, input) = (try JSONSchema(RawJSON(validating: schema)), try RawJSON(validating: input))
        let shown = schema.redacting(input)
        let (same, secrets) = schema.separatingSecrets(of: input)
        #expect(same == shown && secrets.sorted() == schema.secretTexts(in: input).sorted())
        return shown.text
    }

    private static let secret = #"{"type":"string","writeOnly":true}"#

    @Test(
        "what is marked writeOnly is replaced, wherever the schema leads to it",
        arguments: [
            (#"{"properties":{"p":S}}"#, #"{"p":"x","q":"y"}"#, #"{"p":"[redacted]","q":"y"}"#),
            (#"{"patternProperties":{"^p":S}}"#, #"{"pw":1,"q":2}"#, #"{"pw":"[redacted]","q":2}"#),
            (#"{"properties":{"q":true},"additionalProperties":S}"#, #"{"pw":1,"q":2}"#, #"{"pw":"[redacted]","q":2}"#),
            (#"{"items":S}"#, #"[1,"a"]"#, #"["[redacted]","[redacted]"]"#),
            (#"{"items":[true,S]}"#, "[1,2,3]", #"[1,"[redacted]",3]"#),
            (#"{"items":[true],"additionalItems":S}"#, "[1,2,3]", #"[1,"[redacted]","[redacted]"]"#),
            (#"{"contains":S}"#, "[1]", #"["[redacted]"]"#),
            (#"{"allOf":[{"properties":{"p":S}}]}"#, #"{"p":"x"}"#, #"{"p":"[redacted]"}"#),
            // Alternatives that do not apply protect as well.
            (#"{"anyOf":[true,{"required":["z"],"properties":{"p":S}}]}"#, #"{"p":"x"}"#, #"{"p":"[redacted]"}"#),
            (#"{"oneOf":[{"type":"null"},{"properties":{"p":S}}]}"#, #"{"p":1}"#, #"{"p":"[redacted]"}"#),
            (#"{"if":{"required":["z"]},"then":{"properties":{"p":S}}}"#, #"{"p":1}"#, #"{"p":"[redacted]"}"#),
            (#"{"if":true,"else":{"properties":{"p":S}}}"#, #"{"p":1}"#, #"{"p":"[redacted]"}"#),
            (#"{"if":{"properties":{"p":S}}}"#, #"{"p":1}"#, #"{"p":"[redacted]"}"#),
            (#"{"not":{"properties":{"p":S}}}"#, #"{"p":1}"#, #"{"p":"[redacted]"}"#),
            (#"{"dependencies":{"z":{"properties":{"p":S}}}}"#, #"{"p":1}"#, #"{"p":"[redacted]"}"#),
            (
                ##"{"definitions":{"s":S},"properties":{"p":{"$ref":"#/definitions/s"}}}"##, #"{"p":1}"#,
                #"{"p":"[redacted]"}"#
            ),
            (
                ##"{"definitions":{"s":{}},"properties":{"p":{"$ref":"#/definitions/s","writeOnly":true}}}"##,
                #"{"p":1}"#, #"{"p":"[redacted]"}"#
            ),
            (
                ##"{"properties":{"p":S,"next":{"$ref":"#"}}}"##, #"{"next":{"next":{"p":1}}}"#,
                #"{"next":{"next":{"p":"[redacted]"}}}"#
            ),
            ("S", #"{"a":1}"#, #""[redacted]""#),
            // A whole object, and one within: it is gone with the whole.
            (
                #"{"properties":{"o":{"writeOnly":true,"properties":{"p":S}}}}"#, #"{"o":{"p":1,"q":2}}"#,
                #"{"o":"[redacted]"}"#
            ),
            (#"{"properties":{"a/b~c":{"items":S}}}"#, #"{"a/b~c":[1]}"#, #"{"a/b~c":["[redacted]"]}"#),
            // A value of the wrong type is a secret too.
            (#"{"properties":{"p":S}}"#, #"{"p":{"x":1}}"#, #"{"p":"[redacted]"}"#),
        ])
    func replaced(schema: String, input: String, expected: String) throws {
        #expect(try redacted(schema.replacing("S", with: Self.secret), input) == expected)
    }

    @Test("everything else stays as it was written: numbers, escapes, order")
    func kept() throws {
        let input = #"{"z":1.50,"a":"\u00e9\/","n":1e2,"p":"x","e":[],"o":{}}"#
        #expect(
            try redacted(#"{"properties":{"p":{"writeOnly":true}}}"#, input)
                == #"{"z":1.50,"a":"\u00e9\/","n":1e2,"p":"[redacted]","e":[],"o":{}}"#)
    }

    @Test("a schema without a mark gives the very same input back; an input without a secret keeps its values")
    func untouched() throws {
        let input = #"{ "a" : [1, 2] }"#
        #expect(try redacted(#"{"properties":{"a":{"writeOnly":false}}}"#, input) == input)
        #expect(try redacted(#"{"properties":{"p":{"writeOnly":true}}}"#, input) == #"{"a":[1,2]}"#)
        let schema = try JSONSchema(RawJSON(validating: #"{"properties":{"a":{"writeOnly":false}}}"#))
        #expect(!schema.hasSecrets)
    }

    @Test("of a repeated key no value escapes")
    func repeated() throws {
        let schema = #"{"properties":{"p":{"writeOnly":true},"o":{"properties":{"p":{"writeOnly":true}}}}}"#
        #expect(try redacted(schema, #"{"p":1,"p":2}"#) == #"{"p":"[redacted]"}"#)
        #expect(try redacted(schema, #"{"o":{"p":"secret"},"o":{},"x":{"p":1}}"#) == #"{"o":{},"x":{"p":1}}"#)
    }

    @Test("where there is too much to look at, nothing is shown")
    func tooMuch() throws {
        let branches = (0..<40).map { _ in #"{"items":{"properties":{"p":{"writeOnly":true}}}}"# }.joined(
            separator: ",")
        let input = "[" + Array(repeating: "{}", count: 50_000).joined(separator: ",") + "]"
        #expect(try redacted(#"{"allOf":[\#(branches)]}"#, input) == #""[redacted]""#)
    }

    @Test("an input with very many secrets, or with long ways to them, counts as one secret")
    func tooMany() throws {
        func list(_ count: Int) -> String { "[" + Array(repeating: "1", count: count).joined(separator: ",") + "]" }
        let many = #"{"items":{"writeOnly":true}}"#
        #expect(try redacted(many, list(20_000)) == #""[redacted]""#)
        #expect(try redacted(many, list(10_000)).hasPrefix(#"["[redacted]","[redacted]","#))
        let long = #"{"additionalProperties":\#(many)}"#
        let key = String(repeating: "k", count: 100_000)
        #expect(try redacted(long, #"{"\#(key)":\#(list(20))}"#) == #""[redacted]""#)
        #expect(try redacted(long, #"{"\#(key)":\#(list(5))}"#).hasSuffix(#","[redacted]"]}"#))
    }
}
