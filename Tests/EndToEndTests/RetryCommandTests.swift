import Glibc
import RxJSON
import TestSupport
import Testing

/// `rxctl retry` with a daemon: what has failed is executed again, and nothing else.
@Suite(.ownThreads(limit: .seconds(240)))
struct RetryCommandTests {
    /// An action whose input fails as long as a file of its name is not there; it notes each start.
    private func configure(_ sandbox: Sandbox, _ more: String = "") {
        sandbox.configure(
            """
            [action.report]
            run = ["/bin/sh", "-c", '''
            echo "$1" >> "$0/notes"; test -e "$0/ok.$1" || { echo "no ok.$1" >&2; exit 3; }; echo "report of $1"
            ''', "\(sandbox.directory)", { input = "/customer" }]
            overlap  = "queue"
            parallel = 8
            \(more)

            """, file: "conf.d/report.toml")
    }

    private func allow(_ customers: [Int], _ sandbox: Sandbox) {
        for customer in customers { Files.write("", to: "\(sandbox.directory)/ok.\(customer)") }
    }

    private func notes(_ sandbox: Sandbox) -> [String] {
        (Files.read("\(sandbox.directory)/notes") ?? "").split(separator: "\n").map(String.init)
    }

    private func executeAll(_ count: Int, _ sandbox: Sandbox) async throws {
        _ = try await sandbox.shell(
            #"seq \#(count) | sed 's/.*/{"customer":&}/' | $rxctl execute report --each --parallel 8"#)
    }

    @Test("an action: what failed is executed once more, what fails then again, and in the end nothing")
    func action() async throws {
        try await withSandbox { sandbox in
            configure(sandbox)
            allow(Array(1...20).filter { ![3, 7, 13].contains($0) }, sandbox)
            let daemon = try await sandbox.startDaemon()
            try await executeAll(20, sandbox)
            #expect(notes(sandbox).count == 20)

            allow([3, 13], sandbox)
            let second = try await sandbox.shell("$rxctl retry report --parallel 3 --keep-order --tag")
            let history = try await sandbox.shell("$rxctl history report --state failed --json").values()
            let failed = try #require(history.last { $0["input"]?["customer"] == 7 }?["execution"]?.string)
            #expect(
                second.lines.sorted() == [
                    #"{"customer":13}"# + "\t" + #""report of 13""#, #"{"customer":3}"# + "\t" + #""report of 3""#,
                ])
            #expect(second.status == 1)
            let retried = try #require(history.first { $0["input"]?["customer"] == 7 }?["execution"]?.string)
            #expect(second.error.hasPrefix("rxctl: retry of \(retried.suffix(8)): "), "\(second.error)")
            #expect(second.error.contains("no ok.7"), "\(second.error)")
            #expect(notes(sandbox).suffix(3).sorted() == ["13", "3", "7"])

            allow([7], sandbox)
            let third = try await sandbox.shell("$rxctl retry report --json")
            #expect(third.status == 0)
            let records = try third.values()
            #expect(records.map { $0["retried"]?.string } == [failed, failed])
            #expect(records.map { $0["value"] } == ["report of 7", nil])
            #expect(records.last?["completed"] == true)

            let fourth = try await sandbox.shell("$rxctl retry report")
            let note = "rxctl: nothing to retry: no input's last execution failed\n"
            #expect((fourth.status, fourth.lines, fourth.error) == (0, [], note))
            #expect(notes(sandbox).count == 24)
            try await sandbox.stopCleanly(daemon)
        }
    }

    @Test("an input that completed in another way, and one that is in flight, are left out; a canceled one is not")
    func leftOut() async throws {
        try await withSandbox { sandbox in
            configure(sandbox)
            let daemon = try await sandbox.startDaemon()
            try await executeAll(3, sandbox)
            allow([1, 2, 3], sandbox)
            _ = try await sandbox.shell("$rxctl execute report customer:=1")
            // The second is queued, the third was queued and is canceled: its failure stands.
            sandbox.configure(
                """
                [action.blocker]
                run = ["/bin/sleep", "1000"]
                """, file: "conf.d/blocker.toml")
            _ = try await sandbox.shell(
                "$rxctl reload && $rxctl execute blocker --detach && "
                    + "$rxctl execute report customer:=2 --after blocker --detach")
            let third = try await sandbox.shell("$rxctl execute report customer:=3 --after blocker --detach").lines
            _ = try await sandbox.shell("$rxctl cancel \(third.first ?? "")")
            let retried = try await sandbox.shell("$rxctl retry report")
            #expect((retried.status, retried.lines) == (0, [#""report of 3""#]), "\(retried.error)")
            try await sandbox.stopCleanly(daemon)
        }
    }

