import Glibc
import RxJSON
import TestSupport
import Testing

/// Work that is tried again.
@Suite(.ownThreads(limit: .seconds(120)))
struct RetryTests {
    /// An action that writes its attempts to a file of its name. It exits with the status in its input, or with 0 from
    /// attempt `good` on.
    private func action(_ name: String, _ more: String, in sandbox: Sandbox) -> String {
        """
        [action.\(name)]
        run = ["/bin/sh", "-c", '''
        echo "$RX_ATTEMPT" | tee -a "$0/\(name)"; echo "attempt $RX_ATTEMPT" >&2
        [ "$RX_ATTEMPT" -ge "$2" ] || exit "$1"
        ''', "\(sandbox.directory)", { input = "/exit" }, { input = "/good" }]
        \(more)

        """
    }

    private func withActions(_ body: (Sandbox, Program) async throws -> Void) async throws {
        try await withSandbox { sandbox in
            let quick = #"retry = { attempts = 3, delay = "10ms", backoff = 3 }"#
            let slow = #"retry = { attempts = 3, delay = "1h" }"#
            sandbox.configure(
                action("quick", quick, in: sandbox) + action("slow", slow, in: sandbox)
                    + action("limited", slow + "\ntimeout = \"10s\"", in: sandbox), file: "conf.d/retry.toml")
            let daemon = try await sandbox.startDaemon()
            try await body(sandbox, daemon)
            try await sandbox.stopCleanly(daemon)
        }
    }

    @Test("two failures and a success are one completed execution, its attempts counted, its retries in the journal")
    func succeeds() async throws {
        try await withActions { sandbox, daemon in
            let result = try await sandbox.rxctl("execute", "quick", "exit=1", "good=3")
            #expect(result.status == 0, "\(result.error)")
            #expect(result.lines == [#""1""#, #""2""#, #""3""#])
            let history = try await sandbox.history("quick")
            #expect(history.map { $0["state"] } == ["completed"])
            #expect(history.first?["error"] == .null)
            try await daemon.logs("quick completed")
            let retries = daemon.error.split(separator: "\n").filter { $0.contains(" failed, attempt ") }
            #expect(retries.count == 2)
            #expect(retries.first?.contains("attempt 1 of 3: the process exited with 1; the next in 10ms") == true)
            #expect(retries.last?.contains("attempt 2 of 3: the process exited with 1; the next in 30ms") == true)
            let id = try #require(history.first?["execution"]?.string)
            #expect(retries.allSatisfy { $0.contains("execution=\(id)") })
        }
    }

    @Test("when all attempts have failed the execution fails as the last one did")
    func exhausted() async throws {
        try await withActions { sandbox, _ in
            let result = try await sandbox.rxctl("execute", "quick", "exit=9", "good=4", "--json")
            #expect(result.status == 1)
            #expect(result.lines.count == 3)
            let data = try result.refusal()["data"]
            #expect(data?["exit"] == 9)
            #expect(data?["stderr"]?.string?.contains("attempt 3") == true)
            #expect(try await sandbox.rxctl("execute", "quick", "exit=9", "good=4", "--propagate").status == 9)
        }
    }

    @Test("a failure that will not pass is the end at once", arguments: [64, 65, 77, 78, 126, 127])
    func permanent(status: Int) async throws {
        try await withActions { sandbox, daemon in
            let result = try await sandbox.rxctl("execute", "slow", "exit=\(status)", "good=2", "--propagate")
            #expect(result.status == status)
            #expect(result.lines == [#""1""#])
            #expect(!daemon.error.contains("the next in"))
        }
    }

    @Test("cancel and Ctrl-C end it at once while it waits for the next attempt")
    func cancelled() async throws {
        try await withActions { sandbox, daemon in
            let other = try await sandbox.startRxctl("execute", "slow", "exit=1", "good=2")
            try await eventually("it waits") { daemon.error.contains("the next in 1h") }
            let id = try await sandbox.executionID(of: "slow")
            #expect(try await sandbox.rxctl("cancel", id).values().first?["state"] == "cancelled")
            #expect(try await other.result().status == 1)

            let own = try await sandbox.startRxctl("execute", "slow", "exit=1", "good=2")
            try await eventually("it waits again") {
                daemon.error.split(separator: "\n").filter { $0.contains("the next in 1h") }.count == 2
            }
            own.signal(SIGINT)
            #expect(try await own.result().status == 130)
            #expect(Files.read("\(sandbox.directory)/slow") == "1\n1\n")
            #expect(try await sandbox.describe("slow")["executing"] == false)
        }
    }

    @Test("the time-out is for all attempts and the time between them")
    func timeout() async throws {
        try await withActions { sandbox, _ in
            let result = try await sandbox.rxctl("execute", "limited", "exit=1", "good=2", "--json")
            #expect(result.status == 124)
            #expect(try result.refusal()["data"]?["timeout"] == "10s")
            #expect(Files.read("\(sandbox.directory)/limited") == "1\n")
            #expect(try await sandbox.history("limited").map { $0["state"] } == ["timedOut"])
        }
    }
}
