import HostTestSupport
import Jq
import RxAction
import RxHost
import RxJSON
import RxPlatform
import Testing
import TestSupport

@testable import RxConfiguration

/// The key `input`.
@Suite(.countedApart)
struct ValueReaderTests {
    let directory = TemporaryDirectory()

    private func action(_ input: String, _ kind: String = #"builtin = "echo""#) throws -> ConfiguredAction {
        directory.write("rxd.toml", "[action.a]\n\(kind)\ninput = \(input)\n")
        return try #require(try Configuration.load(directory: directory.path).actions.first)
    }

    private func faults(_ input: String) -> [String] {
        do {
            _ = try action(input)
            return []
        } catch {
            let faults = (error as? ConfigurationErrors)?.faults ?? []
            return faults.map { String($0.description.replacing(directory.path + "/", with: "")) }
        }
    }

    @Test("a file is found from the configuration's directory, whichever file names it, and put on one line")
    func file() throws {
        directory.write("schemas/a.json", "{\n  \"type\": \"object\"\n}\n")
        #expect(try action(#""schemas/a.json""#).schema?.source.text == #"{"type":"object"}"#)
        #expect(try action("\"\(directory.path)/schemas/a.json\"").schema?.source.text == #"{"type":"object"}"#)
        directory.write("conf.d/b.toml", "[action.b]\nbuiltin = \"echo\"\ninput = \"schemas/a.json\"\n")
        #expect(
            try Configuration.load(directory: directory.path).actions.map { $0.schema?.source.text }
                == [#"{"type":"object"}"#, #"{"type":"object"}"#])
    }

    @Test("a table is the schema itself, as JSON with its keys in order")
    func table() throws {
        let text =
            #"{ type = "object", required = ["a"], properties.a = { multipleOf = 0.01, minimum = -1, x = true } }"#
        #expect(
            try action(text).schema?.source.text
                == #"{"properties":{"a":{"minimum":-1,"multipleOf":0.01,"x":true}},"required":["a"],"type":"object"}"#)
        #expect(try action("{}").schema == nil)
        directory.write(
            "rxd.toml",
            "[action.a]\nbuiltin = \"echo\"\n[action.a.input]\ntype = \"string\"\n[action.a.input.not]\nconst = 1e3\n")
        #expect(
            try Configuration.load(directory: directory.path).actions.first?.schema?.source.text
                == #"{"not":{"const":1000.0},"type":"string"}"#)
    }

    @Test("what is wrong with a schema is reported with file, line and key, each fault by itself")
    func brokenSchemas() {
        directory.write("schemas/bad.json", #"{"type":"strng","properties":{"p":{"minimum":"1"}}}"#)
        let types = #"must be one of "array", "boolean", "integer", "null", "number", "object", "string""#
        #expect(
            faults(#""schemas/bad.json""#) == [
                "rxd.toml:3: action.a.input: schemas/bad.json: /properties/p/minimum: must be a number",
                "rxd.toml:3: action.a.input: schemas/bad.json: /type: \(types)",
            ])
        #expect(faults(#"{ type = "strng" }"#) == ["rxd.toml:3: action.a.input: /type: \(types)"])
        #expect(
            faults(##"{ items = { "$ref" = "http://a/b" } }"##) == [
                #"rxd.toml:3: action.a.input: /items/$ref: refers to "http://a/b", outside of this schema; nothing is fetched"#
            ])
    }

