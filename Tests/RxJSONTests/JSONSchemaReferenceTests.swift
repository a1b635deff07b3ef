import RxJSON
import Testing

/// Where `$ref` leads: by `$id`, to other documents, and to the meta-schema.
struct JSONSchemaReferenceTests {
    private func violations(
        _ schema: String, _ input: String, base: String = "", documents: [String: String] = [:]
    ) throws -> [String] {
        let schema = try JSONSchema(
            RawJSON(validating: schema), base: base, documents: documents.mapValues { try RawJSON(validating: $0) })
        return schema.violations(of: try RawJSON(validating: input)).map { "\($0.path): \($0.message)" }
    }

    private func faults(_ schema: String, base: String = "", documents: [String: String] = [:]) -> [String] {
        do {
            _ = try violations(schema, "null", base: base, documents: documents)
            return []
        } catch {
            return (error as? JSONSchemaError)?.violations.map { "\($0.path): \($0.message)" } ?? ["\(error)"]
        }
    }

    // MARK: $id

    @Test(
        "an $id below the top names its schema and is the base of references within",
        arguments: [
            // By the whole URI, by a relative one, and by a URN.
            ##"{"definitions":{"a":{"$id":"http://example.org/a","type":"null"}},"$ref":"http://example.org/a"}"##,
            ##"{"$id":"http://example.org/x/s","definitions":{"a":{"$id":"a","type":"null"}},"items":{},"allOf":[{"$ref":"/x/a"}]}"##,
            ##"{"definitions":{"a":{"$id":"urn:example:a","type":"null"}},"allOf":[{"$ref":"urn:example:a"}]}"##,
            ##"{"definitions":{"a":{"$id":"a.json","type":"null"}},"allOf":[{"$ref":"a.json#"}]}"##,
            // A pointer starts at the nearest $id.
            ##"{"allOf":[{"$id":"b","definitions":{"n":{"type":"null"}},"allOf":[{"$ref":"#/definitions/n"}]}]}"##,
            // A name belongs to it as well.
            ##"{"allOf":[{"$ref":"b#n"}],"definitions":{"b":{"$id":"b","items":{"$id":"#n","type":"null"}}}}"##,
            ##"{"allOf":[{"$ref":"b#n"}],"definitions":{"b":{"$id":"b#n","type":"null"}}}"##,
            // Beside a reference, and in a constant, it names nothing.
            ##"{"$id":"http://x/y/","definitions":{"n":{"$id":"n","type":"null"}},"allOf":[{"$id":"z/","$ref":"n"}]}"##,
            ##"{"definitions":{"a":{"const":{"$id":"n"}},"b":{"$id":"n","type":"null"}},"allOf":[{"$ref":"n"}]}"##,
        ])
    func identifiers(schema: String) throws {
        #expect(try violations(schema, "null") == [])
        #expect(try violations(schema, "1") == [": must be null"])
    }

    // MARK: Documents

