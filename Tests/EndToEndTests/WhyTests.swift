import RxJSON
import TestSupport
import Testing

/// What `rxctl why` prints for people and for programs.
@Suite(.ownThreads(limit: .seconds(120)))
struct WhyTests {
    private static let configuration = """
        [action.slow]
        run = ["/bin/sh", "-c", "sleep 300 & wait"]
        overlap = "queue"
        grace = "1s"

        [action.backup]
        builtin = "echo"
        on = { calendar = "*-*-* 03:00" }

        """

    private func withDaemon(_ body: (Sandbox) async throws -> Void) async throws {
        try await withSandbox { sandbox in
            sandbox.configure(Self.configuration, file: "conf.d/why.toml")
            let daemon = try await sandbox.startDaemon()
            try await body(sandbox)
            try await sandbox.stopCleanly(daemon)
        }
    }

    @Test("why EXECUTION has what --after waits for, as long as it waits")
    func after() async throws {
        try await withDaemon { sandbox in
            let slow = try #require(try await sandbox.detach("slow", "{}")["execution"]?.string)
            let arguments = ["execute", "echo", "1", "--detach", "--after", "slow", "--if-completed"]
            let waiting = try #require(try await sandbox.rxctl(arguments).lines.first)
            let lines = try await sandbox.rxctl("why", waiting, "--format", "table").lines
            #expect(lines.first == "echo \(waiting) queued")
            let waits = ["  waits for the end of slow \(slow) executing, if", "    it completes"]
            #expect(Array(lines.dropFirst().prefix(2)) == waits, "\(lines)")
            let facts = try await sandbox.rxctl("why", waiting).values()[0]
            #expect(facts["waitsFor"]?[0] == ["execution": .string(slow), "action": "slow", "state": "executing"])
            #expect(facts["ifCompleted"] == true)
            #expect(try await sandbox.rxctl("cancel", slow).status == 0)
            #expect(try await sandbox.rxctl("wait", waiting).status == 1)
            #expect(try await sandbox.rxctl("why", waiting).values()[0]["waitsFor"] == nil)
            #expect(try await sandbox.rxctl("why", slow).values()[0]["waitsFor"] == nil)
        }
    }

    @Test("why STREAM and list --streams have why an action is disabled that the stream starts")
    func targets() async throws {
        try await withDaemon { sandbox in
            func why() async throws -> String { try await sandbox.rxctl("why", "backup@1", "--format", "table").output }
            #expect(try await !why().contains("not enabled"))
            #expect(try await sandbox.rxctl("disable", "backup", "--reason", "moving").status == 0)
            let text = try await why()
            #expect(text.contains("backup is not enabled: switched off") && text.contains("moving."), "\(text)")
            let list = try await sandbox.rxctl("list", "--streams", "--format", "table").output
            #expect(list.contains("backup (disabled: manual)"), "\(list)")
        }
    }
}