    @Test("what somebody retries already is left out")
    func again() async throws {
        try await withSandbox { sandbox in
            configure(sandbox)
            let daemon = try await sandbox.startDaemon()
            try await executeAll(1, sandbox)
            mkfifo("\(sandbox.directory)/ok.pipe", 0o600)
            sandbox.configure(
                """
                [action.report]
                run = ["/bin/sh", "-c", '''
                echo "$1" >> "$0/notes"; cat "$0/ok.pipe"; echo "report of $1"
                ''', "\(sandbox.directory)", { input = "/customer" }]
                overlap  = "queue"
                parallel = 8

                """, file: "conf.d/report.toml")
            _ = try await sandbox.rxctl("reload")
            let first = try await sandbox.startRxctl("retry", "report")
            try await eventually("the execution") { notes(sandbox).count == 2 }
            let second = try await sandbox.rxctl("retry", "report")
            #expect((second.status, second.lines) == (0, []), "\(second.error)")
            _ = try await sandbox.shell(": >$RXD_TEST/ok.pipe")
            #expect(try await first.result().lines == [#""report of 1""#])
            #expect(notes(sandbox).count == 2)
            try await sandbox.stopCleanly(daemon)
        }
    }

    @Test("an execution is executed again by its id or a part of it, however it ended, unless it has not")
    func execution() async throws {
        try await withSandbox { sandbox in
            configure(sandbox)
            allow([1], sandbox)
            sandbox.configure(
                """
                [action.blocker]
                run = ["/bin/sleep", "1000"]
                """, file: "conf.d/blocker.toml")
            let daemon = try await sandbox.startDaemon()
            let id = try #require(try await sandbox.shell("$rxctl execute report customer:=1 --detach").lines.first)
            _ = try await sandbox.shell("$rxctl wait \(id)")
            for name in [id, String(id.suffix(8))] {
                let again = try await sandbox.shell("$rxctl retry \(name) --raw")
                #expect((again.status, again.lines) == (0, ["report of 1"]), "\(again.error)")
            }
            #expect(notes(sandbox) == ["1", "1", "1"])

            let detached = try await sandbox.shell("$rxctl retry \(id) --detach")
            #expect(detached.lines.count == 1)
            #expect(try await sandbox.shell("$rxctl wait \(detached.lines.first ?? "")").status == 0)

            let blocker = try #require(try await sandbox.shell("$rxctl execute blocker --detach").lines.first)
            let early = try await sandbox.shell("$rxctl retry \(blocker)")
            #expect(early.status == 2)
            #expect(
                early.error
                    == "rxctl: \(blocker) is executing; rxctl wait \(blocker) waits for its end\n")
            try await sandbox.stopCleanly(daemon)
        }
    }

    @Test("what the end of the daemon cut short is retried, after kill -9 and after a stop")
    func afterTheDaemon() async throws {
        try await withSandbox { sandbox in
            sandbox.configure(
                """
                [action.report]
                run = ["/bin/sh", "-c", '''
                echo "$1" >> "$0/notes"; test -e "$0/ok" || exec sleep 1000; echo "report of $1"
                ''', "\(sandbox.directory)", { input = "" }]
                overlap  = "queue"
                parallel = 8

                """, file: "conf.d/report.toml")
            var daemon = try await sandbox.startDaemon()
            _ = try await sandbox.shell("$rxctl execute report 1 --detach")
            try await eventually("the first execution") { notes(sandbox).count == 1 }
            daemon.signal(SIGKILL)
            _ = try await daemon.result()
            daemon = try await sandbox.startDaemon()
            _ = try await sandbox.shell("$rxctl execute report 2 --detach")
            try await eventually("the second execution") { notes(sandbox).count == 2 }
            try await sandbox.stopCleanly(daemon)
            daemon = try await sandbox.startDaemon()
            Files.write("", to: "\(sandbox.directory)/ok")
            let retried = try await sandbox.shell("$rxctl retry report")
            #expect((retried.status, retried.lines) == (0, [#""report of 1""#, #""report of 2""#]), "\(retried.error)")
            try await sandbox.stopCleanly(daemon)
        }
    }

    @Test("inputs that are not kept, and names that are none, have a message")
    func refused() async throws {
        try await withSandbox { sandbox in
            sandbox.configure(
                """
                [action.login]
                run = ["/bin/false"]
                input = { properties = { token = { type = "string", writeOnly = true } } }

                [action.quiet]
                run = ["/bin/true"]
                """, file: "conf.d/login.toml")
            let daemon = try await sandbox.startDaemon()
            _ = try await sandbox.shell("$rxctl execute login token=abc123")
            _ = try await sandbox.shell(#"jq -nc '{text:("x" * 5000)}' | $rxctl execute login -"#)
            let retried = try await sandbox.shell("$rxctl retry login")
            let ids = try await sandbox.shell("$rxctl history login --json | jq -r .execution").lines
            try #require(ids.count == 2)
            #expect(retried.status == 2)
            #expect(
                retried.error == """
                    rxctl: retry of \(ids[0].suffix(8)): its input has secrets, which are not kept; execute the action \
                    with that input
                    rxctl: retry of \(ids[1].suffix(8)): its input was too large to keep; execute the action with that \
                    input

                    """)
            // The name is suggested if the daemon returns it within a second.
            try await eventually("the nearest name is suggested") {
                let unknown = try await sandbox.shell("$rxctl retry logim")
                #expect(unknown.status == 5)
                return unknown.error.contains(#"did you mean "login"?"#)
            }
            let never = try await sandbox.shell("$rxctl retry quiet")
            #expect(never.status == 5)
            #expect(never.error == "rxctl: no execution of quiet is kept\n")
            try await sandbox.stopCleanly(daemon)
        }
    }
}
