import Glibc
import RxJSON
import TestSupport
import Testing

/// The history of executions: its contents, its retention, and its exceptions.
@Suite(.ownThreads(limit: .seconds(120)))
struct HistoryTests {
    @Test("a writeOnly value reaches the program, but no record, subscriber, file, or log")
    func redacted() async throws {
        try await withSandbox { sandbox in
            let turns = Turns(sandbox: sandbox)
            sandbox.configure(
                """
                [action.login]
                run = ["/bin/sh", "-c", '''
                cat > $0/given; until [ -e $0/all ]; do sleep 0.01; done
                ''', "\(sandbox.directory)"]
                overlap = "queue"
                durable = true
                input = { properties.password = { type = "string", writeOnly = true } }
                """, file: "conf.d/login.toml")
            var daemon = try await sandbox.startDaemon()
            let watcher = try await sandbox.startRxctl(
                "subscribe", "login", "--snapshot", "--channel", "executions", "--count", "2")
            try await eventually("it is subscribed") { !watcher.lines.isEmpty }
            let input = #"{"user":"ada","password":"hunter-two"}"#
            for _ in 1...2 { _ = try await sandbox.detach("login", input) }
            let list = try await sandbox.rxctl("call", "execution.list", "action=login")
            #expect(list.output.contains(#""user":"ada""#))
            #expect(!list.output.contains("hunter"))
            let watched = try await watcher.result().output
            #expect(watched.contains(#""user":"ada""#))
            #expect(!watched.contains("hunter"))
            turns.releaseAll()
            #expect(try await sandbox.rxctl("wait", "login").status == 0)
            #expect(Files.read(sandbox.directory + "/given")?.hasPrefix(input) == true)
            try await sandbox.stopCleanly(daemon)
            #expect(!daemon.error.contains("hunter"))
            for name in Files.names(in: sandbox.state) {
                #expect(Files.read("\(sandbox.state)/\(name)")?.contains("hunter") == false, "\(name)")
            }
            daemon = try await sandbox.startDaemon()
            let history = try await sandbox.history("login")
            let shown: JSONValue = ["user": "ada", "password": "[redacted]"]
            #expect(history.map { $0["input"] } == [shown, shown])
            try await sandbox.stopCleanly(daemon)
        }
    }

    @Test("records outlive the daemon, as they were")
    func outlives() async throws {
        try await withSandbox { sandbox in
            var daemon = try await sandbox.startDaemon()
            _ = try await sandbox.rxctl("execute", "exit3", "n:=1")
            _ = try await sandbox.rxctl("execute", "sleeper", "--timeout", "50ms")
            let before = [try await sandbox.history("exit3"), try await sandbox.history("sleeper")]
            #expect(before.map { $0.map { $0["state"] } } == [["failed"], ["timedOut"]])
            #expect(before[0].first?["error"]?["data"]?["exit"] == 3)
            try await sandbox.stopCleanly(daemon)
            daemon = try await sandbox.startDaemon()
            #expect([try await sandbox.history("exit3"), try await sandbox.history("sleeper")] == before)
            let id = try #require(before[0].first?["execution"]?.string)
            #expect(try await sandbox.rxctl("wait", id).status == 1)
            #expect(try await sandbox.rxctl("call", "execution.get", "execution=\(id)").values() == before[0])
            try await sandbox.stopCleanly(daemon)
        }
    }

    @Test("no more are kept than [history] allows; the oldest are removed first")
    func count() async throws {
        try await withSandbox { sandbox in
            sandbox.configure("[history]\ncount = 5\n\n[action.ok]\nrun = [\"/bin/true\"]\noverlap = \"queue\"\n")
            var daemon = try await sandbox.startDaemon()
            let ids = try await sandbox.shell(#"seq 1 12 | "$rxctl" execute ok --each --detach"#).lines
            #expect(try await sandbox.rxctl("wait", "ok").status == 0)
            try await sandbox.stopCleanly(daemon)
            daemon = try await sandbox.startDaemon()
            try await eventually("five are left") { try await sandbox.history("ok").count == 5 }
            #expect(try await sandbox.history("ok").map { $0["execution"]?.string } == Array(ids.suffix(5)))
            #expect(try await sandbox.rxctl("call", "execution.get", "execution=\(ids[0])").status == 5)
            try await sandbox.stopCleanly(daemon)
        }
    }

    @Test("the state is the daemon's user's alone")
    func modes() async throws {
        try await withSandbox { sandbox in
            sandbox.configure("[action.ok]\nrun = [\"/bin/true\"]\n")
            rmdir(sandbox.state)
            let daemon = try await sandbox.startDaemon()
            #expect(try await sandbox.rxctl("execute", "ok").status == 0)
            func mode(_ path: String) -> mode_t {
                var status = stat()
                return stat(path, &status) == 0 ? status.st_mode & 0o7777 : 0
            }
            #expect(mode(sandbox.state) == 0o700)
            let names = Files.names(in: sandbox.state)
            #expect(names.contains("rxd.db"))
            for name in names { #expect(mode("\(sandbox.state)/\(name)") == 0o600, "\(name)") }
            try await sandbox.stopCleanly(daemon)
        }
    }
}
