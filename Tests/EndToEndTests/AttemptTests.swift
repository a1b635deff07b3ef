import Glibc
import RxJSON
import TestSupport
import Testing

/// The attempts of work that is tried again: in the history, in events, and on stderr.
@Suite(.ownThreads(limit: .seconds(120)))
struct AttemptTests {
    private func withFlaky(_ body: (Sandbox, Program) async throws -> Void) async throws {
        try await withSandbox { sandbox in
            sandbox.configure(
                """
                [action.flaky]
                run   = ["/bin/sh", "-c", '[ "$RX_ATTEMPT" -ge "$0" ] || exit 3; echo done', { input = "" }]
                retry = { attempts = 3, delay = "10ms" }

                [action.slow]
                run   = ["/bin/sh", "-c", "exit 3"]
                retry = { attempts = 3, delay = "1h" }

                """, file: "conf.d/flaky.toml")
            let daemon = try await sandbox.startDaemon()
            try await body(sandbox, daemon)
        }
    }

    @Test("while it is followed, each failed attempt is a line on stderr, and with --each it has the input's line")
    func followed() async throws {
        try await withFlaky { sandbox, daemon in
            let result = try await sandbox.rxctl("execute", "flaky", "3")
            #expect(result.status == 0)
            #expect(result.lines == ["\"done\""])
            #expect(
                result.error == """
                    rxctl: attempt 1 of 3 failed (exit 3), again in 10ms
                    rxctl: attempt 2 of 3 failed (exit 3), again in 20ms

                    """)
            let each = try await sandbox.shell("printf '1\\n2\\n' | $rxctl execute flaky --each")
            #expect(each.error == "rxctl: line 2: attempt 1 of 3 failed (exit 3), again in 10ms\n")
            #expect(each.status == 0)
            try await sandbox.stopCleanly(daemon)
        }
    }

    @Test("records have the number of the last attempt, also after a restart; those of other actions have none")
    func history() async throws {
        try await withFlaky { sandbox, first in
            #expect(try await sandbox.rxctl("execute", "flaky", "2").status == 0)
            #expect(try await sandbox.rxctl("execute", "flaky", "9").status == 1)
            #expect(try await sandbox.rxctl("execute", "exit3").status == 1)
            let attempts: [[JSONValue?]] = [[2, 3], [3, 3]]
            func found() async throws -> [[JSONValue?]] {
                try await sandbox.history("flaky").map { [$0["attempt"], $0["attempts"]] }
            }
            #expect(try await found() == attempts)
            #expect(try await sandbox.history("exit3").map { $0["attempt"] } == [nil])
            try await sandbox.stopCleanly(first)
            let second = try await sandbox.startDaemon()
            #expect(try await found() == attempts)
            try await sandbox.stopCleanly(second)
        }
    }

    @Test("the channel executions has each attempt and each failure, also for a reader after a restart")
    func events() async throws {
        try await withFlaky { sandbox, first in
            #expect(try await sandbox.rxctl("execute", "flaky", "2").status == 0)
            func events() async throws -> [String] {
                let result = try await sandbox.rxctl(
                    "subscribe", "flaky", "--channel", "executions", "--from", "start", "--count", "4")
                #expect(result.status == 0, "\(result.error)")
                return try result.values().map { event in
                    let record = event["value"]
                    let retry = record?["retry"].map { " again in \($0["delay"]?.string ?? "")" } ?? ""
                    let exit = record?["retry"]?["error"]?["data"]?["exit"]?.int.map { " (exit \($0))" } ?? ""
                    return "\(record?["state"]?.string ?? "") \(record?["attempt"]?.int ?? 0)\(retry)\(exit)"
                }
            }
            let expected = ["executing 1", "executing 1 again in 10ms (exit 3)", "executing 2", "completed 2"]
            #expect(try await events() == expected)
            try await sandbox.stopCleanly(first)
            let second = try await sandbox.startDaemon()
            #expect(try await events() == expected)
            try await sandbox.stopCleanly(second)
        }
    }

    @Test("without a journal, logs has each failed attempt, while the next one is waited for and after a restart")
    func logs() async throws {
        try await withFlaky { sandbox, first in
            func texts(_ target: String) async throws -> [String] {
                let records = try await sandbox.rxctl("logs", target, "--json").values()
                return records.compactMap { $0["kind"] == "attempt" ? $0["text"]?.string : nil }
            }
            let id = try await sandbox.detach("slow", "null")["execution"]?.string ?? ""
            try await eventually("the first attempt has failed") {
                try await texts(id) == ["1 of 3 failed: the process exited with 3; the next in 1h"]
            }
            #expect(try await sandbox.rxctl("execute", "flaky", "9").status == 1)
            let expected = [
                "1 of 3 failed: the process exited with 3; the next in 10ms",
                "2 of 3 failed: the process exited with 3; the next in 20ms",
            ]
            #expect(try await texts("flaky") == expected)
            // The words of the journal, where there is one.
            try await first.logs("flaky failed, attempt 1 of 3: the process exited with 3; the next in 10ms")
            try await sandbox.stopCleanly(first)
            let second = try await sandbox.startDaemon()
            #expect(try await texts("flaky") == expected)
            try await sandbox.stopCleanly(second)
        }
    }

    @Test("while it waits for the next attempt, the record states why and until when; a crash keeps the number")
    func waiting() async throws {
        try await withFlaky { sandbox, first in
            let id = try await sandbox.detach("slow", "null")["execution"]?.string ?? ""
            func record() async throws -> JSONValue {
                try await sandbox.rxctl("call", "execution.get", #"{"execution":"\#(id)"}"#).values().first ?? .null
            }
            try await eventually("the first attempt has failed") { try await record()["retry"] != nil }
            let waiting = try await record()
            #expect(waiting["state"] == "executing")
            #expect(waiting["retry"]?["error"]?["data"]?["exit"] == 3)
            #expect(waiting["retry"]?["delay"] == "1h")
            first.signal(SIGKILL)
            _ = try await first.result()
            let second = try await sandbox.startDaemon()
            let ended = try await record()
            #expect(ended["state"] == "interrupted")
            #expect(ended["attempt"] == 1 && ended["attempts"] == 3)
            #expect(ended["retry"] == nil)
            try await sandbox.stopCleanly(second)
        }
    }
}
