import RxJSON
import TestSupport
import Testing

/// An action's input schema, with the real binaries.
@Suite(.ownThreads(limit: .seconds(120)))
struct SchemaTests {
    private func configure(_ sandbox: Sandbox, version: String) {
        Files.write(
            """
            {
              "type": "object",
              "required": ["env", "version"],
              "properties": {
                "env": { "enum": ["prod", "staging"] },
                "version": { "type": "string", "pattern": "^\(version)" },
                "port": { "type": "integer", "maximum": 65535 }
              },
              "additionalProperties": false
            }
            """, to: "\(sandbox.config)/deploy.json")
        sandbox.configure(
            """
            [action.deploy]
            run = ["/bin/sh", "-c", "touch '\(sandbox.directory)/started'; cat"]
            output = "json"
            input = "deploy.json"

            [action.count]
            builtin = "ticks"
            input = { required = ["count"], properties.count = { maximum = 3 } }

            """, file: "conf.d/schema.toml")
    }

    private func withSchemas(_ body: (Sandbox, Program) async throws -> Void) async throws {
        try await withSandbox { sandbox in
            configure(sandbox, version: "v")
            let daemon = try await sandbox.startDaemon()
            try await body(sandbox, daemon)
            try await sandbox.stopCleanly(daemon)
        }
    }

    @Test("2: an input against the schema is refused with every path, and the program does not start")
    func refused() async throws {
        try await withSchemas { sandbox, _ in
            let input = #"{"env":"dev","port":"x","a/b":1}"#
            let lines = [
                "deploy needs version=<string", "/input/a~1b: is not a known property",
                #"/input/env: must be one of "prod", "staging""#, "/input/port: must be an integer",
            ]
            // What the action needs is in the answer if the daemon returns the schema within a second.
            try await eventually("people get every path") {
                let people = try await sandbox.rxctl("execute", "deploy", input)
                #expect(people.status == 2)
                #expect(people.output == "")
                return lines.allSatisfy { people.error.contains($0) }
            }
            try await eventually("programs get every path") {
                let json = try await sandbox.rxctl("execute", "deploy", input, "--json")
                #expect(json.status == 2)
                let error = try RawJSON(validating: json.error).value()
                let errors = (error["data"] ?? error["error"]?["data"])?["errors"]?.array ?? []
                let paths = errors.compactMap { $0["path"]?.string }
                return paths == ["/input", "/input/a~1b", "/input/env", "/input/port"]
            }

            #expect(!Files.exists(sandbox.directory + "/started"))
            // The very program that would have started.
            let accepted = try await sandbox.rxctl("execute", "deploy", #"{"env":"prod","version":"v1"}"#)
            #expect(accepted.status == 0)
            #expect(accepted.output == #"{"env":"prod","version":"v1"}"# + "\n")
            #expect(Files.exists(sandbox.directory + "/started"))
        }
    }

    @Test("a built-in's input is checked against its schema, then by itself")
    func builtin() async throws {
        try await withSchemas { sandbox, _ in
            let refused = try await sandbox.rxctl("execute", "count", #"{"count":9,"interval":"x"}"#)
            #expect(refused.status == 2)
            #expect(refused.error.contains("/input/count: must be at most 3"))
            #expect(!refused.error.contains("interval"))
            let own = try await sandbox.rxctl("execute", "count", #"{"count":1,"interval":"x"}"#)
            #expect(own.status == 2)
            #expect(own.error.contains("interval"))
        }
    }

    @Test("describe shows the schema, and null without one")
    func described() async throws {
        try await withSchemas { sandbox, _ in
            let count = try await sandbox.rxctl("call", "action.describe", #"{"action":"count"}"#)
            #expect(count.output.contains(#""schema":{"properties":{"count":{"maximum":3}},"required":["count"]}"#))
            let deploy = try await sandbox.rxctl("call", "action.describe", #"{"action":"deploy"}"#)
            #expect(deploy.output.contains(#""schema":{"type":"object","required":["env","version"]"#))
            let echo = try await sandbox.rxctl("call", "action.describe", #"{"action":"echo"}"#)
            #expect(echo.output.contains(#""schema":null"#))
        }
    }

    @Test("a changed schema file takes effect on reload; a broken one is reported with its place and changes nothing")
    func reload() async throws {
        try await withSchemas { sandbox, _ in
            configure(sandbox, version: "w")
            let change = try await sandbox.rxctl("call", "server.reload")
            #expect(change.output.contains(#""changed":["deploy"]"#), "\(change.output)")
            let old = try await sandbox.rxctl("execute", "deploy", #"{"env":"prod","version":"v1"}"#)
            #expect(old.status == 2)
            #expect(old.error.contains("must match the pattern ^w"))

            Files.write(#"{"type":"strng"}"#, to: "\(sandbox.config)/deploy.json")
            let check = try await sandbox.start([Programs.rxd, "--check", "--config", sandbox.config]).result()
            #expect(check.status == 78)
            #expect(
                (check.error + check.output).contains(
                    "schema.toml:4: action.deploy.input: deploy.json: /type: must be one of"),
                "\(check.error)\(check.output)")
            _ = try await sandbox.rxctl("call", "server.reload")
            let kept = try await sandbox.rxctl("execute", "deploy", #"{"env":"prod","version":"w1"}"#)
            #expect(kept.status == 0)
        }
    }
}