    @Test("a schema refers to files relative to its own, and a table's relative to the configuration's directory")
    func references() throws {
        directory.write("schemas/main.json", ##"{"properties":{"p":{"$ref":"types/port.json#/definitions/port"}}}"##)
        directory.write("schemas/types/port.json", ##"{"definitions":{"port":{"$ref":"../number.json"}}}"##)
        directory.write("schemas/number.json", #"{ "type": "integer" }"#)
        let table = #"{ properties.p = { "$ref" = "schemas/./types/port.json#/definitions/port" } }"#
        let input = try RawJSON(validating: #"{"p":"x"}"#)
        for name in [#""schemas/main.json""#, "\"\(directory.path)/schemas/../schemas/main.json\"", table] {
            let schema = try #require(try action(name).schema)
            #expect(schema.violations(of: input).map(\.message) == ["must be an integer"])
            #expect(schema.documents.count == 2)
        }
    }

    @Test("a change of a file that a schema refers to changes the action")
    func changedReference() throws {
        directory.write("schemas/main.json", #"{"$ref":"other.json"}"#)
        func fingerprint(_ other: String) throws -> String {
            directory.write("schemas/other.json", other)
            return try action(#""schemas/main.json""#).fingerprint
        }
        let before = try fingerprint(#"{"type":"string"}"#)
        #expect(try fingerprint(#"{"type":"null"}"#) != before)
        #expect(try fingerprint(#"{ "type": "string" }"#) == before)
    }

    @Test("a reference to a file that may not be used or cannot be read is a fault with file and key")
    func brokenReferences() throws {
        func fault(_ reference: String) -> [String] {
            directory.write("schemas/main.json", ##"{"items":{"$ref":"\##(reference)"}}"##)
            return faults(#""schemas/main.json""#)
        }
        let main = "rxd.toml:3: action.a.input: schemas/main.json: /items/$ref: refers to"
        let outside = "is outside the configuration's directory"
        for reference in [
            "../../etc/passwd", "/etc/passwd", "file:///etc/passwd", "..%2F../etc/passwd", "../..", "%2e%2e/%2e%2e/a",
            "a/%00",
        ] {
            #expect(fault(reference) == [#"\#(main) "\#(reference)", which \#(outside)"#])
        }
        #expect(fault("//host/a") == [#"\#(main) "//host/a", outside of this schema; nothing is fetched"#])
        #expect(fault("http://a/b") == [#"\#(main) "http://a/b", outside of this schema; nothing is fetched"#])
        #expect(fault("none.json") == [#"\#(main) "none.json", which cannot be read: \#(SystemErrorName.text(of: 2))"#])
        #expect(fault(".") == [#"\#(main) ".", which is not a regular file"#])
        directory.write("schemas/bad.json", #"{"type": }"#)
        #expect(fault("bad.json").first?.hasPrefix(#"\#(main) "bad.json", which is not valid JSON: "#) == true)
        // What is wrong in another file is reported with that file's name.
        directory.write("schemas/bad.json", #"{"definitions":{"a":{"minimum":"1"}}}"#)
        #expect(
            fault("bad.json#/definitions/a") == [
                "rxd.toml:3: action.a.input: schemas/bad.json: /definitions/a/minimum: must be a number"
            ])
    }

    @Test("what is no schema file is a fault of the key that names it")
    func brokenFiles() {
        #expect(faults(#""none.json""#).count == 1)
        #expect(faults(#""none.json""#)[0].hasPrefix("rxd.toml:3: action.a.input: none.json: cannot be read: "))
        directory.write("s/bad.json", "{\"type\": }")
        #expect(faults(#""s/bad.json""#)[0].hasPrefix("rxd.toml:3: action.a.input: s/bad.json: "))
        #expect(faults(#""s/bad.json""#)[0].contains("at byte 9"))
        #expect(faults(#""s""#) == ["rxd.toml:3: action.a.input: s: is not a regular file"])
        directory.write("large.json", "\"" + String(repeating: "a", count: ValueReader.largestSchema) + "\"")
        #expect(
            faults(#""large.json""#)
                == ["rxd.toml:3: action.a.input: large.json: is larger than \(ValueReader.largestSchema) bytes"])
        #expect(faults(#""""#) == ["rxd.toml:3: action.a.input: must name a file"])
    }

    @Test("values that no schema can be are refused")
    func wrongTypes() {
        for (value, kind) in [("1", "an integer"), ("true", "a boolean"), ("[]", "an array"), ("1.5", "a float")] {
            #expect(
                faults(value) == ["rxd.toml:3: action.a.input: must be a table or the name of a file, not \(kind)"])
        }
        #expect(faults("{ const = nan }") == ["rxd.toml:3: action.a.input.const: cannot be represented in JSON"])
        #expect(
            faults("{ enum = [2026-11-21] }") == ["rxd.toml:3: action.a.input.enum[0]: is a date; JSON has no dates"])
    }

    @Test("a schema file that changes makes another definition, and the same text the same")
    func fingerprint() throws {
        directory.write("s.json", #"{"type":"object"}"#)
        let first = try action(#""s.json""#)
        directory.write("s.json", "{ \"type\" : \"object\" }\n")
        #expect(try action(#""s.json""#).fingerprint == first.fingerprint)
        #expect(try action(#""s.json""#) == first)
        directory.write("s.json", #"{"type":"array"}"#)
        #expect(try action(#""s.json""#).fingerprint != first.fingerprint)
        #expect(try action(#""s.json""#) != first)
        #expect(try action("{}").fingerprint != first.fingerprint)
    }

    private func validate(_ action: ConfiguredAction, _ input: String) throws -> [String] {
        let definition = action.definition(processes: Harness.launcher, evaluator: LocalEvaluator())
        #expect(definition.schema == action.schema)
        return definition.validate(try RawJSON(validating: input)).map { "\($0.path): \($0.message)" }
    }

    @Test("an input is checked against the schema first, and by its kind only if it passes")
    func order() throws {
        let schema = #"{ properties.count = { maximum = 5 }, required = ["interval"] }"#
        let ticks = try action(schema, #"builtin = "ticks""#)
        #expect(
            try validate(ticks, #"{"count":9}"#) == [#": missing required "interval""#, "/count: must be at most 5"])
        // The schema lets it in, the kind does not.
        #expect(try validate(ticks, #"{"count":-1,"interval":"1s"}"#).count == 1)
        #expect(try validate(ticks, #"{"count":1,"interval":"1s"}"#) == [])
        let process = try action(#"{ required = ["name"] }"#, #"run = ["echo", { input = "/name" }]"#)
        #expect(try validate(process, "{}") == [#": missing required "name""#])
        #expect(try validate(process, #"{"name":[]}"#).map { $0.prefix(6) } == ["/name:"])
        #expect(try validate(process, #"{"name":"x"}"#) == [])
    }
}
