import RxJSON
import RxProcess
import TestSupport
import Testing

@testable import RxConfiguration

@Suite(.countedApart)
struct SecretArgumentTests {
    private let directory = TemporaryDirectory()

    private func load(_ text: String) throws -> Configuration {
        directory.write("rxd.toml", text)
        return try Configuration.load(directory: directory.path)
    }

    @Test("`as` decides whether a part of the input is an argument or in a file")
    func forms() throws {
        let actions = try load(
            """
            [action.a]
            run = ["x", { input = "/a" }, { input = "/a", as = "argument" }, { input = "/a", as = "file" }]
            """
        ).actions
        guard case .process(let process) = actions[0].kind else {
            Issue.record("no process")
            return
        }
        let pointer = try JSONPointer("/a")
        #expect(
            process.arguments == [.text("x"), .pointer(pointer, "/a"), .pointer(pointer, "/a"), .file(pointer, "/a")])
        let fault = #expect(throws: ConfigurationErrors.self) {
            try load("[action.a]\nrun = [\"x\", { input = \"/a\", as = \"path\" }]")
        }
        #expect(
            fault?.faults.map(\.description) == [
                directory.path + #"/rxd.toml:2: action.a.run[1].as: must be one of "argument", "file", not "path""#
            ])
    }

    @Test("another form of the same argument is another action for a reload")
    func fingerprints() throws {
        let forms = ["", ", as = \"file\""].map { "[action.a]\nrun = [\"x\", { input = \"/a\"\($0) }]" }
        let fingerprints = try forms.map { try load($0).actions[0].fingerprint }
        #expect(fingerprints[0] != fingerprints[1])
    }

    @Test("a secret in an argument is a warning with file, line, and remedy")
    func warning() throws {
        let configuration = try load(
            """
            [action.publish]
            run = [
                "publish",
                { input = "/file" },
                { input = "/token" },
                { input = "/token", as = "file" },
            ]
            [action.publish.input.properties]
            token = { type = "string", writeOnly = true }
            """)
        #expect(
            configuration.warnings.map { $0.description.replacing(directory.path + "/", with: "") } == [
                "rxd.toml:5: warning: action.publish.run[2]: every user of the machine can read arguments, and the "
                    + "schema marks /token as writeOnly; pass the path of a file instead: "
                    + #"{ input = "/token", as = "file" }"#
            ])
    }

    @Test(
        "a value is secret if the schema marks it, or what it is in, in any alternative",
        arguments: [
            (#"{"properties":{"a":{"writeOnly":true}}}"#, "/a", true),
            (#"{"properties":{"a":{"writeOnly":true}}}"#, "/b", false),
            (#"{"properties":{"a":{"writeOnly":true}}}"#, "/a/b/c", true),
            (#"{"properties":{"a":{"properties":{"b":{"writeOnly":true}}}}}"#, "/a/b", true),
            (#"{"properties":{"a":{"properties":{"b":{"writeOnly":true}}}}}"#, "/a/c", false),
            (#"{"properties":{"a":{"items":{"writeOnly":true}}}}"#, "/a/3", true),
            (#"{"properties":{"a":{"properties":{"3":{"writeOnly":true}}}}}"#, "/a/3", true),
            (#"{"anyOf":[{},{"properties":{"a":{"writeOnly":true}}}]}"#, "/a", true),
            (##"{"properties":{"a":{"$ref":"#/definitions/t"}},"definitions":{"t":{"writeOnly":true}}}"##, "/a", true),
            (#"{"writeOnly":true}"#, "", true), (#"{"writeOnly":true}"#, "/a", true), (#"{}"#, "/a", false),
        ])
    func places(schema: String, pointer: String, isSecret: Bool) throws {
        let schema = try JSONSchema(RawJSON(validating: schema))
        #expect(schema.hides(try JSONPointer(pointer)) == isSecret)
    }
}