    @Test("a reference is resolved against the schema's URI and looked up in the documents")
    func documents() throws {
        let documents = [
            "schemas/types.json": ##"{"definitions":{"port":{"type":"integer","maximum":65535}}}"##,
            "schemas/more/list.json": ##"{"items":{"$ref":"../types.json#/definitions/port"},"maxItems":2}"##,
        ]
        let schema = ##"{"properties":{"p":{"$ref":"types.json#/definitions/port"},"l":{"$ref":"more/list.json"}}}"##
        let base = "schemas/main.json"
        #expect(try violations(schema, #"{"p":1,"l":[1,2]}"#, base: base, documents: documents) == [])
        #expect(
            try violations(schema, #"{"p":70000,"l":[1,"x",3]}"#, base: base, documents: documents) == [
                "/l: must have at most 2 elements", "/l/1: must be an integer", "/p: must be at most 65535",
            ])
    }

    @Test("documents may refer to each other and back to the schema")
    func circles() throws {
        let documents = [
            "http://x/node.json": ##"{"required":["value"],"properties":{"children":{"$ref":"tree.json"}}}"##
        ]
        let tree = ##"{"type":"array","items":{"$ref":"node.json"}}"##
        let base = "http://x/tree.json"
        let input = #"[{"value":1,"children":[{"value":2,"children":[]},{}]}]"#
        #expect(
            try violations(tree, input, base: base, documents: documents) == [
                #"/0/children/1: missing required "value""#
            ])
    }

    @Test("a document is asked for once, and only if it is referred to")
    func asked() throws {
        var asked: [String] = []
        let text = ##"{"items":[{"$ref":"a#/x"},{"$ref":"a#/y"},{"$ref":"#/definitions/z"}],"definitions":{"z":{}}}"##
        let schema = try JSONSchema(RawJSON(validating: text), base: "http://h/s") { uri in
            asked.append(uri)
            return .document(RawJSON(unchecked: Array(#"{"x":{"type":"null"},"y":true}"#.utf8)))
        }
        #expect(asked == ["http://h/a"])
        #expect(Array(schema.documents.keys) == ["http://h/a"])
    }

    @Test("schemas are equal if the documents that they refer to are equal as well")
    func equality() throws {
        func schema(_ document: String) throws -> JSONSchema {
            try JSONSchema(
                RawJSON(validating: #"{"$ref":"a"}"#), documents: ["a": RawJSON(validating: document), "b": .null])
        }
        #expect(try schema("{}") == schema("{}"))
        #expect(try schema("{}") != schema("true"))
    }

    @Test("a secret in a document is hidden")
    func secrets() throws {
        let schema = try JSONSchema(
            RawJSON(validating: ##"{"properties":{"p":{"$ref":"a#/definitions/password"}}}"##),
            documents: ["a": RawJSON(validating: #"{"definitions":{"password":{"writeOnly":true}}}"#)])
        #expect(schema.redacting(try RawJSON(validating: #"{"p":"x","q":1}"#)).text == #"{"p":"[redacted]","q":1}"#)
    }

    @Test("the meta-schema of draft 7 is always there")
    func metaschema() throws {
        for uri in ["http://json-schema.org/draft-07/schema#", "https://json-schema.org/draft-07/schema"] {
            let schema = #"{"items":{"$ref":"\#(uri)"}}"#
            #expect(try violations(schema, #"[true,{"minLength":1,"items":[{}]}]"#) == [])
            #expect(
                try violations(schema, #"[{"minLength":-1},1]"#) == [
                    "/0/minLength: must be at least 0", "/1: must be a boolean or an object",
                ])
        }
        let count = #"{"$ref":"http://json-schema.org/draft-07/schema#/definitions/nonNegativeInteger"}"#
        #expect(try violations(count, "-1") == [": must be at least 0"])
    }

    // MARK: Faults

    @Test("a fault in another document is reported with that document's URI")
    func faultsElsewhere() {
        let documents = [
            "a.json": ##"{"definitions":{"x":{"minimum":"1"},"y":{"pattern":"("},"z":{"$ref":"c.json"}}}"##,
            "b.json": "[", "d.json": #"{"$schema":"https://json-schema.org/draft/2020-12/schema"}"#,
        ].filter { $0.key != "b.json" }
        func faults(_ reference: String) -> [String] {
            self.faults(#"{"$ref":"\#(reference)"}"#, documents: documents)
        }
        #expect(faults("a.json#/definitions/x") == ["a.json#/definitions/x/minimum: must be a number"])
        #expect(
            faults("a.json#/definitions/y") == [
                "a.json#/definitions/y/pattern: is not a pattern that can be matched in linear time: missing ): ("
            ])
        #expect(
            faults("a.json#/definitions/z") == [
                #"a.json#/definitions/z/$ref: refers to "c.json", outside of this schema; nothing is fetched"#
            ])
        #expect(
            faults("a.json#/definitions/none") == [
                #"/$ref: refers to "a.json#/definitions/none", which does not exist"#
            ])
        #expect(
            faults("d.json") == [
                ##"/$ref: refers to "d.json", whose "$schema" is not "http://json-schema.org/draft-07/schema#""##
            ])
    }

    @Test("a document that cannot be had, or that is not JSON, is a fault of the reference")
    func failures() throws {
        func faults(_ resolution: JSONSchema.Resolution) throws -> [String] {
            do {
                _ = try JSONSchema(RawJSON(validating: #"{"items":{"$ref":"a.json"}}"#)) { _ in resolution }
                return []
            } catch let error as JSONSchemaError {
                return error.violations.map { "\($0.path): \($0.message)" }
            }
        }
        #expect(try faults(.failure("is too old")) == [#"/items/$ref: refers to "a.json", which is too old"#])
        #expect(
            try faults(.document(RawJSON(unchecked: [0x5B]))) == [
                #"/items/$ref: refers to "a.json", which is not JSON"#
            ])
    }

    @Test("documents that refer to each other for the same value are refused")
    func endless() {
        #expect(
            faults(##"{"allOf":[{"$ref":"a"}]}"##, base: "s", documents: ["a": ##"{"not":{"$ref":"s"}}"##]) == [
                ": applies itself to the same value, which never ends"
            ])
    }

    @Test("a chain of documents ends at the greatest number of them")
    func chain() throws {
        func schema(_ count: Int) throws -> JSONSchema {
            try JSONSchema(RawJSON(validating: #"{"$ref":"1"}"#)) { uri in
                let number = Int(uri) ?? 0
                let text = number == count ? #"{"type":"null"}"# : #"{"items":{"$ref":"\#(number + 1)"}}"#
                return .document(RawJSON(unchecked: Array(text.utf8)))
            }
        }
        #expect(try schema(100).documents.count == 100)
        #expect(throws: JSONSchemaError.self) { try schema(101) }
    }
}
