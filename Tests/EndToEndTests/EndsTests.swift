import Glibc
import TestSupport
import Testing

/// Programs that try not to end.
@Suite(.ownThreads(limit: .seconds(240)))
struct EndsTests {
    struct Hostile: Sendable, CustomTestStringConvertible {
        let name: String
        let script: String
        var ended = Ended.byItself
        /// How long it may take if the time-out ends it.
        var timeout = "300ms"
        /// The reason of its end on the wire.
        let reason: String
        /// Part of its error, or of the journal.
        var says = ""
        var output = "lines"
        /// Whether it brings about a process that is meant to outlive it.
        var leavesOne = false

        enum Ended { case byItself, byCancel, byTimeout }

        var testDescription: String { name }
    }

    static let programs = [
        Hostile(
            name: "ignores SIGTERM", script: "trap '' TERM; echo r; while :; do sleep 0.05; done", ended: .byCancel,
            reason: "cancelled", says: "SIGKILL to process"),
        Hostile(
            name: "ignores SIGTERM until the time-out", script: "trap '' TERM; echo r; while :; do sleep 0.05; done",
            // Enough for it to set its trap on a busy machine.
            ended: .byTimeout, timeout: "10s", reason: "timedOut", says: "SIGKILL to process"),
        Hostile(
            name: "a grandchild ignores SIGTERM",
            script: "(trap '' TERM; echo r; while :; do sleep 0.05; done) & wait", ended: .byCancel,
            reason: "cancelled", says: "SIGKILL to what is left"),
        Hostile(
            name: "a grandchild without output ignores SIGTERM",
            script: "(trap '' TERM; echo r; exec sleep 300 >/dev/null 2>&1) & wait", ended: .byCancel,
            reason: "cancelled", says: "SIGKILL to what is left"),
        Hostile(
            name: "forks twice, begins a session and keeps the output",
            script: "setsid sh -c 'echo r; sleep 300 & exit' & wait", reason: "completed",
            says: "outside its session",
            leavesOne: true),
        Hostile(
            name: "forks twice and is canceled", script: "(sh -c 'echo r; trap \"\" TERM; sleep 300' &) ; sleep 300",
            ended: .byCancel, reason: "cancelled"),
        Hostile(
            name: "puts a child into a group of its own", script: "timeout 300 sh -c 'echo r; sleep 300' & wait",
            ended: .byCancel, reason: "cancelled"),
        Hostile(
            name: "closes its output and goes on until it is canceled",
            script: "echo r; exec >&- 2>&-; sleep 300", ended: .byCancel, reason: "cancelled"),
        Hostile(
            name: "closes its output and goes on until the time-out",
            script: "echo r; exec >&- 2>&-; sleep 300", ended: .byTimeout, reason: "timedOut"),
        Hostile(name: "closes its output and ends", script: "exec >&- 2>&-; sleep 0.1", reason: "completed"),
        Hostile(
            name: "is stopped, and ends at SIGTERM",
            script: "trap 'echo bye; exit 0' TERM; echo r; kill -STOP $$; sleep 300", ended: .byCancel,
            reason: "cancelled"),
        Hostile(
            name: "prints after its end", script: "(while :; do echo late; sleep 0.02; done) & echo r",
            reason: "completed", says: "others of its session hold its output open"),
        Hostile(
            name: "one line of a gigabyte", script: "exec head -c 1000000000 /dev/zero", reason: "failed",
            says: "line 1 of the output is longer than 1048576 bytes"),
        Hostile(
            name: "one line of a gigabyte from one that ignores SIGTERM",
            script: "trap '' TERM; while :; do head -c 1000000 /dev/zero; done", reason: "failed",
            says: "line 1 of the output is longer than 1048576 bytes"),
        Hostile(
            name: "one text of a gigabyte", script: "exec head -c 1000000000 /dev/zero", reason: "failed",
            says: "the output is longer than 1048576 bytes", output: "text"),
        Hostile(
            name: "one document of a gigabyte", script: "head -c 1000000000 /dev/zero | tr '\\0' 1", reason: "failed",
            says: "line 1 of the output is longer than 1048576 bytes", output: "json"),
        Hostile(
            name: "garbage in place of a document", script: "echo }{; sleep 300", reason: "failed",
            says: "line 1 of the output is not JSON", output: "json"),
        Hostile(name: "a program that is none", script: "exec /tmp", reason: "failed", says: "exited with 126"),
    ]

    /// More than the daemon needs for any of them: a line at its limit, the copies it takes on its way, and slack.
    static let memory = 48 * 1024

