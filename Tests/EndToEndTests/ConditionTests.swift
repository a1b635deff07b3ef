import RxJSON
import TestSupport
import Testing

/// `enabled = { reactor, when }`.
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
            let reason = try await sandbox.rxctl("why", "deploy").values().first?["reason"]
            #expect(reason == ["cause": "condition", "value": false, "reactor": "mode", "when": ".deploys"])
            #expect(try await sandbox.rxctl("dispatch", "mode", "deploys:=true").status == 0)
            try await eventually("it is enabled") { try await sandbox.rxctl("execute", "deploy").status == 0 }
            #expect(try await sandbox.rxctl("dispatch", "mode", "neither").status == 0)
            try await eventually("the program's fault is told") {
                let reason = try await sandbox.rxctl("why", "deploy").values().first?["reason"]
                return reason?["error"]?.string?.contains("Cannot index") == true
            }
            sandbox.configure(
                Self.configuration.replacing(#"".deploys""#, with: #"". == \"neither\"""#), file: "conf.d/mode.toml")
            #expect(try await sandbox.rxctl("reload").values().first?["unchanged"]?.array?.contains("mode") == true)
            #expect(try await sandbox.rxctl("execute", "deploy").status == 0)
            try await sandbox.stopCleanly(daemon)
        }
    }
}
