import Glibc
import TestSupport
import Testing

@Suite(.ownThreads(limit: .seconds(120)))
struct LifecycleTests {
    @Test("SIGTERM ends executions and subscriptions, and exits 0")
    func terminate() async throws {
        try await withSandbox { sandbox in
            let daemon = try await sandbox.startDaemon()
            let subscription = try await sandbox.startRxctl("subscribe", "echo", "--snapshot", "--no-reconnect")
            try await eventually("it is subscribed") { !subscription.lines.isEmpty }
            let execution = try await sandbox.startRxctl("execute", "sleeper")
            try await eventually("it is executing") { !execution.lines.isEmpty }
            try await sandbox.stopCleanly(daemon)
            let ended = try await subscription.result()
            #expect(ended.status == 69)
            #expect(ended.lines.last?.contains(#""channel":"end""#) == true)
            #expect(ended.lines.last?.contains(#""reason":"shutdown""#) == true)
            let status = try await execution.result().status
            #expect(status == 69 || status == 1, "its end was told, or that the daemon stops")
        }
    }

    @Test("subscribers get their end, also after a long stop or a second signal", arguments: [true, false])
    func leaving(withSecondSignal: Bool) async throws {
        try await withSandbox { sandbox in
            sandbox.configure(
                """
                [rxd]
                stop-timeout = "\(withSecondSignal ? "1h" : "300ms")"

                [action.stubborn]
                run = ["/bin/sh", "-c", "trap '' TERM; echo up; while :; do sleep 1; done"]
                grace = "1h"

                [action.echo]
                builtin = "echo"

                """)
            let daemon = try await sandbox.startDaemon()
            let subscription = try await sandbox.startRxctl("subscribe", "echo", "--snapshot", "--no-reconnect")
            try await eventually("it is subscribed") { !subscription.lines.isEmpty }
            let execution = try await sandbox.startRxctl("execute", "stubborn")
            try await eventually("it is executing") { !execution.lines.isEmpty }
            // Neither a wish to reload nor a reason to hurry, once it is stopping.
            if withSecondSignal {
                daemon.signal(SIGTERM)
                try await eventually("it is stopping") { daemon.error.contains("stopping") }
                daemon.signal(SIGHUP)
            }
            try await sandbox.stopCleanly(daemon)
            #expect(!daemon.error.contains("reloaded"))
            let ended = try await subscription.result()
            #expect(ended.lines.last?.contains(#""reason":"shutdown""#) == true, "\(ended.lines)")
        }
    }