    @Test("a hostile program ends in one final state and leaves nothing behind", arguments: programs)
    func hostile(_ program: Hostile) async throws {
        try await withSandbox { sandbox in
            sandbox.configure(
                """
                [action.hostile]
                run = ["/bin/sh", "-c", '''\(program.script)''']
                output = "\(program.output)"
                grace = "500ms"

                [action.true]
                run = ["/bin/true"]
                """, file: "conf.d/hostile.toml")
            let daemon = try await sandbox.startDaemon()
            // What is made once is made.
            #expect(try await sandbox.rxctl("execute", "true").status == 0)
            try await sandbox.waitForNoClients()
            let before = DaemonFacts(daemon)

            let execution = try StreamedExecution(
                "hostile", timeout: program.ended == .byTimeout ? program.timeout : nil, on: sandbox)
            if program.ended == .byCancel {
                try await execution.waitForElement()
                execution.cancel()
            }
            #expect(try await execution.end() == program.reason)
            try await eventually("the journal has it") { daemon.error.contains("hostile \(program.reason)") }
            try await daemon.logs(program.says)

            // The next one is taken, and by then nothing more has come of the first.
            let next = try StreamedExecution("hostile", on: sandbox)
            try await eventually("it is taken") {
                next.read()
                return next.lines.first?.contains(#""disposition":"started""#) == true
            }
            next.cancel(grace: "1ms")
            _ = try await next.end()
            execution.read()
            execution.close()
            next.close()
            #expect(execution.lines(of: "end").count == 1)
            #expect(execution.lines.last { !$0.contains(#""id":2"#) } == execution.lines(of: "end").first)
            #expect(try await sandbox.rxctl("describe", "hostile").output.contains(#""executing":false"#))

            if program.leavesOne {
                func left() -> [pid_t] { sandbox.processes().filter { $0 != daemon.pid } }
                #expect(!left().isEmpty)
                // That of the second execution may be starting another one at the moment.
                try await eventually("what is left is gone") {
                    for pid in left() { kill(pid, SIGKILL) }
                    return left().isEmpty
                }
            } else {
                #expect(sandbox.processes() == [daemon.pid])
            }
            try await sandbox.waitForNoClients()
            try await eventually("nothing of it is left in the daemon") {
                let now = DaemonFacts(daemon)
                return now.zombies == 0 && now.descriptors <= before.descriptors
            }
            let peak = DaemonFacts(daemon).peakKilobytes - before.peakKilobytes
            #expect(peak < Self.memory, "\(peak) KiB")
            try await sandbox.stopCleanly(daemon)
        }
    }

    @Test("a daemon that stops does not wait longer than it may for a process that ignores SIGTERM")
    func stop() async throws {
        try await withSandbox { sandbox in
            sandbox.configure(
                """
                [rxd]
                stop-timeout = "500ms"

                [action.stubborn]
                run = ["/bin/sh", "-c", "trap '' TERM; echo r; while :; do sleep 0.05; done"]
                grace = "5m"
                """)
            let daemon = try await sandbox.startDaemon()
            let execution = try StreamedExecution("stubborn", on: sandbox)
            try await execution.waitForElement()
            try await sandbox.stopCleanly(daemon)
            #expect(["shutdown", "cancelled"].contains(try await execution.end()))
        }
    }

    @Test(
        "a process that not even SIGKILL ends is left behind, and its execution ends nevertheless",
        .enabled(if: geteuid() == 0 && Programs.installed("setpriv") != nil && Programs.installed("perl") != nil))
    func leftBehind() async throws {
        try await withSandbox { sandbox in
            // A program that becomes another user's, as `sudo` does, started by a daemon that is nobody.
            let perl = sandbox.directory + "/perl"
            _ = try await sandbox.shell("cp \(Programs.installed("perl") ?? "") \(perl); chmod 4755 \(perl)")
            sandbox.configure(
                """
                [action.escapes]
                run = ["\(perl)", "-e", "$< = 0; $| = 1; print qq($$\\\\n); sleep 300"]
                grace = "100ms"
                """)
            _ = try await sandbox.shell("chown -R 65534:65534 \(sandbox.state); chmod -R a+rX \(sandbox.directory)")
            _ = try await sandbox.shell("mkdir \(sandbox.directory)/run; chown 65534 \(sandbox.directory)/run")
            let socket = sandbox.directory + "/run/rxd.sock"
            let daemon = try await sandbox.start(
                [
                    Programs.installed("setpriv") ?? "", "--reuid", "65534", "--regid", "65534", "--clear-groups",
                    Programs.rxd, "--config", sandbox.config, "--socket", socket, "--state", sandbox.state,
                ])
            let client = try await sandbox.startRxctl(
                "execute", "escapes", "--wait", "50s", environment: ["RXD_SOCKET": socket])
            try await eventually("it runs: \(daemon.error)") { client.output.hasSuffix("\n") }
            let work = try #require(pid_t(client.output.filter(\.isNumber)))
            client.signal(SIGINT)
            #expect(try await client.result().status == 130)
            try await daemon.logs("the process \(work) cannot be ended and was left behind")
            #expect(Sandbox.isAlive(work))
            // The next one is taken.
            let next = try await sandbox.startRxctl("execute", "escapes", environment: ["RXD_SOCKET": socket])
            try await eventually("it runs too") { next.output.hasSuffix("\n") }
            let other = try #require(pid_t(next.output.filter(\.isNumber)))
            // Both end after all, and are no zombies.
            kill(work, SIGKILL)
            kill(other, SIGKILL)
            #expect(try await next.result().status == 1)
            try await eventually("they are waited for") { DaemonFacts(daemon).zombies == 0 }
            daemon.signal(SIGTERM)
            #expect(try await daemon.result().status == 0)
        }
    }
}

extension Sandbox {
    /// Waits until the daemon has closed every connection but this one.
    fileprivate func waitForNoClients() async throws {
        try await eventually("all clients are gone") {
            try await rxctl("status").output.contains(#""connections":1"#)
        }
    }
}

/// Facts of a daemon from `/proc`.
struct DaemonFacts {
    let descriptors: Int
    let peakKilobytes: Int
    /// Children that nobody has waited for.
    let zombies: Int

    init(_ daemon: Program) {
        descriptors = Files.names(in: "/proc/\(daemon.pid)/fd").count
        let peak = (Files.read("/proc/\(daemon.pid)/status") ?? "").split(separator: "\n").first {
            $0.hasPrefix("VmHWM:")
        }
        peakKilobytes = Int((peak ?? "").filter(\.isNumber)) ?? 0
        zombies = Files.names(in: "/proc").filter { pid_t($0) != nil }.count { pid in
            let fields = (Files.read("/proc/\(pid)/stat") ?? "").split(separator: ")").last?.split(separator: " ") ?? []
            return fields.count > 1 && fields[0] == "Z" && fields[1] == "\(daemon.pid)"
        }
    }
}
