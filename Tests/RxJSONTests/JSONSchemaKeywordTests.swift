import RxJSON
import Testing

/// What each keyword of draft 7 lets in and keeps out, from the words of the specification.
struct JSONSchemaKeywordTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let schema: String
        let accepts: [String]
        let refuses: [String]

        init(_ schema: String, accepts: [String], refuses: [String]) {
            (self.schema, self.accepts, self.refuses) = (schema, accepts, refuses)
        }

        var testDescription: String { schema }
    }

    @Test("a keyword lets in and keeps out what the specification states", arguments: rows)
    func keyword(row: Row) throws {
        let schema = try JSONSchema(RawJSON(validating: row.schema))
        for text in row.accepts {
            let violations = schema.violations(of: try RawJSON(validating: text))
            #expect(violations == [], "\(row.schema) must accept \(text)")
        }
        for text in row.refuses {
            #expect(!schema.violations(of: try RawJSON(validating: text)).isEmpty, "\(row.schema) must refuse \(text)")
        }
    }

    static let rows: [Row] = any + numbers + strings + arrays + objects + branches + references + formats

    private static let any = [
        Row("true", accepts: ["1", "null", "{}"], refuses: []),
        Row("{}", accepts: ["1", "null", "{}"], refuses: []),
        Row("false", accepts: [], refuses: ["1", "null", "{}"]),
        Row(#"{"type":"string"}"#, accepts: [#""""#], refuses: ["1", "null", "[]", "{}", "true"]),
        Row(#"{"type":"number"}"#, accepts: ["1", "-1.5", "1e3"], refuses: [#""1""#, "true", "null"]),
        Row(
            #"{"type":"integer"}"#, accepts: ["1", "1.0", "-0", "1e3", "9223372036854775807", "18446744073709551615"],
            refuses: ["1.5", #""1""#, "true", "1e-1"]),
        Row(#"{"type":"boolean"}"#, accepts: ["true", "false"], refuses: ["0", #""true""#, "null"]),
        Row(#"{"type":"null"}"#, accepts: ["null"], refuses: ["0", #""""#, "false", "{}"]),
        Row(#"{"type":"array"}"#, accepts: ["[]"], refuses: ["{}", #""""#]),
        Row(#"{"type":"object"}"#, accepts: ["{}"], refuses: ["[]", "null"]),
        Row(#"{"type":["string","null"]}"#, accepts: [#""a""#, "null"], refuses: ["1", "[]"]),
        Row(
            #"{"enum":[1,"a",null,{"x":[1,2]}]}"#, accepts: ["1", "1.0", #""a""#, "null", #"{"x":[1.0,2]}"#],
            refuses: ["2", #""A""#, "false", #"{"x":[2,1]}"#, #"{"x":[1,2],"y":0}"#, "true"]),
        Row(#"{"enum":[]}"#, accepts: [], refuses: ["1", "null"]),
        Row(#"{"const":0}"#, accepts: ["0", "0.0", "-0.0"], refuses: ["false", "null", #""0""#, "1", "[]"]),
        Row(#"{"const":false}"#, accepts: ["false"], refuses: ["0", "null", "[false]"]),
        Row(#"{"const":null}"#, accepts: ["null"], refuses: ["0", "false"]),
        Row(#"{"const":{"a":1,"b":2}}"#, accepts: [#"{"b":2,"a":1}"#], refuses: [#"{"a":1}"#, #"{"a":1,"b":3}"#]),
        Row(#"{"const":9007199254740993}"#, accepts: ["9007199254740993"], refuses: ["9007199254740992"]),
        Row(#"{"unknown":{"type":"nonsense"},"default":1,"readOnly":true}"#, accepts: ["1", #""x""#], refuses: []),
    ]

    private static let numbers = [
        Row(#"{"minimum":3}"#, accepts: ["3", "3.0", "4", #""2""#, "null"], refuses: ["2", "2.9999", "-4"]),
        Row(#"{"minimum":-1.5}"#, accepts: ["-1.5", "0"], refuses: ["-1.6", "-2"]),
        Row(#"{"maximum":3}"#, accepts: ["3", "-10", #""9""#], refuses: ["4", "3.0001"]),
        Row(#"{"exclusiveMinimum":3}"#, accepts: ["3.0001", "4", "[]"], refuses: ["3", "3.0", "2"]),
        Row(#"{"exclusiveMaximum":3}"#, accepts: ["2.9", "-5", "{}"], refuses: ["3", "3.0", "4"]),
        Row(#"{"maximum":9007199254740992}"#, accepts: ["9007199254740992"], refuses: ["9007199254740993"]),
        Row(
            #"{"minimum":9223372036854775807}"#, accepts: ["9223372036854775807", "9223372036854775808"],
            refuses: ["9223372036854775806", "-1"]),
        Row(#"{"multipleOf":2}"#, accepts: ["0", "4", "-6", "4.0", "1e3", #""3""#], refuses: ["3", "1.5", "-7"]),
        Row(
            #"{"multipleOf":0.01}"#, accepts: ["19.99", "0.07", "4.35", "1", "-0.29", "1e2"],
            refuses: ["0.001", "19.995", "1e-3"]),
        Row(#"{"multipleOf":0.0001}"#, accepts: ["0.0075"], refuses: ["0.00751"]),
        Row(#"{"multipleOf":2.5}"#, accepts: ["0", "5", "7.5", "-2.5"], refuses: ["1", "4", "6"]),
        Row(#"{"multipleOf":1e-8}"#, accepts: ["12391239123", "1e-8", "1e300"], refuses: ["1e-9"]),
        Row(#"{"multipleOf":3}"#, accepts: ["9223372036854775806"], refuses: ["9223372036854775807", "1e300"]),
        Row(#"{"multipleOf":1e30}"#, accepts: ["0", "2e30"], refuses: ["1", "9223372036854775807", "1e29"]),
    ]

    private static let strings = [
        Row(
            #"{"minLength":2}"#, accepts: [#""ab""#, #""éé""#, #""😀😀""#, "1"],
            refuses: [#""a""#, #""""#, #""é""#, #""😀""#]),
        Row(#"{"maxLength":2}"#, accepts: [#""ab""#, #""😀😀""#, #""\ud83d\ude00é""#, "[1,2,3]"], refuses: [#""abc""#]),
        Row(#"{"maxLength":2.0}"#, accepts: [#""ab""#], refuses: [#""abc""#]),
        // The letter and its accent are two code points.
        Row(#"{"maxLength":1}"#, accepts: [#""\u00e9""#], refuses: [#""e\u0301""#]),
        Row(#"{"pattern":"^a+$"}"#, accepts: [#""aaa""#, "1"], refuses: [#""""#, #""ab""#, #""ba""#, #""aa\n""#]),
        Row(#"{"pattern":"b"}"#, accepts: [#""abc""#], refuses: [#""ac""#, #""B""#]),
        Row(#"{"pattern":"^\\d{2}-\\w$"}"#, accepts: [#""12-x""#], refuses: [#""1-x""#, #""12-""#]),
        Row(#"{"pattern":"^\\u00e9\\/$"}"#, accepts: [#""é/""#], refuses: [#""e/""#]),
        Row(#"{"pattern":"^..$"}"#, accepts: [#""é😀""#], refuses: [#""é""#]),
        Row(#"{"contentEncoding":"base64","contentMediaType":"text/plain"}"#, accepts: [#""&""#], refuses: []),
    ]

    private static let arrays = [
        Row(#"{"items":{"type":"integer"}}"#, accepts: ["[]", "[1,2]", "{}"], refuses: [#"[1,"2"]"#]),
        Row(#"{"items":false}"#, accepts: ["[]", "1"], refuses: ["[1]"]),
        Row(#"{"items":true}"#, accepts: ["[]", "[1]"], refuses: []),
        Row(
            #"{"items":[{"type":"integer"},{"type":"string"}]}"#, accepts: ["[]", "[1]", #"[1,"a",null]"#],
            refuses: [#"["a"]"#, "[1,2]"]),
        Row(#"{"items":[{}],"additionalItems":false}"#, accepts: ["[]", "[1]"], refuses: ["[1,2]"]),
        Row(
            #"{"items":[{}],"additionalItems":{"type":"null"}}"#, accepts: ["[1]", "[1,null]"],
            refuses: ["[1,2]", "[1,null,2]"]),
        Row(#"{"items":[{}],"additionalItems":true}"#, accepts: ["[1,2]"], refuses: []),
        // Without a list of items it means nothing.
        Row(#"{"additionalItems":false}"#, accepts: ["[1,2]"], refuses: []),
        Row(#"{"items":{},"additionalItems":false}"#, accepts: ["[1,2]"], refuses: []),
        Row(#"{"minItems":1}"#, accepts: ["[1]", "{}", #""""#], refuses: ["[]"]),
        Row(#"{"maxItems":1}"#, accepts: ["[]", "[1]", #"{"a":1,"b":2}"#], refuses: ["[1,2]"]),
        Row(
            #"{"uniqueItems":true}"#,
            accepts: [
                "[]", "[1,2]", "[0,false]", "[1,true]", #"[1,"1"]"#, "[[1],[2]]", #"[{"a":1},{"a":2}]"#, "[null]",
            ],
            refuses: [
                "[1,1]", "[1,2,1.0]", #"["a","b","a"]"#, "[[1,2],[1,2.0]]", #"[{"a":1,"b":2},{"b":2,"a":1}]"#,
                "[null,null]", "[9007199254740993,9007199254740993]",
            ]),
        Row(#"{"uniqueItems":true}"#, accepts: ["[9007199254740993,9007199254740992.0]"], refuses: []),
        Row(#"{"uniqueItems":false}"#, accepts: ["[1,1]"], refuses: []),
        Row(#"{"contains":{"minimum":5}}"#, accepts: ["[1,5]", "[6]", "{}"], refuses: ["[]", "[1,2]"]),
        Row(#"{"contains":true}"#, accepts: ["[1]"], refuses: ["[]"]),
        Row(#"{"contains":false}"#, accepts: ["1"], refuses: ["[]", "[1]"]),
    ]

    private static let objects = [
        Row(
            #"{"properties":{"a":{"type":"integer"},"b":false}}"#, accepts: ["{}", #"{"a":1}"#, #"{"c":1}"#, "[]"],
            refuses: [#"{"a":"1"}"#, #"{"b":1}"#]),
        Row(#"{"properties":{"a/b~c":{"type":"null"}}}"#, accepts: [#"{"a/b~c":null}"#], refuses: [#"{"a/b~c":1}"#]),
        Row(#"{"required":["a","b"]}"#, accepts: [#"{"a":1,"b":null}"#, "[]"], refuses: ["{}", #"{"a":1}"#]),
        Row(#"{"required":[]}"#, accepts: ["{}"], refuses: []),
        Row(#"{"required":["a\u0000b"]}"#, accepts: [#"{"a\u0000b":1}"#], refuses: [#"{"a":1}"#, #"{"a\u0000c":1}"#]),
        Row(
            #"{"patternProperties":{"^x-":{"type":"string"},"y$":{"maxLength":1}}}"#,
            accepts: ["{}", #"{"x-a":"long"}"#, #"{"x-y":"a"}"#, #"{"z":1}"#],
            refuses: [#"{"x-a":1}"#, #"{"x-y":"ab"}"#, #"{"ay":"ab"}"#]),
        Row(
            #"{"properties":{"a":{},"b":{}},"patternProperties":{"^x-":{}},"additionalProperties":false}"#,
            accepts: ["{}", #"{"a":1,"b":2,"x-1":3}"#],
            refuses: [#"{"c":1}"#, #"{"a":1,"aa":2,"b":3}"#, #"{"ax-":1}"#]),
        Row(
            #"{"properties":{"a":{}},"additionalProperties":{"type":"integer"}}"#, accepts: [#"{"a":"x","b":1}"#],
            refuses: [#"{"b":"x"}"#]),
        Row(#"{"minProperties":1}"#, accepts: [#"{"a":1}"#, "[]"], refuses: ["{}"]),
        Row(#"{"maxProperties":1}"#, accepts: ["{}", #"{"a":1}"#, #"{"a":1,"a":2}"#], refuses: [#"{"a":1,"b":2}"#]),
        Row(
            #"{"propertyNames":{"pattern":"^[a-z]+$","maxLength":3}}"#, accepts: ["{}", #"{"abc":1}"#, "[]"],
            refuses: [#"{"A":1}"#, #"{"abcd":1}"#]),
        Row(#"{"propertyNames":false}"#, accepts: ["{}"], refuses: [#"{"a":1}"#]),
        Row(
            #"{"dependencies":{"card":["address"]}}"#, accepts: ["{}", #"{"address":1}"#, #"{"card":1,"address":2}"#],
            refuses: [#"{"card":1}"#]),
        Row(
            #"{"dependencies":{"card":{"required":["address"]},"x":false}}"#,
            accepts: ["{}", #"{"card":1,"address":2}"#, "[]"], refuses: [#"{"card":1}"#, #"{"x":1}"#]),
        // A repeated key: its last value counts.
        Row(
            #"{"properties":{"a":{"type":"integer"}}}"#, accepts: [#"{"a":"x","a":1}"#],
            refuses: [#"{"a":1,"a":"x"}"#]),
    ]

    private static let branches = [
        Row(#"{"allOf":[{"minimum":1},{"maximum":3}]}"#, accepts: ["1", "3"], refuses: ["0", "4"]),
        Row(#"{"anyOf":[{"type":"string"},{"minimum":3}]}"#, accepts: [#""a""#, "3", "null"], refuses: ["2"]),
        Row(#"{"oneOf":[{"multipleOf":2},{"multipleOf":3}]}"#, accepts: ["2", "9"], refuses: ["6", "1", "null"]),
        Row(#"{"oneOf":[true,false]}"#, accepts: ["1"], refuses: []),
        Row(#"{"not":{"type":"string"}}"#, accepts: ["1"], refuses: [#""a""#]),
        Row(#"{"not":{}}"#, accepts: [], refuses: ["1"]),
        Row(
            #"{"if":{"properties":{"k":{"const":"a"}},"required":["k"]},"then":{"required":["x"]},"#
                + #""else":{"required":["y"]}}"#,
            accepts: [#"{"k":"a","x":1}"#, #"{"k":"b","y":1}"#, #"{"y":1}"#], refuses: [#"{"k":"a","y":1}"#, "{}"]),
        Row(#"{"if":{"minimum":3},"then":{"multipleOf":2}}"#, accepts: ["1", "4"], refuses: ["5"]),
        Row(#"{"if":{"minimum":3},"else":{"multipleOf":2}}"#, accepts: ["5", "2"], refuses: ["1"]),
        Row(#"{"then":false,"else":false}"#, accepts: ["1"], refuses: []),
        Row(#"{"if":false}"#, accepts: ["1"], refuses: []),
    ]

    private static let references = [
        Row(
            ##"{"definitions":{"p":{"type":"integer"}},"properties":{"a":{"$ref":"#/definitions/p"}}}"##,
            accepts: [#"{"a":1}"#], refuses: [#"{"a":"x"}"#]),
        Row(
            ##"{"$defs":{"p":{"type":"integer"}},"items":{"$ref":"#/$defs/p"}}"##, accepts: ["[1]"], refuses: ["[null]"]
        ),
        // Recursive, and with names that need every escape there is.
        Row(
            ##"{"properties":{"next":{"$ref":"#"}},"additionalProperties":false}"##,
            accepts: [#"{"next":{"next":{}}}"#], refuses: [#"{"next":{"next":{"x":1}}}"#]),
        Row(
            ##"{"definitions":{"a/b~c%é":{"type":"null"}},"$ref":"#/definitions/a~1b~0c%25%C3%A9"}"##,
            accepts: ["null"], refuses: ["1"]),
        // What stands beside a reference is ignored, in draft 7.
        Row(##"{"definitions":{"p":{}},"$ref":"#/definitions/p","type":"string"}"##, accepts: ["1"], refuses: []),
        Row(
            ##"{"definitions":{"a":{"$ref":"#/definitions/b"},"b":{"type":"null"}},"$ref":"#/definitions/a"}"##,
            accepts: ["null"], refuses: ["1"]),
        Row(
            ##"{"definitions":{"p":{"$id":"#positive","minimum":0}},"items":{"$ref":"#positive"}}"##, accepts: ["[1]"],
            refuses: ["[-1]"]),
        Row(
            ##"{"$id":"http://example.org/s.json","definitions":{"p":{"minimum":0}},"##
                + ##""items":{"$ref":"http://example.org/s.json#/definitions/p"}}"##,
            accepts: ["[1]"], refuses: ["[-1]"]),
        Row(
            ##"{"properties":{"$ref":{"type":"string"}}}"##, accepts: [##"{"$ref":"a"}"##],
            refuses: [##"{"$ref":1}"##]),
        // Read through a reference, names were once checked against the schema around them.
        Row(
            ##"{"definitions":{"o":{"propertyNames":{"maxLength":2},"type":"object"}},"##
                + ##""items":{"$ref":"#/definitions/o"}}"##,
            accepts: [#"[{"ab":1}]"#], refuses: [#"[{"abc":1}]"#]),
        Row(
            ##"{"properties":{"a":{"type":"null"},"b":{"$ref":"#/properties/a"}}}"##, accepts: [#"{"b":null}"#],
            refuses: [#"{"b":1}"#]),
        Row(##"{"items":[{"type":"null"},{"$ref":"#/items/0"}]}"##, accepts: ["[null,null]"], refuses: ["[null,1]"]),
    ]

    private static let formats = [
        Row(
            #"{"format":"date"}"#, accepts: [#""2024-02-29""#, "1"],
            refuses: [#""2023-02-29""#, #""1900-02-29""#, #""2024-13-01""#, #""2024-1-01""#, #""2024-04-31""#]),
        Row(
            #"{"format":"time"}"#, accepts: [#""16:52:45Z""#, #""00:00:00.5+02:00""#, #""23:59:60Z""#],
            refuses: [#""16:52:45""#, #""24:00:00Z""#, #""16:60:00Z""#]),
        Row(
            #"{"format":"date-time"}"#, accepts: [#""2026-11-21T01:02:03.123Z""#],
            refuses: [#""2026-11-21 01:02:03Z""#, #""2026-11-21""#, #""2026-11-31T01:02:03Z""#]),
        Row(
            #"{"format":"email"}"#, accepts: [#""a.b+c@example.org""#],
            refuses: [#""a""#, #""@b""#, #""a@""#, #""a..b@c""#]),
        Row(
            #"{"format":"hostname"}"#, accepts: [#""a-b.example""#, #""x""#],
            refuses: [#""-a""#, #""a_b""#, #""a..b""#, #""""#]),
        Row(
            #"{"format":"ipv4"}"#, accepts: [#""127.0.0.1""#],
            refuses: [#""256.0.0.1""#, #""1.2.3""#, #""1.2.3.4\u0000""#]),
        Row(#"{"format":"ipv6"}"#, accepts: [#""::1""#], refuses: [#""1.2.3.4""#, #"":::""#]),
        Row(
            #"{"format":"uri"}"#, accepts: [#""https://a.b/c?d#e""#, #""urn:x:y""#],
            refuses: [#""/a""#, #""a b:c""#, #""a:%""#]),
        Row(
            #"{"format":"uuid"}"#, accepts: [#""01a1fc74-5543-7000-b6c5-3532564cb263""#],
            refuses: [#""01a1fc7455437000b6c53532564cb263""#]),
        Row(#"{"format":"json-pointer"}"#, accepts: [#""""#, #""/a/~0~1""#], refuses: [#""a""#, #""/~2""#]),
        Row(#"{"format":"regex"}"#, accepts: [#""^a+$""#], refuses: [#""(""#]),
        Row(#"{"format":"nobody-knows"}"#, accepts: [#""x""#], refuses: []),
    ]
}
