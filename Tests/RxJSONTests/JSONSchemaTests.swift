import RxJSON
import TestSupport
import Testing

/// What a schema states of inputs and of itself; which inputs a keyword lets in is JSONSchemaKeywordTests' matter.
struct JSONSchemaTests {
    private func schema(_ text: String) throws -> JSONSchema {
        try JSONSchema(RawJSON(validating: text))
    }

    /// `path: message` of each violation.
    private func violations(_ schema: String, _ input: String) throws -> [String] {
        try self.schema(schema).violations(of: RawJSON(validating: input)).map { "\($0.path): \($0.message)" }
    }

    private func faults(_ text: String) -> [String] {
        do {
            _ = try schema(text)
            return []
        } catch {
            return (error as? JSONSchemaError)?.violations.map { "\($0.path): \($0.message)" } ?? ["\(error)"]
        }
    }

    // MARK: Violations

    @Test("every violation is reported once, by the pointer of what is wrong, in the order of the pointers")
    func everyViolation() throws {
        let deploy = """
            {"type": "object", "required": ["name", "version"], "additionalProperties": false, "properties": {
              "env": {"enum": ["prod", "staging"]}, "port": {"type": "integer"}, "a/b~c": {"minimum": 1},
              "list": {"items": {"type": "object", "properties": {"id": {"type": "string"}}}},
              "version": {"pattern": "^v"}}}
            """
        #expect(
            try violations(
                deploy, #"{"port":"x","env":"dev","a/b~c":0,"list":[{},{},{"id":1},1,1,1,1,1,1,1,{"id":2}],"x/y":1}"#)
                == [
                    #": missing required "name""#, #": missing required "version""#, "/a~1b~0c: must be at least 1",
                    #"/env: must be one of "prod", "staging""#, "/list/2/id: must be a string",
                    "/list/3: must be an object", "/list/4: must be an object",
                    "/list/5: must be an object", "/list/6: must be an object",
                    "/list/7: must be an object", "/list/8: must be an object",
                    "/list/9: must be an object", "/list/10/id: must be a string",
                    "/port: must be an integer", "/x~1y: is not a known property",
                ])
        #expect(try violations(deploy, #"{"name":1,"version":"v1"}"#) == ["/name: is not a known property"])
        #expect(try violations(deploy, "[]") == [": must be an object"])
        #expect(
            try violations(#"{"allOf":[{"type":"string"},{"type":"string"}]}"#, "1") == [": must be a string"])
    }

    @Test(
        "each keyword has its words",
        arguments: [
            (#"{"type":["integer","null"]}"#, #""x""#, "must be an integer or null"),
            (#"{"const":{"a":"é"}}"#, "1", #"must be {"a":"é"}"#),
            (#"{"exclusiveMinimum":0}"#, "0", "must be more than 0"),
            (#"{"maximum":1.5}"#, "2", "must be at most 1.5"),
            (#"{"exclusiveMaximum":-1}"#, "0", "must be less than -1"),
            (#"{"multipleOf":0.01}"#, "0.005", "must be a multiple of 0.01"),
            (#"{"minLength":1}"#, #""""#, "must have at least 1 character"),
            (#"{"maxLength":2}"#, #""abc""#, "must have at most 2 characters"),
            (#"{"pattern":"^a"}"#, #""b""#, "must match the pattern ^a"),
            (#"{"format":"ipv4"}"#, #""b""#, "must be an IPv4 address"),
            (#"{"minItems":2}"#, "[]", "must have at least 2 elements"),
            (#"{"maxItems":0}"#, "[1]", "must have at most 0 elements"),
            (#"{"items":[true],"additionalItems":false}"#, "[1,2]", "must have at most 1 element"),
            (#"{"uniqueItems":true}"#, "[3,1,2,1.0]", "must not repeat an element, as it does at 1 and 3"),
            (#"{"contains":{"const":1}}"#, "[]", #"must contain an element that matches "contains""#),
            (#"{"minProperties":1}"#, "{}", "must have at least 1 property"),
            (#"{"maxProperties":1}"#, #"{"a":1,"b":2}"#, "must have at most 1 property"),
            (#"{"dependencies":{"a":["b"]}}"#, #"{"a":1}"#, #"missing "b", required beside "a""#),
            (#"{"not":{}}"#, "1", #"must not match the schema in "not""#),
            (
                #"{"oneOf":[true,false,true]}"#, "1",
                #"matches alternatives 0 and 2 of "oneOf", which exclude each other"#
            ),
            ("false", "1", "is not allowed"),
        ])
    func words(schema: String, input: String, message: String) throws {
        #expect(try violations(schema, input) == [": " + message])
    }

    @Test("a name that is not allowed is reported by its property")
    func names() throws {
        #expect(
            try violations(#"{"propertyNames":{"maxLength":2}}"#, #"{"abc":1,"ab":1}"#)
                == ["/abc: as a name must have at most 2 characters"])
    }

    @Test("of alternatives, one is reported: the types, what is wrong with the one that is meant, or that none fits")
    func alternatives() throws {
        let either = #"{"anyOf":[{"type":"string"},{"type":"array","items":{"type":"string"}}]}"#
        #expect(try violations(either, "1") == [": must be a string or an array"])
        #expect(try violations(either, #"["a",1]"#) == ["/1: must be a string"])
        let tagged = """
            {"oneOf": [
              {"properties": {"kind": {"const": "a"}, "x": {"type": "integer"}}, "required": ["kind", "x"]},
              {"properties": {"kind": {"const": "b"}, "y": {"type": "integer"}}, "required": ["kind", "y"]}]}
            """
        #expect(try violations(tagged, #"{"kind":"a","x":"1","y":2}"#) == ["/x: must be an integer"])
        #expect(try violations(tagged, #"{"kind":"b"}"#) == [#": missing required "y""#])
        #expect(try violations(tagged, #"{"kind":"c"}"#) == [": matches none of the 2 alternatives"])
        // Alternatives within an alternative.
        #expect(
            try violations(#"{"anyOf":[{"anyOf":[{"type":"string"},{"type":"null"}]},{"type":"boolean"}]}"#, "1")
                == [": must be a string or a boolean or null"])
    }

    @Test("conditions report what the branch that applies asks for")
    func conditions() throws {
        let schema = #"{"if":{"required":["a"]},"then":{"required":["b"]},"else":{"properties":{"c":{"type":"null"}}}}"#
        #expect(try violations(schema, #"{"a":1}"#) == [#": missing required "b""#])
        #expect(try violations(schema, #"{"c":1}"#) == ["/c: must be null"])
    }

    @Test("at most 100 violations are reported, and one more only if there are others")
    func limit() throws {
        func count(_ wrong: Int) throws -> [String] {
            let input = "[" + Array(repeating: "0", count: wrong).joined(separator: ",") + "]"
            return try violations(#"{"items":{"type":"string"}}"#, input)
        }
        #expect(JSONSchema.violationLimit == 100)
        #expect(try count(100).count == 100)
        #expect(try count(100).last == "/99: must be a string")
        #expect(try count(101).count == 101)
        #expect(try count(101).last == ": has more than these 100 violations")
    }

    @Test("long values of a schema are cut in messages, between characters")
    func longValues() throws {
        let long = String(repeating: "é", count: 500)
        let message = try #require(try violations(#"{"const":"\#(long)"}"#, "1").first)
        #expect(message.utf8.count < 250)
        #expect(message.hasSuffix("é…"))
        let many = (0..<1000).map { "\"value\($0)\"" }.joined(separator: ",")
        let enumeration = try #require(try violations(#"{"enum":[\#(many)]}"#, "1").first)
        #expect(enumeration.hasPrefix(#": must be one of "value0", "value1", "#))
        #expect(enumeration.hasSuffix(", …"))
        #expect(enumeration.utf8.count < 250)
    }

    // MARK: Faults of a schema

    @Test(
        "a schema that would not mean what it states is refused, with the place",
        arguments: [
            (
                #"{"type":"strng"}"#,
                #"/type: must be one of "array", "boolean", "integer", "null", "number", "object", "string""#
            ),
            (
                #"{"type":["string","foo"]}"#,
                #"/type/1: must be one of "array", "boolean", "integer", "null", "number", "object", "string""#
            ),
            (#"{"type":[]}"#, "/type: must have at least 1 element"),
            (#"{"required":"x"}"#, "/required: must be an array"),
            (#"{"required":[1]}"#, "/required/0: must be a string"),
            (#"{"minimum":"3"}"#, "/minimum: must be a number"),
            (#"{"exclusiveMinimum":true}"#, "/exclusiveMinimum: must be a number"),
            (#"{"multipleOf":0}"#, "/multipleOf: must be more than 0"),
            (#"{"minLength":-1}"#, "/minLength: must be at least 0"),
            (#"{"maxItems":1.5}"#, "/maxItems: must be an integer"),
            (#"{"enum":1}"#, "/enum: must be an array"),
            (#"{"allOf":[]}"#, "/allOf: must have at least 1 element"),
            (
                #"{"properties":{"a/b":{"type":1}}}"#,
                #"/properties/a~1b/type: must be one of "array", "boolean", "integer", "null", "number", "object", "#
                    + #""string""#
            ),
            (#"{"properties":{"a":[]}}"#, "/properties/a: must be a boolean or an object"),
            (#"{"items":[]}"#, "/items: must have at least 1 element"),
            (#"{"items":[1]}"#, "/items/0: must be a boolean or an object"),
            (#"{"dependencies":{"a":"b"}}"#, "/dependencies/a: must be a boolean or an object"),
            (#"{"writeOnly":"yes"}"#, "/writeOnly: must be a boolean"),
            (#"{"definitions":{"unused":{"minimum":"1"}}}"#, "/definitions/unused/minimum: must be a number"),
            (#"{"pattern":"("}"#, "/pattern: is not a pattern that can be matched in linear time: missing ): ("),
            (
                #"{"pattern":"(?=a)"}"#,
                "/pattern: is not a pattern that can be matched in linear time: invalid perl operator: (?="
            ),
            (
                #"{"pattern":"(a)\\1"}"#,
                #"/pattern: is not a pattern that can be matched in linear time: invalid escape sequence: \1"#
            ),
            (
                #"{"pattern":"\\Aa"}"#,
                #"/pattern: is not a pattern that can be matched in linear time: invalid escape sequence: \A"#
            ),
            (
                #"{"patternProperties":{"[":{}}}"#,
                "/patternProperties/[: is not a pattern that can be matched in linear time: missing ]: ["
            ),
            (
                #"{"definitions":{"unused":{"pattern":"("}}}"#,
                "/definitions/unused/pattern: is not a pattern that can be matched in linear time: missing ): ("
            ),
            ("[]", ": must be a boolean or an object"),
            (
                #"{"$schema":"https://json-schema.org/draft/2020-12/schema"}"#,
                #"/$schema: must be "http://json-schema.org/draft-07/schema#""#
            ),
            (#"{"items":{"prefixItems":[]}}"#, "/items/prefixItems: is a keyword of a later draft; this is draft 7"),
        ])
    func refused(text: String, fault: String) {
        #expect(faults(text) == [fault])
    }

    @Test(
        "a reference that leads to no schema is a fault",
        arguments: [
            (##"{"$ref":"#/definitions/no"}"##, ##"/$ref: refers to "#/definitions/no", which does not exist"##),
            (##"{"$ref":"#no"}"##, ##"/$ref: refers to "#no", which does not exist"##),
            (
                ##"{"items":{"$ref":"#/items/1"},"enum":[1]}"##,
                ##"/items/$ref: refers to "#/items/1", which does not exist"##
            ),
            (
                #"{"$ref":"http://127.0.0.1:1/x"}"#,
                #"/$ref: refers to "http://127.0.0.1:1/x", outside of this schema; nothing is fetched"#
            ),
            (
                ##"{"$ref":"other.json#/a"}"##,
                ##"/$ref: refers to "other.json#/a", outside of this schema; nothing is fetched"##
            ),
            (
                #"{"$ref":"file:///etc/passwd"}"#,
                #"/$ref: refers to "file:///etc/passwd", outside of this schema; nothing is fetched"#
            ),
            (##"{"$ref":"#"}"##, "/$ref: leads in a circle"),
            (
                ##"{"definitions":{"a":{"$ref":"#/definitions/b"},"b":{"$ref":"#/definitions/a"}},"##
                    + ##""items":{"$ref":"#/definitions/a"}}"##,
                "/definitions/a/$ref: leads in a circle"
            ),
            (##"{"allOf":[{"$ref":"#"}]}"##, ": applies itself to the same value, which never ends"),
            (
                ##"{"definitions":{"a":{"not":{"$ref":"#/definitions/b"}},"b":{"if":{"$ref":"#/definitions/a"}}},"##
                    + ##""items":{"$ref":"#/definitions/a"}}"##,
                "/definitions/a: applies itself to the same value, which never ends"
            ),
            (
                ##"{"x":{"type":1},"$ref":"#/x"}"##,
                #"/x/type: must be one of "array", "boolean", "integer", "null", "number", "object", "string""#
            ),
        ])
    func references(text: String, fault: String) {
        #expect(faults(text).contains(fault))
    }

    @Test("an error names every fault")
    func allFaults() {
        #expect(throws: JSONSchemaError.self) { try schema(#"{"type":"strng","minimum":"3"}"#) }
        do {
            _ = try schema(#"{"minLength":"1","minimum":"3"}"#)
        } catch {
            #expect("\(error)" == "/minLength: must be an integer; /minimum: must be a number")
        }
    }

    // MARK: Hostile input

    @Test("an input of the greatest depth is followed to its end")
    func depth() throws {
        let text = String(repeating: #"{"a":"#, count: 127) + "[]" + String(repeating: "}", count: 127)
        let schema = ##"{"properties":{"a":{"anyOf":[{"$ref":"#"},{"type":"null"}]}},"type":"object"}"##
        #expect(
            try violations(schema, text).map { $0.count }
                == [String(repeating: "/a", count: 127).count + ": must be an object or null".count])
    }

    @Test("alternatives that would multiply without end are given up on", .ownThreads(limit: .seconds(60)))
    func exponential() throws {
        let text = String(repeating: #"{"a":"#, count: 127) + "1" + String(repeating: "}", count: 127)
        let schema = """
            {"anyOf": [{"allOf": [{"properties": {"a": {"$ref": "#"}}}, {"required": ["b"]}]},
              {"allOf": [{"properties": {"a": {"$ref": "#"}}}, {"required": ["c"]}]}]}
            """
        #expect(try violations(schema, text) == [": takes too much work to check"])
        #expect(
            try violations(#"{"not":\#(schema)}"#.replacing(##""#""##, with: ##""#/not""##), text) == [
                ": takes too much work to check"
            ])
    }

    @Test("patterns that backtracking engines choke on are matched in linear time", .ownThreads(limit: .seconds(60)))
    func patterns() throws {
        let long = String(repeating: "a", count: 500_000)
        for pattern in ["^(a+)+$", "^(a|a)*$", "^(.*a){10}b$"] {
            #expect(try violations(#"{"pattern":"\#(pattern)"}"#, #""\#(long)!""#).count == 1)
        }
        #expect(try violations(#"{"propertyNames":{"pattern":"^(a+)+$"}}"#, #"{"\#(long)!":1}"#).count == 1)
    }

    @Test("a schema may be a long chain; one that nests more for one value than the stack allows is given up on")
    func chains() throws {
        func chain(_ count: Int) -> String {
            let links = (0..<count).map { ##""d\##($0)":{"allOf":[{"$ref":"#/definitions/d\##($0 + 1)"}]}"## }
            return
                ##"{"definitions":{\##(links.joined(separator: ",")),"d\##(count)":{"type":"null"}},"##
                + ##""items":{"$ref":"#/definitions/d0"}}"##
        }
        #expect(try violations(chain(500), "[1]") == ["/0: must be null"])
        #expect(try violations(chain(500), "[null]") == [])
        #expect(try violations(chain(2000), "[null]") == [": takes too much work to check"])
        #expect(faults(chain(20_000)).contains { $0.hasSuffix("a schema has at most 10000 parts") })
    }

    @Test("texts that are no JSON after all are refused, not followed")
    func notJSON() throws {
        let schema = try schema(#"{"type":"object"}"#)
        for text in ["", "{", "nul", "\"\\ud800\"", "[1,]", "1e999"] {
            #expect(!schema.violations(of: RawJSON(unchecked: Array(text.utf8))).isEmpty)
            #expect(throws: JSONSchemaError.self) { try JSONSchema(RawJSON(unchecked: Array(text.utf8))) }
        }
    }

    @Test("one schema serves many threads at once")
    func threads() async throws {
        let schema = try schema(
            ##"{"properties":{"a":{"pattern":"^(a|b)+$"},"n":{"$ref":"#"}},"##
                + ##""patternProperties":{"^x":{"type":"null"}}}"##
        )
        let good = try RawJSON(validating: #"{"a":"abab","n":{"n":{"a":"b"}},"xy":null}"#)
        let bad = try RawJSON(validating: #"{"a":"abc","n":{"n":{"a":"c"}},"xy":1}"#)
        await withTaskGroup(of: Int.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    (0..<2000).reduce(0) { sum, _ in
                        sum + schema.violations(of: good).count + schema.violations(of: bad).count
                    }
                }
            }
            for await sum in group { #expect(sum == 6000) }
        }
    }
}
