import Glibc
import RxJSON
import RxTerminal
import TestSupport
import Testing

/// The examples that watch a daemon: alert.sh and the two dashboards.
@Suite(
    .ownThreads(limit: .seconds(120)),
    .enabled(if: Programs.installed("jq") != nil && Programs.installed("python3") != nil, "jq or python3 is missing"))
struct MonitoringExampleTests {
    private static let examples =
        #filePath.split(separator: "/").dropLast(3).map { "/" + $0 }.joined() + "/docs/examples"

    private func lineCount(_ name: String) throws -> Int {
        try #require(Files.read("\(Self.examples)/\(name)")).count { $0 == "\n" }
    }

    // MARK: alert.sh

    /// Starts alert.sh, whose command appends the execution's id to the file `alerts`.
    private func startAlert(_ sandbox: Sandbox) async throws -> Program {
        let directory = sandbox.directory
        let path = Programs.rxctl.split(separator: "/").dropLast().map { "/" + $0 }.joined()
        let script = """
            PATH='\(path)':$PATH exec '\(Self.examples)/alert.sh' '\(directory)/place' \
                sh -c 'jq -r .execution >>"$1"' alert '\(directory)/alerts'
            """
        return try await sandbox.start(["/bin/sh", "-c", script])
    }

    private func alerts(_ sandbox: Sandbox) -> [String] {
        (Files.read(sandbox.directory + "/alerts") ?? "").split(separator: "\n").map(String.init).sorted()
    }

