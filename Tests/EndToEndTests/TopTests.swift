import Glibc
import RxJSON
import TestSupport
import Testing

/// `rxctl top` with a real daemon, in a real terminal.
@Suite(.ownThreads(limit: .seconds(180)), .enabled(if: Programs.installed("tmux") != nil, "tmux is not installed"))
struct TopTests {
    private static let configuration = """
        [action.echo]
        builtin = "echo"

        [action.deploy]
        description = "Deploys a version"
        run = ["/bin/sh", "-c", "echo one; echo two; exit 3"]

        [action.release]
        run = ["printf", "released %s to %s\\n", { input = "/version" }, { input = "/env" }]
        input = "release.json"

        [action.sleeper]
        run = ["/bin/sh", "-c", "sleep 300 & wait"]
        grace = "1s"
        overlap = "concurrent"

        [stream.clock]
        every = "1h"

        """

    private static let schema = """
        {"type": "object", "required": ["env", "version"], "properties":
        {"env": {"enum": ["staging", "prod"]}, "version": {"type": "string"}}}
        """

    private func withTop(
        columns: Int = 80, environment: [String: String] = [:], _ body: (Sandbox, Program, Tmux) async throws -> Void
    ) async throws {
        try await withSandbox { sandbox in
            sandbox.configure(Self.configuration)
            Files.write(Self.schema, to: sandbox.config + "/release.json")
            let daemon = try await sandbox.startDaemon()
            try await withTmux(sandbox, columns: columns, environment: environment) { tmux in
                try await tmux.type("clear; stty -g >modes; echo before")
                try await tmux.press("Enter")
                try await eventually("the screen is clear") { try await tmux.screen().hasPrefix("before\n") }
                try await tmux.type(#""$rxctl" top"#)
                try await tmux.press("Enter")
                try await tmux.shows("● live")
                try await body(sandbox, daemon, tmux)
            }
            daemon.signal(SIGTERM)
            _ = try await daemon.result()
        }
    }

    /// The shell has its terminal back: its screen, its cursor, and its modes.
    private func expectClean(_ tmux: Tmux, status: Int) async throws {
        try await tmux.type("echo =$?=; [ \"$(stty -g)\" = \"$(cat modes)\" ] && echo same modes")
        try await tmux.press("Enter")
        try await tmux.shows("\nsame modes")
        let screen = try await tmux.screen()
        #expect(screen.hasPrefix("before\n"), "\(screen)")
        #expect(screen.contains("\n=\(status)="), "\(screen)")
        #expect(try await tmux.state("#{alternate_on} #{cursor_flag} #{mouse_any_flag}") == "0 1 0")
    }

    @Test("shows what there is, selects, filters, and quits with the terminal as it was")
    func looking() async throws {
        try await withTop { sandbox, daemon, tmux in
            try await tmux.shows("Deploys a version")
            // The load needs two snapshots.
            try await tmux.shows("cpu ")
            let screen = try await tmux.screen()
            for text in ["▸ deploy", "  echo", "  sleeper", "○ enabled", "  clock", "● running", "mem "] {
                #expect(screen.contains(text), "\(text) is not in\n\(screen)")
            }
            #expect(screen.contains("$ rxctl history deploy"))
            #expect(screen.contains("Deploys a version"))
            try await tmux.press("Down")
            try await tmux.shows("$ rxctl history echo")
            try await tmux.type("/sle")
            try await tmux.hides("  echo")
            try await tmux.shows("▸ sleeper")
            try await tmux.press("Enter")
            try await tmux.shows("$ rxctl history sleeper")
            try await tmux.press("Escape")
            try await tmux.shows("  echo")
            #expect(try await tmux.state("#{alternate_on} #{mouse_any_flag}") == "1 0")
            try await tmux.type("q")
            try await tmux.hides("● live")
            try await expectClean(tmux, status: 0)
        }
    }

    @Test("cancels what is in flight after a yes")
    func cancelling() async throws {
        try await withTop { sandbox, daemon, tmux in
            for _ in 1...2 { #expect(try await sandbox.rxctl("execute", "sleeper", "--detach").status == 0) }
            try await tmux.type("/slee")
            try await tmux.press("Enter")
            try await tmux.shows("2 in flight")
            try await tmux.type("x")
            try await tmux.shows("Cancel 2 executions of sleeper? y/n")
            #expect(try await tmux.screen().contains("$ rxctl cancel sleeper"))
            try await tmux.type("y")
            try await tmux.shows("✓ canceled 2 executions of sleeper")
            try await tmux.shows("⊘⊘")
            let history = try await sandbox.rxctl("history", "sleeper", "--state", "cancelled")
            #expect(history.lines.count == 2)
        }
    }

    @Test("takes a pasted text for a text, and never for keys")
    func pasting() async throws {
        try await withTop { sandbox, daemon, tmux in
            try await tmux.shows("Deploys a version")
            try await tmux.paste("d\rq\n")
            try await tmux.type("/")
            try await tmux.paste("sle")
            try await tmux.shows("▸ sleeper")
            try await tmux.hides("  echo")
            #expect(try await sandbox.rxctl("list").values().allSatisfy { $0["enabled"] == true })
        }
    }

    @Test("executes with a form of the schema")
    func executing() async throws {
        try await withTop { sandbox, daemon, tmux in
            try await tmux.type("/rel")
            try await tmux.press("Enter")
            try await tmux.type("e")
            try await tmux.shows("version*")
            try await tmux.press("Right", "Down")
            try await tmux.type("v7 日本")
            try await tmux.shows("$ rxctl execute release env=prod 'version=v7 日本'")
            try await tmux.press("Enter")
            try await tmux.shows("✓ release executes ")
            try await eventually("it has completed") {
                try await sandbox.rxctl("output", "release").output == "\"released v7 日本 to prod\"\n"
            }
        }
    }

    @Test("disables with a reason, shows why, and enables again")
    func disabling() async throws {
        try await withTop { sandbox, daemon, tmux in
            try await tmux.type("d")
            try await tmux.shows("Why is deploy disabled?")
            try await tmux.type("disk full")
            try await tmux.shows("$ rxctl disable deploy --reason 'disk full'")
            try await tmux.press("Enter")
            try await tmux.shows("✕ disabled: disk full")
            #expect(try await sandbox.rxctl("execute", "deploy").status == 3)
            try await tmux.type("y")
            try await tmux.shows("deploy is not enabled: switched off since")
            #expect(try await tmux.screen().contains("$ rxctl why deploy"))
            try await tmux.press("Escape")
            try await tmux.hides("$ rxctl why deploy")
            try await tmux.type("d")
            try await tmux.shows("Enable deploy? y/n")
            try await tmux.type("y")
            try await tmux.hides("✕ disabled: disk full")
            #expect(try await sandbox.rxctl("execute", "deploy").status == 1)
        }
    }

    @Test("goes back in time, event by event, and returns")
    func past() async throws {
        try await withTop { sandbox, daemon, tmux in
            #expect(try await sandbox.rxctl("execute", "deploy").status == 1)
            try await tmux.shows("1 end: 1 failed")
            try await tmux.press("Left")
            try await tmux.shows("◀ ")
            try await tmux.shows("--until")
            try await tmux.shows("1 end: 1 failed")
            // Before the end, it was in flight.
            try await tmux.press("Left")
            try await tmux.shows("● executing")
            try await tmux.shows("no execution has ended yet")
            try await tmux.press("Escape")
            try await tmux.shows("● live")
        }
    }

    @Test("shows the output of the last execution in a pager, and comes back")
    func output() async throws {
        try await withTop { sandbox, daemon, tmux in
            #expect(try await sandbox.rxctl("execute", "deploy").status == 1)
            try await tmux.shows("1 end: 1 failed")
            try await tmux.type("o")
            try await tmux.shows("one\ntwo\n")
            try await tmux.type("q")
            try await tmux.shows("● live")
            try await tmux.type("q")
            try await tmux.hides("● live")
            try await expectClean(tmux, status: 0)
        }
    }

    @Test("leaves Ctrl-C to the pager")
    func interruptedPager() async throws {
        // less drops what is typed shortly after Ctrl-C; this one waits for the next line.
        let pager = "trap 'echo interrupted' INT; cat; until read -r line </dev/tty; do :; done"
        try await withTop(environment: ["PAGER": "sh pager"]) { sandbox, daemon, tmux in
            Files.write(pager, to: sandbox.directory + "/pager")
            #expect(try await sandbox.rxctl("execute", "deploy").status == 1)
            try await tmux.shows("1 end: 1 failed")
            try await tmux.type("o")
            try await tmux.shows("one\ntwo\n")
            try await tmux.press("C-c")
            try await tmux.shows("interrupted")
            try await tmux.press("Enter")
            try await tmux.shows("● live")
        }
    }

    @Test("survives a SIGKILL of the daemon, finds the next one, and leaves the terminal clean meanwhile")
    func killedDaemon() async throws {
        try await withTop { sandbox, daemon, tmux in
            daemon.signal(SIGKILL)
            try await tmux.shows("✕ no daemon")
            try await tmux.shows("connecting again")
            #expect(try await tmux.screen().contains("▸ deploy"))
            let next = try await sandbox.startDaemon()
            try await tmux.shows("● live")
            next.signal(SIGKILL)
            try await tmux.shows("✕ no daemon")
            try await tmux.type("q")
            try await tmux.hides("✕ no daemon")
            try await expectClean(tmux, status: 0)
        }
    }

    @Test(
        "leaves the terminal clean after Ctrl-C, Ctrl-\\, SIGTERM, and SIGHUP",
        arguments: ["C-c", "C-\\", "TERM", "HUP"])
    func signals(signal: String) async throws {
        try await withTop { sandbox, daemon, tmux in
            if signal.hasPrefix("C-") {
                try await tmux.press(signal)
            } else {
                let top = try #require(sandbox.processes().first { Self.isTop($0) })
                kill(top, signal == "TERM" ? SIGTERM : SIGHUP)
            }
            try await tmux.hides("● live")
            // SIGQUIT ends it as it ends any program.
            try await expectClean(tmux, status: signal == "C-\\" ? 131 : 130)
        }
    }

    @Test("gives the terminal to the shell after Ctrl-Z, and takes it again after fg")
    func stopping() async throws {
        try await withTop { sandbox, daemon, tmux in
            try await tmux.press("C-z")
            try await tmux.shows("Stopped")
            try await tmux.type("[ \"$(stty -g)\" = \"$(cat modes)\" ] && echo same; echo modes")
            try await tmux.press("Enter")
            try await tmux.shows("\nsame\nmodes")
            try await tmux.type("fg")
            try await tmux.press("Enter")
            try await tmux.shows("● live")
            try await tmux.press("Down")
            try await tmux.shows("$ rxctl history echo")
            try await tmux.type("q")
            try await tmux.hides("● live")
            try await tmux.shows("before")
        }
    }

    @Test("Ctrl-Z in the pager gives the terminal to the shell, and fg returns to the pager")
    func stoppingInPager() async throws {
        try await withTop { sandbox, daemon, tmux in
            #expect(try await sandbox.rxctl("execute", "deploy").status == 1)
            try await tmux.shows("1 end: 1 failed")
            try await tmux.type("o")
            try await tmux.shows("one\ntwo\n")
            try await tmux.press("C-z")
            try await tmux.shows("Stopped")
            try await tmux.type("fg")
            try await tmux.press("Enter")
            try await tmux.shows("one\ntwo\n")
            try await tmux.type("q")
            try await tmux.shows("● live")
        }
    }

    @Test("waits in the background until it has the terminal")
    func background() async throws {
        try await withTop { sandbox, daemon, tmux in
            try await tmux.type("q")
            try await tmux.hides("● live")
            try await tmux.type(#"clear; "$rxctl" top & wait; jobs"#)
            try await tmux.press("Enter")
            try await tmux.shows("Stopped")
            #expect(try await tmux.state("#{alternate_on} #{cursor_flag}") == "0 1")
            try await tmux.type("fg")
            try await tmux.press("Enter")
            try await tmux.shows("● live")
            try await tmux.type("q")
            try await tmux.hides("● live")
        }
    }

    @Test("follows the size of the terminal")
    func resizing() async throws {
        try await withTop { sandbox, daemon, tmux in
            try await tmux.resize(columns: 140, rows: 30)
            try await tmux.shows("│")
            try await tmux.resize(columns: 50, rows: 12)
            try await tmux.hides("│")
            try await tmux.shows("● live")
        }
    }

    @Test("prints one frame of plain text into a pipe, and one without escape sequences with NO_COLOR")
    func once() async throws {
        try await withSandbox { sandbox in
            sandbox.configure(Self.configuration)
            Files.write(Self.schema, to: sandbox.config + "/release.json")
            let daemon = try await sandbox.startDaemon()
            #expect(try await sandbox.rxctl("execute", "deploy").status == 1)
            let piped = try await sandbox.rxctl("top", "--once")
            #expect(piped.status == 0, "\(piped.error)")
            #expect(piped.output.contains("▸ deploy") && piped.output.contains("✕"))
            #expect(!piped.output.contains("\u{1B}"))
            #expect(piped.lines.count <= 24)
            // `watch` sets both variables.
            let watched = try await sandbox.shell("COLUMNS=40 LINES=9 $rxctl top --once")
            #expect(watched.lines.count <= 9 && watched.lines.allSatisfy { $0.count <= 40 }, "\(watched.output)")
            // Without a terminal it does the same.
            #expect(try await sandbox.rxctl("top").lines.first?.hasPrefix("rxd ") == true)
            for (variable, isStyled) in [("NO_COLOR=1", false), ("NO_COLOR=", true)] {
                let terminal = try await Terminal("\(variable) \"$rxctl\" top --once", on: sandbox)
                #expect(try await terminal.program.result().status == 0)
                let text = try await terminal.finalText()
                #expect(text.contains("deploy") && text.contains("\u{1B}[") == isStyled)
            }
            let facts = try RawJSON(validating: try await sandbox.rxctl("top", "--json").output).value()
            #expect(facts["actions"]?[0]?["ends"]?[0]?["state"] == "failed")
            #expect(facts["status"]?["residentBytes"]?.int ?? 0 > 0)
            daemon.signal(SIGTERM)
            _ = try await daemon.result()
        }
    }

    private static func isTop(_ pid: pid_t) -> Bool {
        let words = (Files.read("/proc/\(pid)/cmdline") ?? "").split(separator: "\0")
        return words.count == 2 && words[0].hasSuffix("/rxctl") && words[1] == "top"
    }
}