    @Test("SIGHUP adds new actions and keeps executions in flight")
    func reload() async throws {
        try await withDaemon { sandbox, daemon in
            let execution = try await sandbox.startRxctl("execute", "ticks", #"{"interval":"20ms"}"#)
            try await eventually("it is executing") { !execution.lines.isEmpty }
            sandbox.configure("[action.added]\nbuiltin = \"echo\"\n", file: "conf.d/added.toml")
            daemon.signal(SIGHUP)
            try await eventually("the new action is there") {
                try await sandbox.rxctl("execute", "added", "7").output == "7\n"
            }
            let before = execution.lines.count
            try await eventually("the execution goes on") { execution.lines.count > before }

            unlink(sandbox.config + "/conf.d/added.toml")
            daemon.signal(SIGHUP)
            try await eventually("it is gone again") { try await sandbox.rxctl("execute", "added").status == 5 }
            execution.signal(SIGINT)
            #expect(try await execution.result().status == 130)
        }
    }

    @Test("SIGHUP with a broken configuration keeps the old one and logs the faults")
    func brokenReload() async throws {
        try await withDaemon { sandbox, daemon in
            sandbox.configure("[action.broken]\nrun = 3\nnosuch = true\n", file: "conf.d/broken.toml")
            daemon.signal(SIGHUP)
            try await eventually("the daemon reports why") {
                daemon.error.contains("broken.toml") && daemon.error.contains("nosuch")
            }
            #expect(try await sandbox.rxctl("execute", "echo", "1").output == "1\n")
            #expect(try await sandbox.rxctl("describe", "broken").status == 5)
        }
    }

    @Test("--check warns of a program that is not there and of a word for a shell; a start looks at no file")
    func filesOfCommands() async throws {
        try await withSandbox { sandbox in
            sandbox.configure("[action.a]\nrun = [\"/nowhere/a\", \"~/x\"]\n", file: "conf.d/a.toml")
            let check = try await sandbox.start([Programs.rxd, "--check", "--config", sandbox.config]).result()
            #expect(check.error.contains("/nowhere/a cannot be executed"))
            #expect(check.error.contains("~ is not expanded"))
            let daemon = try await sandbox.startDaemon()
            try await daemon.logs("~ is not expanded")
            #expect(!daemon.error.contains("cannot be executed"))
            try await sandbox.stopCleanly(daemon)
        }
    }

    @Test("a retired key is a warning: --check prints it and exits 0, and a start and a reload log it")
    func retiredKey() async throws {
        try await withSandbox { sandbox in
            sandbox.configure(Sandbox.actions + "[reactor.tasks]\nbuiltin = \"tasks\"\n", file: "rxd.toml")
            let line = Sandbox.actions.split(separator: "\n", omittingEmptySubsequences: false).count + 1
            let warning = "\(sandbox.config)/rxd.toml:\(line): warning: reactor.tasks.builtin: is retired"
            let check = try await sandbox.start([Programs.rxd, "--check", "--config", sandbox.config]).result()
            #expect(check.status == 0)
            #expect(check.error.contains(warning) && check.error.contains("Examples/TodoDaemon"), "\(check.error)")
            let daemon = try await sandbox.startDaemon()
            let record = "rxd: warning: \(sandbox.config)/rxd.toml:\(line): reactor.tasks.builtin: is retired"
            func count() -> Int { daemon.error.split(separator: record, omittingEmptySubsequences: false).count - 1 }
            try await eventually("the start has logged it") { count() == 1 }
            #expect(try await sandbox.rxctl("state", "tasks").status == 5)
            #expect(try await sandbox.rxctl("reload").status == 0)
            try await eventually("the reload has logged it") { count() == 2 }
            try await sandbox.stopCleanly(daemon)
        }
    }

    @Test("a reload changes the log level")
    func logLevel() async throws {
        try await withSandbox { sandbox in
            let daemon = try await sandbox.startDaemon()
            sandbox.configure("[rxd]\nlog-level = \"error\"\n" + Sandbox.actions)
            #expect(try await sandbox.rxctl("reload").status == 0)
            #expect(try await sandbox.rxctl("reload").status == 0)
            try await daemon.logs("ready with")
            #expect(!daemon.error.contains("reloaded:"), "\(daemon.error)")
            sandbox.configure(Sandbox.actions)
            #expect(try await sandbox.rxctl("reload").status == 0)
            try await daemon.logs("reloaded:")
            try await sandbox.stopCleanly(daemon)
        }
    }

    @Test("a bad configuration exits 78 and lists every fault with its file, line and key")
    func badConfiguration() async throws {
        try await withSandbox { sandbox in
            sandbox.configure(
                "[action.one]\nbuiltin = \"nosuch\"\n\n[action.two]\nbuiltin = \"echo\"\ncolour = \"red\"\n")
            sandbox.configure("[action.three]\nrun = [\n", file: "conf.d/syntax.toml")
            for check in [["--check"], []] {
                let daemon = try await sandbox.start(
                    [Programs.rxd, "--config", sandbox.config, "--socket", sandbox.socket, "--state", sandbox.state]
                        + check)
                let result = try await daemon.result()
                let said = result.output + result.error
                #expect(result.status == 78)
                #expect(said.contains("rxd.toml:2"))
                #expect(said.contains("nosuch"))
                #expect(said.contains("rxd.toml:6"))
                #expect(said.contains("colour"))
                #expect(said.contains("syntax.toml"))
                #expect(!Files.exists(sandbox.socket))
            }
        }
    }

    @Test("--check of a good configuration exits 0 and starts nothing")
    func check() async throws {
        try await withSandbox { sandbox in
            let daemon = try await sandbox.start([
                Programs.rxd, "--config", sandbox.config, "--socket", sandbox.socket, "--state", sandbox.state,
                "--check",
            ])
            #expect(try await daemon.result().status == 0)
            #expect(!Files.exists(sandbox.socket))
        }
    }

    @Test("a second daemon on the same socket is refused, and the first continues")
    func secondDaemon() async throws {
        try await withDaemon { sandbox, _ in
            let other = sandbox.directory + "/other-state"
            mkdir(other, 0o700)
            let second = try await sandbox.start(
                [Programs.rxd, "--config", sandbox.config, "--socket", sandbox.socket, "--state", other])
            let result = try await second.result()
            #expect(result.status != 0)
            #expect(result.error.contains(sandbox.socket))
            #expect(try await sandbox.rxctl("execute", "echo", "1").output == "1\n")
        }
    }

    @Test("--wait finds a daemon that comes up later")
    func wait() async throws {
        try await withSandbox { sandbox in
            let early = try await sandbox.startRxctl("execute", "echo", "1", "--wait", "50s")
            let daemon = try await sandbox.startDaemon()
            let result = try await early.result()
            #expect(result.status == 0)
            #expect(result.output == "1\n")
            try await sandbox.stopCleanly(daemon)
        }
    }
}
