import RxJSON
import TestSupport
import Testing

/// `enabled` of actions, and what a reload does to streams.
@Suite(.ownThreads(limit: .seconds(120)))
struct ConditionTests {
    private static let configuration = """
        [reactor.mode]
        initial = { deploys = false }
        mutate = [{ mutation = ".action" }]
        reduce = ".mutation"

        [action.deploy]
        run = ["echo", "deployed"]
        enabled = { reactor = "mode", when = ".deploys" }

        """

    @Test("an action is enabled by a reactor's state, through a reload, and reports why it is not")
    func follows() async throws {
        try await withSandbox { sandbox in
            sandbox.configure(Self.configuration, file: "conf.d/mode.toml")
            let daemon = try await sandbox.startDaemon()
            #expect(try await sandbox.rxctl("execute", "deploy").status == 3)
            let unmet: JSONValue = ["cause": "condition", "value": false, "reactor": "mode", "when": ".deploys"]
            try await eventually("its condition is evaluated") {
                try await sandbox.rxctl("why", "deploy").values().first?["reason"] == unmet
            }
            #expect(try await sandbox.rxctl("dispatch", "mode", "deploys:=true").status == 0)
            try await eventually("it is enabled") { try await sandbox.rxctl("execute", "deploy").status == 0 }
            #expect(try await sandbox.rxctl("dispatch", "mode", "neither").status == 0)
            try await eventually("the program's fault is reported") {
                let reason = try await sandbox.rxctl("why", "deploy").values().first?["reason"]
                let error = reason?["error"]?.string ?? ""
                return error.contains("/conf.d/mode.toml:8: enabled.when: ") && error.contains("Cannot index")
            }
            // A message has the place as it is now.
            sandbox.configure("\n" + Self.configuration, file: "conf.d/mode.toml")
            #expect(try await sandbox.rxctl("reload").status == 0)
            try await eventually("the message has the new place") {
                let moved = try await sandbox.rxctl("why", "deploy").values().first?["reason"]?["error"]?.string
                return moved?.contains("/conf.d/mode.toml:9: enabled.when: ") == true
            }
            sandbox.configure(
                Self.configuration.replacing(#"".deploys""#, with: #"". == \"neither\"""#), file: "conf.d/mode.toml")
            #expect(try await sandbox.rxctl("reload").values().first?["unchanged"]?.array?.contains("mode") == true)
            try await eventually("it is enabled") { try await sandbox.rxctl("execute", "deploy").status == 0 }
            try await sandbox.stopCleanly(daemon)
        }
    }

    @Test("an action is enabled by a stream, a path, and parts of them, and why names the part that does not hold")
    func parts() async throws {
        try await withSandbox { sandbox in
            let flag = sandbox.directory + "/flag"
            let text = """
                [stream.level]
                subject = true

                [stream.high]
                subject = true
                enabled = { stream = "level", when = ". > 5" }

                [action.build]
                run = ["echo", "built"]
                enabled = { all = [{ path-exists = "\(flag)" }, { not = { stream = "level", when = ". > 9" } }] }

                """
            sandbox.configure(text, file: "conf.d/build.toml")
            let daemon = try await sandbox.startDaemon()
            func message() async throws -> String? {
                try await sandbox.rxctl("why", "build").values().first?["reason"]?["message"]?.string
            }
            try await eventually("the path is looked at") { try await message() == "\(flag) does not exist" }
            Files.write("", to: flag)
            try await eventually("it is enabled") { try await sandbox.rxctl("execute", "build").status == 0 }
            #expect(try await sandbox.rxctl("send", "level", "10").status == 0)
            try await eventually("the stream disables it") {
                try await message() == "this must not hold: . > 9 for the stream level"
            }
            let graph = try await sandbox.rxctl("graph", "--json").values().first
            let build = graph?["actions"]?.array?.first { $0["action"] == "build" }
            #expect(build?["conditions"] == [["kind": "stream", "name": "level", "label": ". > 9"]])
            let high = graph?["streams"]?.array?.first { $0["stream"] == "high" }
            #expect(high?["graph"]?["conditions"] == [["kind": "stream", "name": "level", "label": ". > 5"]])
            #expect(high?["state"] == "running")
            #expect(try await sandbox.rxctl("send", "level", "1").status == 0)
            try await eventually("it is enabled") { try await sandbox.rxctl("execute", "build").status == 0 }
            // Without a change, a reload leaves the condition alone.
            #expect(try await sandbox.rxctl("reload").status == 0)
            #expect(try await sandbox.rxctl("execute", "build").status == 0)
            try await sandbox.stopCleanly(daemon)
        }
    }

    @Test("a dry run lists what becomes of each stream, and prints faults as rxd --check does")
    func dryRun() async throws {
        try await withSandbox { sandbox in
            func configure(_ source: String, _ step: String, _ more: String) {
                sandbox.configure(
                    """
                    [stream.source]
                    \(source)
                    persist = true
                    [stream.steps]
                    subject = true
                    persist = true
                    through = [{ map = "\(step)" }]
                    [stream.same]
                    subject = true
                    \(more)
                    """, file: "conf.d/streams.toml")
            }
            configure("every = \"1h\"", ".", "[stream.old]\nsubject = true")
            let daemon = try await sandbox.startDaemon()
            configure("every = \"2h\"", ". + 1", "[stream.new]\nsubject = true")
            let dry = try await sandbox.rxctl("reload", "--dry-run").values().first?["streams"]
            #expect(
                dry == [
                    "started": ["new"], "stopped": ["old"], "startedOver": ["source"], "reset": ["steps"],
                    "restarted": [], "unchanged": ["same"],
                ])
            #expect(try await sandbox.rxctl("list", "--streams").values().contains { $0["stream"] == "old" })
            #expect(try await sandbox.rxctl("reload").values().first?["streams"] == dry)
            let again = try await sandbox.rxctl("reload", "--dry-run").values().first?["streams"]
            #expect(again?["unchanged"] == ["new", "same", "source", "steps"])
            configure("every = \"never\"", ".", "")
            let faulty = try await sandbox.rxctl("reload", "--dry-run")
            #expect(faulty.status == 78 && faulty.error.contains("streams.toml:2: stream.source.every"), "\(faulty)")
            #expect(try await sandbox.rxctl("reload").status == 2)
            try await sandbox.stopCleanly(daemon)
        }
    }
}