    /// The executions that have failed, by the daemon's history.
    private func failures(_ sandbox: Sandbox) async throws -> [String] {
        let history = try await sandbox.rxctl("history", "--state", "failed,interrupted", "--json")
        return try history.lines.map { try #require(try RawJSON(validating: $0).value()["execution"]?.string) }.sorted()
    }

    /// Kills alert.sh between two events: killed in its command, it runs that again.
    private func endAlert(_ alert: Program, _ sandbox: Sandbox, except daemon: Program) async throws {
        func lineCount(_ name: String) -> Int {
            (Files.read("\(sandbox.directory)/place/\(name)") ?? "").count { $0 == "\n" }
        }
        try await eventually("the ends of its commands are noted") { lineCount("done") == lineCount("events") }
        alert.signal(SIGKILL)
        _ = try await alert.result()
        for pid in sandbox.processes() where pid != daemon.pid { kill(pid, SIGKILL) }
    }

    @Test("alert.sh runs its command once for each failure, through kills of the daemon and of itself")
    func alert() async throws {
        #expect(try lineCount("alert.sh") <= 15)
        try await withSandbox { sandbox in
            // What is durable is on the disk when its work begins, so that a kill interrupts it and does not lose it.
            sandbox.configure(
                """
                [action.kept]
                run     = ["/bin/sh", "-c", "echo begun; sleep 300 & wait"]
                overlap = "queue"
                durable = true
                """, file: "conf.d/kept.toml")
            let first = try await sandbox.startDaemon()
            var alert = try await startAlert(sandbox)
            try await eventually("it is subscribed") {
                !(Files.read(sandbox.directory + "/place/cursor") ?? "").isEmpty
            }
            // Neither a success nor a refusal is a failure.
            _ = try await sandbox.rxctl("execute", "echo", "1")
            _ = try await sandbox.rxctl("disable", "missing")
            #expect(try await sandbox.rxctl("execute", "missing").status == 3)
            _ = try await sandbox.rxctl("execute", "exit3")
            try await eventually("the first alert") { alerts(sandbox).count == 1 }

            #expect(try await sandbox.rxctl("execute", "kept", "--detach").status == 0)
            try await eventually("its work begins") {
                try await sandbox.rxctl("output", "kept").output.contains("begun")
            }
            first.signal(SIGKILL)
            _ = try await first.result()
            let second = try await sandbox.startDaemon()
            try await eventually("an alert for what the kill interrupted") { alerts(sandbox).count == 2 }

            try await endAlert(alert, sandbox, except: second)
            for _ in 0..<3 { _ = try await sandbox.rxctl("execute", "exit3") }
            alert = try await startAlert(sandbox)
            try await eventually("alerts for what failed without it") { alerts(sandbox).count == 5 }
            _ = try await sandbox.rxctl("execute", "exit3")
            try await eventually("one more alert") { alerts(sandbox).count == 6 }
            #expect(try await alerts(sandbox) == failures(sandbox))
            try await endAlert(alert, sandbox, except: second)
            try await sandbox.stopCleanly(second)
        }
    }

    // MARK: Dashboards

    /// Follows an execution on the screen of 24 lines and 80 columns, and presses Ctrl-C.
    private func watch(_ command: String, alsoRestart restarts: Bool) async throws {
        try await withSandbox { sandbox in
            var daemon = try await sandbox.startDaemon()
            let path = Programs.rxctl.split(separator: "/").dropLast().map { "/" + $0 }.joined()
            let terminal = try await Terminal(
                "stty rows 24 cols 80; export NO_COLOR=1; PATH='\(path)':$PATH exec '\(Self.examples)/'\(command)",
                on: sandbox)
            /// The newest complete frame.
            func frame() -> Substring { terminal.text.split(separator: "\u{1B}[H").dropLast().last ?? "" }
            try await eventually("it shows the actions") { frame().contains("sleeper") && frame().contains("enabled") }
            let id = try await sandbox.rxctl("execute", "sleeper", "--detach").output
            try await eventually("it shows what is executing") { frame().contains("▶ executing") }
            _ = try await sandbox.rxctl("disable", "echo", "--reason", "the disk is full")
            try await eventually("it shows why an action is disabled") { frame().contains("✗ the disk is full") }
            let wide = String(repeating: "保守🚀", count: 30)
            _ = try await sandbox.rxctl("disable", "missing", "--reason", wide)
            try await eventually("it shows a reason of wide characters") { frame().contains("✗ 保守🚀") }
            _ = try await sandbox.rxctl("cancel", String(id.filter { $0 != "\n" }))
            try await eventually("it shows the end") { frame().contains("✗ cancelled") }
            _ = try await sandbox.rxctl("execute", "exit3")
            try await eventually("it shows why an execution failed") { frame().contains("the process exited with 3") }
            if restarts {
                daemon.signal(SIGTERM)
                #expect(try await daemon.result().status == 0)
                try await eventually("it shows that the daemon is away") {
                    frame().contains("away") || frame().contains("cannot reach")
                }
                daemon = try await sandbox.startDaemon()
                try await eventually("it shows the next daemon") {
                    let frame = frame()
                    return !frame.contains("away") && !frame.contains("cannot reach") && frame.contains("exit3")
                }
            }
            // Frames replace each other, and none scrolls or wraps.
            for frame in terminal.text.split(separator: "\u{1B}[H").dropFirst().dropLast() {
                let lines = frame.replacing(/\u{1B}\[[?0-9]*[a-zA-Z]/, with: "").split(
                    separator: "\r\n", omittingEmptySubsequences: false)
                #expect(lines.count <= 24)
                for line in lines { #expect(CellWidth.of(String(line)) <= 80, "\(line)") }
            }
            terminal.press("\u{3}")
            _ = try await terminal.program.result()
            #expect(try await terminal.finalText().hasSuffix("\u{1B}[?25h\u{1B}[?1049l"))
            try await sandbox.stopCleanly(daemon)
        }
    }

    @Test("dashboard.sh redraws in place what is executing, what is disabled, and how executions ended")
    func shell() async throws {
        #expect(try lineCount("dashboard.sh") <= 40)
        try await watch("dashboard.sh 0.1", alsoRestart: true)
    }

    @Test("dashboard.py does so as things change, and through a restart of the daemon")
    func python() async throws { try await watch("dashboard.py", alsoRestart: true) }
}
