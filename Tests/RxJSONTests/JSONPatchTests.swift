import RxJSON
import Testing

struct JSONPatchTests {
    private static func applied(_ patch: String, to document: String) throws -> JSONValue {
        var value = try RawJSON(validating: document).value()
        try JSONPatch(RawJSON(validating: patch)).apply(to: &value)
        return value
    }

    /// The appendix of RFC 6902, and places where it leaves less room than one may think.
    @Test(
        "an operation does what RFC 6902 states",
        arguments: [
            (#"{"foo":"bar"}"#, #"[{"op":"add","path":"/baz","value":"qux"}]"#, #"{"baz":"qux","foo":"bar"}"#),
            (
                #"{"foo":["bar","baz"]}"#, #"[{"op":"add","path":"/foo/1","value":"qux"}]"#,
                #"{"foo":["bar","qux","baz"]}"#
            ),
            (#"{"baz":"qux","foo":"bar"}"#, #"[{"op":"remove","path":"/baz"}]"#, #"{"foo":"bar"}"#),
            (#"{"foo":["bar","qux","baz"]}"#, #"[{"op":"remove","path":"/foo/1"}]"#, #"{"foo":["bar","baz"]}"#),
            (
                #"{"baz":"qux","foo":"bar"}"#, #"[{"op":"replace","path":"/baz","value":"boo"}]"#,
                #"{"baz":"boo","foo":"bar"}"#
            ),
            (
                #"{"foo":{"bar":"baz","waldo":"fred"},"qux":{"corge":"grault"}}"#,
                #"[{"op":"move","from":"/foo/waldo","path":"/qux/thud"}]"#,
                #"{"foo":{"bar":"baz"},"qux":{"corge":"grault","thud":"fred"}}"#
            ),
            (
                #"{"foo":["all","grass","cows","eat"]}"#, #"[{"op":"move","from":"/foo/1","path":"/foo/3"}]"#,
                #"{"foo":["all","cows","eat","grass"]}"#
            ),
            (
                #"{"baz":"qux","foo":["a",2,"c"]}"#,
                #"[{"op":"test","path":"/baz","value":"qux"},{"op":"test","path":"/foo/1","value":2}]"#,
                #"{"baz":"qux","foo":["a",2,"c"]}"#
            ),
            (
                #"{"foo":"bar"}"#, #"[{"op":"add","path":"/child","value":{"grandchild":{}}}]"#,
                #"{"foo":"bar","child":{"grandchild":{}}}"#
            ),
            (
                #"{"foo":"bar"}"#, #"[{"op":"add","path":"/baz","value":"qux","xyz":123}]"#,
                #"{"foo":"bar","baz":"qux"}"#
            ),
            (#"{"/":9,"~1":10}"#, #"[{"op":"test","path":"/~01","value":10}]"#, #"{"/":9,"~1":10}"#),
            (
                #"{"foo":["bar"]}"#, #"[{"op":"add","path":"/foo/-","value":["abc","def"]}]"#,
                #"{"foo":["bar",["abc","def"]]}"#
            ),
            (#"{"a":1}"#, #"[{"op":"add","path":"","value":[7]}]"#, "[7]"),
            (#"{"a":1}"#, #"[{"op":"replace","path":"","value":null}]"#, "null"),
            (#"{"a":{"b":1}}"#, #"[{"op":"move","from":"/a/b","path":""}]"#, "1"),
            (#"{"a":{"b":1}}"#, #"[{"op":"copy","from":"","path":"/a/c"}]"#, #"{"a":{"b":1,"c":{"a":{"b":1}}}}"#),
            (#"{"a":1}"#, #"[{"op":"move","from":"/a","path":"/a"}]"#, #"{"a":1}"#),
            (#"{"":1}"#, #"[{"op":"replace","path":"/","value":2}]"#, #"{"":2}"#),
            ("[]", #"[{"op":"add","path":"/0","value":1}]"#, "[1]"),
            (#"{"n":[1,2.50]}"#, #"[{"op":"test","path":"/n","value":[1.0,25e-1]}]"#, #"{"n":[1,2.50]}"#),
        ])
    func operations(document: String, patch: String, wanted: String) throws {
        #expect(try Self.applied(patch, to: document) == RawJSON(validating: wanted).value())
    }

    @Test(
        "what does not fit is refused, with the number of the operation, and nothing has changed",
        arguments: [
            (#"{"op":"test","path":"/foo","value":"bar"}"#, JSONPatchError.Kind.test),
            (#"{"op":"add","path":"/missing/child","value":1}"#, .missing),
            (#"{"op":"add","path":"/number/child","value":1}"#, .missing),
            (#"{"op":"add","path":"/list/4","value":1}"#, .index),
            (#"{"op":"add","path":"/list/01","value":1}"#, .index),
            (#"{"op":"add","path":"/list/x","value":1}"#, .index),
            (#"{"op":"remove","path":"/list/3"}"#, .missing),
            (#"{"op":"remove","path":"/list/-"}"#, .missing),
            (#"{"op":"replace","path":"/list/-","value":1}"#, .missing),
            (#"{"op":"replace","path":"/missing","value":1}"#, .missing),
            (#"{"op":"remove","path":""}"#, .refused),
            (#"{"op":"move","from":"/tree","path":"/tree/leaf/twig"}"#, .refused),
            (#"{"op":"move","from":"/missing","path":"/missing"}"#, .missing),
            (#"{"op":"move","from":"/list/0","path":"/list/3"}"#, .index),
            (#"{"op":"copy","from":"/list/3","path":"/x"}"#, .missing),
            (#"{"op":"test","path":"/list","value":[1,2]}"#, .test),
            (#"{"op":"test","path":"/tree","value":{"leaf":{},"x":1}}"#, .test),
        ])
    func refusals(operation: String, kind: JSONPatchError.Kind) throws {
        let document =
            #"{"foo":1,"number":1,"list":[1,2,3],"tree":{"leaf":{}},"k0":0,"k1":1,"k2":2,"k3":3,"k4":4,"k5":5}"#
        let before = """
            {"op":"remove","path":"/k1"},{"op":"add","path":"/new","value":1},{"op":"replace","path":"/k2","value":[]},
            {"op":"add","path":"/list/1","value":9},{"op":"move","from":"/list/0","path":"/k0"},
            {"op":"remove","path":"/list/2"},{"op":"add","path":"/list/0","value":8},
            {"op":"copy","from":"/k3","path":"/k4"}
            """
        var value = try RawJSON(validating: document).value()
        let patch = try JSONPatch(RawJSON(validating: "[\(before),\(operation)]"))
        let error = #expect(throws: JSONPatchError.self) { try patch.apply(to: &value) }
        #expect(error?.kind == kind)
        #expect(error?.operation == 8)
        #expect(RawJSON(value).text == document, "also the order of members")
        #expect(value["k5"] == 5)
    }

    @Test(
        "what is no patch is refused in so many words",
        arguments: [
            (#"{"op":"remove","path":"/a"}"#, "a patch is an array of operations"),
            ("[1]", "operation 0: must be an object"),
            (#"[{"op":"remove","path":"/a"},{"path":"/a"}]"#, #"operation 1: "op" is missing"#),
            (#"[{"op":"remove"}]"#, #"operation 0: "path" is missing"#),
            (#"[{"op":"remove","path":7}]"#, #"operation 0: "path" must be a string"#),
            (
                #"[{"op":"remove","path":"a"}]"#,
                #"operation 0: "path" is not a valid JSON Pointer: a JSON Pointer begins with '/' (at byte 0)"#
            ),
            (#"[{"op":"add","path":"/a"}]"#, #"operation 0: "value" is missing"#),
            (#"[{"op":"copy","path":"/a"}]"#, #"operation 0: "from" is missing"#),
            (
                #"[{"op":"spam","path":"/a"}]"#,
                #"operation 0: "op" must be add, remove, replace, move, copy or test, not "spam""#
            ),
        ])
    func malformed(text: String, message: String) throws {
        let raw = try RawJSON(validating: text)
        let error = #expect(throws: JSONPatchError.self) { try JSONPatch(raw) }
        #expect(error?.kind == .malformed)
        #expect(error?.description == message)
    }

    @Test("what is read is written again")
    func writing() throws {
        let text =
            #"[{"op":"add","path":"/a~1b","value":[1]},{"op":"remove","path":""},"#
            + #"{"op":"replace","path":"/x","value":null},"#
            + #"{"op":"move","from":"/a","path":"/b"},{"op":"copy","from":"/a","path":"/c"},"#
            + #"{"op":"test","path":"/d","value":1.0}]"#
        let patch = try reading(text) { try JSONPatch($0) }
        var writer = JSONWriter()
        patch.write(to: &writer)
        #expect(String(decoding: writer.bytes, as: UTF8.self) == text)
    }

    @Test("operations in a large array change it where it is")
    func inPlace() throws {
        var value = JSONValue.object(["cells": .array((0..<100_000).map { ["id": JSONValue($0), "on": false] })])
        let patch = JSONPatch(
            (0..<100_000).map { .replace(JSONPointer(tokens: ["cells", String($0), "on"]), true) })
        let clock = ContinuousClock()
        let time = try clock.measure { try patch.apply(to: &value) }
        #expect(value["cells"]?.array?.allSatisfy { $0["on"] == true } == true)
        // 100,000 copies of the array would take minutes.
        #expect(time < .seconds(40))
    }

    @Test("a copy made before keeps what it was")
    func copies() throws {
        var value: JSONValue = ["a": [["b": 1], ["b": 2]]]
        let before = value
        try JSONPatch([.replace(JSONPointer("/a/0/b"), 7), .remove(JSONPointer("/a/1"))]).apply(to: &value)
        #expect(value == ["a": [["b": 7]]])
        #expect(before == ["a": [["b": 1], ["b": 2]]])
    }
}
