import Glibc
import RxJSON
import TestSupport
import Testing

/// `execute --each` with a daemon: results by line, in order, and after deaths of rxctl and of the daemon.
@Suite(.ownThreads(limit: .seconds(240)))
struct EachTests {
    private static let lineCount = 500

    /// An action that notes each start and each end of its input, and yields its square.
    ///
    /// - Parameter seconds: how long it takes, as a word of the shell; `$1` is the input.
    private func configure(_ sandbox: Sandbox, seconds: String = "0", _ more: String = "") {
        sandbox.configure(
            """
            [action.square]
            run = ["/bin/sh", "-c", '''
            echo "+$1" >> "$0/notes"; sleep \(seconds); echo $(($1 * $1)); echo "-$1" >> "$0/notes"
            ''', "\(sandbox.directory)", { input = "" }]
            overlap  = "queue"
            parallel = 8
            output   = "json"
            \(more)

            """, file: "conf.d/square.toml")
    }

    /// For `configure`: besides those `seconds`, an input takes until `allow` has been called for it. So a run is not
    /// over before a busy machine lets the test go on.
    private func untilAllowed(_ seconds: String) -> String {
        #"\#(seconds); until [ "$1" -le "$(cat "$0/allowed")" ]; do sleep 0.02; done"#
    }

    /// Inputs up to this one may end.
    private func allow(_ input: Int, _ sandbox: Sandbox) {
        Files.write("\(input)\n", to: "\(sandbox.directory)/allowed.new")
        rename("\(sandbox.directory)/allowed.new", "\(sandbox.directory)/allowed")
    }

    private func notes(_ sandbox: Sandbox) -> [String] {
        (Files.read("\(sandbox.directory)/notes") ?? "").split(separator: "\n").map(String.init)
    }

    /// How often each input has started.
    private func starts(_ sandbox: Sandbox) -> [Int: Int] {
        Dictionary(
            notes(sandbox).filter { $0.hasPrefix("+") }.compactMap { Int($0.dropFirst()) }.map { ($0, 1) },
            uniquingKeysWith: +)
    }

    /// The entries of the job log.
    private func entries(_ sandbox: Sandbox) throws -> [JSONValue] {
        try (Files.read("\(sandbox.directory)/jobs.log") ?? "").split(separator: "\n").dropFirst().map {
            try RawJSON(validating: String($0)).value()
        }
    }

    /// Starts the run of all inputs with the job log; what it prints is appended to `results`.
    private func start(_ sandbox: Sandbox) async throws -> Program {
        try await sandbox.start(
            [
                "/bin/bash", "-c",
                "exec $rxctl execute square --each --parallel 8 --json --resume $RXD_TEST/jobs.log --wait 50s "
                    + "< $RXD_TEST/inputs >> $RXD_TEST/results",
            ], environment: ["rxctl": Programs.rxctl])
    }

    private func makeInputs(_ sandbox: Sandbox, _ count: Int = lineCount) {
        Files.write((1...count).map { "\($0)\n" }.joined(), to: "\(sandbox.directory)/inputs")
    }

    private func results(_ sandbox: Sandbox) throws -> [JSONValue] {
        try (Files.read("\(sandbox.directory)/results") ?? "").split(separator: "\n").map {
            try RawJSON(validating: String($0)).value()
        }
    }

    @Test("500 lines, 8 at a time: each result has its line, and each line its end")
    func byLine() async throws {
        try await withSandbox { sandbox in
            configure(sandbox)
            let daemon = try await sandbox.startDaemon()
            let result = try await sandbox.shell("seq 500 | $rxctl execute square --each --parallel 8 --json")
            #expect(result.status == 0, "\(result.error)")
            let records = try result.values()
            let values = records.compactMap { record in record["value"]?.int.map { (record["line"]?.int ?? 0, $0) } }
            #expect(values.count == 500)
            #expect(values.allSatisfy { $0.0 * $0.0 == $0.1 })
            #expect(Set(records.filter { $0["completed"] == true }.compactMap { $0["line"]?.int }) == Set(1...500))
            #expect(records.count == 1000)
            #expect(starts(sandbox).values.allSatisfy { $0 == 1 })
            try await sandbox.stopCleanly(daemon)
        }
    }

    @Test("--keep-order prints in the order of the lines, --tag the input before each, and faults with their line")
    func inOrder() async throws {
        try await withSandbox { sandbox in
            // Each one ends after the one behind it.
            configure(
                sandbox,
                seconds: """
                    0; case $1 in 1) next=-2;; 2) next=-4;; *) next=;; esac
                    until [ -z "$next" ] || grep -qx -- "$next" "$0/notes"; do sleep 0.01; done
                    """, "input = { type = \"integer\", maximum = 8 }")
            let daemon = try await sandbox.startDaemon()
            let result = try await sandbox.shell(
                "printf '1\\n2\\n9\\n\\n4\\n' | $rxctl execute square --each --parallel 8 --keep-order --tag")
            #expect(result.lines == ["1\t1", "2\t4", "4\t16"])
            #expect(result.error == "rxctl: line 3: /input: must be at most 8 (invalidParams)\n")
            #expect(result.status == 2)
            #expect(notes(sandbox).filter { $0.hasPrefix("-") } == ["-4", "-2", "-1"])
            let tagged = try await sandbox.shell("echo ' 2 ' | $rxctl execute square --each --tag --json")
            #expect(try tagged.values().map { $0["input"] } == [2, 2])
            try await sandbox.stopCleanly(daemon)
        }
    }

    @Test("--resume: completed lines are not executed again, failed ones are, and an edited input is noticed")
    func resumed() async throws {
        try await withSandbox { sandbox in
            configure(sandbox, seconds: "0; [ -e \"$0/good\" ] || [ $1 != 2 ] || exit 3")
            let daemon = try await sandbox.startDaemon()
            makeInputs(sandbox, 3)
            #expect(try await start(sandbox).result().status == 1)
            let states = try entries(sandbox).compactMap { $0["state"]?.string }
            #expect(states.sorted() == ["completed", "completed", "failed"])
            Files.write("", to: "\(sandbox.directory)/good")
            #expect(try await start(sandbox).result().status == 0)
            #expect(starts(sandbox) == [1: 1, 2: 2, 3: 1])
            #expect(try await start(sandbox).result().status == 0)
            #expect(starts(sandbox) == [1: 1, 2: 2, 3: 1])
            #expect(try results(sandbox).compactMap { $0["value"]?.int }.sorted() == [1, 4, 9])
            Files.write("1\n7\n3\n", to: "\(sandbox.directory)/inputs")
            let edited = try await start(sandbox).result()
            #expect(edited.status == 2)
            #expect(edited.error.contains("line 2 is not the input that has completed as line 2 of"), "\(edited.error)")
            #expect(starts(sandbox) == [1: 1, 2: 2, 3: 1])
            try await sandbox.stopCleanly(daemon)
        }
    }

    @Test("--resume: the job log has the ends whose output a slow reader has got, although more is always waiting")
    func slowReader() async throws {
        try await withSandbox { sandbox in
            let daemon = try await sandbox.startDaemon()
            let input = #"{"n":"\#(String(repeating: "x", count: 2000))"}"# + "\n"
            Files.write(String(repeating: input, count: 400), to: "\(sandbox.directory)/inputs")
            // It takes 200 lines, 400 kB, and then none until the test has looked. A pipe has 64 KiB.
            let program = try await sandbox.start([
                "/bin/bash", "-c",
                """
                cd "$RXD_TEST"
                "$1" execute echo --each --resume jobs.log < inputs | {
                    for n in {1..200}; do read -r line; done; touch taken
                    until [ -e go ]; do sleep 0.02; done; cat
                }
                """, "bash", Programs.rxctl,
            ])
            try await eventually("200 lines are taken") { Files.exists("\(sandbox.directory)/taken") }
            try await eventually("their ends are logged") { try entries(sandbox).count >= 200 }
            #expect(try entries(sandbox).count < 300)
            Files.write("", to: "\(sandbox.directory)/go")
            #expect(try await program.result().status == 0)
            #expect(try entries(sandbox).count == 400)
            try await sandbox.stopCleanly(daemon)
        }
    }

    @Test("kill -9 of rxctl, again and again: each line is executed exactly once, and each result is there")
    func killedClients() async throws {
        try await withSandbox { sandbox in
            configure(sandbox, seconds: "0.02")
            let daemon = try await sandbox.startDaemon()
            makeInputs(sandbox)
            for round in 1...6 {
                let client = try await start(sandbox)
                let goal = round * 60 + round * 7 % 20
                try await eventually("\(goal) have started") { notes(sandbox).count { $0.hasPrefix("+") } >= goal }
                client.signal(SIGKILL)
                #expect(try await client.result().status == 128 + SIGKILL)
            }
            #expect(try await start(sandbox).result().status == 0)
            let starts = starts(sandbox)
            #expect(starts.count == Self.lineCount)
            #expect(starts.values.allSatisfy { $0 == 1 }, "\(starts.filter { $0.value != 1 })")
            #expect(Set(try entries(sandbox).compactMap { $0["line"]?.int }) == Set(1...Self.lineCount))
            #expect(try entries(sandbox).allSatisfy { $0["state"] == "completed" })
            let values = try results(sandbox).compactMap { record in
                record["value"]?.int.map { "\(record["line"]?.int ?? 0) \($0)" }
            }
            #expect(Set(values) == Set((1...Self.lineCount).map { "\($0) \($0 * $0)" }))
            try await sandbox.stopCleanly(daemon)
        }
    }

    @Test("kill -9 of the daemon, again and again: the run goes on, and no completed line is executed again")
    func killedDaemons() async throws {
        try await withSandbox { sandbox in
            configure(sandbox, seconds: untilAllowed("0.02"))
            allow(0, sandbox)
            var daemon = try await sandbox.startDaemon()
            makeInputs(sandbox)
            var client = try await start(sandbox)
            for round in 1...4 {
                allow(round * 90 + 30, sandbox)
                try await eventually("\(round * 90) have started") {
                    notes(sandbox).count { $0.hasPrefix("+") } >= round * 90
                }
                daemon.signal(SIGKILL)
                #expect(try await daemon.result().status == 128 + SIGKILL)
                if round % 2 == 0 {
                    client.signal(SIGKILL)
                    _ = try await client.result()
                    client = try await start(sandbox)
                }
                daemon = try await sandbox.startDaemon()
            }
            allow(Self.lineCount, sandbox)
            // Without `retry`, what was in flight fails as interrupted, and the next run executes it.
            let status = try await client.result().status
            #expect(status == 1 || status == 0)
            #expect(try await start(sandbox).result().status == 0)
            let entries = try entries(sandbox)
            let states = Dictionary(grouping: entries) { $0["line"]?.int ?? 0 }
                .mapValues { $0.map { $0["state"]?.string ?? "" } }
            #expect(Set(states.keys) == Set(1...Self.lineCount))
            let starts = starts(sandbox)
            for (line, states) in states {
                #expect(states.filter { $0 == "completed" }.count == 1, "line \(line): \(states)")
                #expect(states.dropLast().allSatisfy { $0 == "interrupted" }, "line \(line): \(states)")
                // No start that the job log does not have.
                #expect((1...states.count).contains(starts[line] ?? 0), "line \(line): \(states), \(starts[line] ?? 0)")
            }
            #expect(entries.contains { $0["state"] == "interrupted" })
            try await sandbox.stopCleanly(daemon)
        }
    }

    @Test("a restart of the daemon in the middle of a run without a job log: with `retry`, each line completes")
    func restarted() async throws {
        try await withSandbox { sandbox in
            configure(sandbox, seconds: untilAllowed("0.05"), "retry = { attempts = 2, delay = \"10ms\" }")
            allow(0, sandbox)
            var daemon = try await sandbox.startDaemon()
            makeInputs(sandbox, 60)
            let client = try await sandbox.start(
                [
                    "/bin/bash", "-c",
                    "exec $rxctl execute square --each --parallel 4 --keep-order --raw < $RXD_TEST/inputs",
                ],
                environment: ["rxctl": Programs.rxctl])
            for (allowed, signal) in [(20, SIGTERM), (40, SIGKILL)] {
                let before = notes(sandbox).count { $0.hasPrefix("+") }
                allow(allowed, sandbox)
                try await eventually("more have started") {
                    notes(sandbox).count { $0.hasPrefix("+") } >= before + 12
                }
                daemon.signal(signal)
                _ = try await daemon.result()
                daemon = try await sandbox.startDaemon()
            }
            allow(60, sandbox)
            let result = try await client.result()
            #expect(result.status == 0, "\(result.error)")
            #expect(Set(result.lines.compactMap { Int($0) }) == Set((1...60).map { $0 * $0 }))
            let order = result.lines.compactMap { Int($0) }
            #expect(order == order.sorted())
            #expect(result.error.contains("was cut short by the end of the daemon"))
            try await sandbox.stopCleanly(daemon)
        }
    }

    @Test("Ctrl-C cancels what is in flight, and the next run executes it")
    func interrupted() async throws {
        try await withSandbox { sandbox in
            configure(sandbox, seconds: "$( [ -e \"$0/quick\" ] && echo 0 || echo 300)")
            let daemon = try await sandbox.startDaemon()
            makeInputs(sandbox, 12)
            let client = try await start(sandbox)
            try await eventually("8 have started") { starts(sandbox).count == 8 }
            client.signal(SIGINT)
            #expect(try await client.result().status == 130)
            #expect(try entries(sandbox).map { $0["state"] } == Array(repeating: "cancelled", count: 8))
            Files.write("", to: "\(sandbox.directory)/quick")
            #expect(try await start(sandbox).result().status == 0)
            #expect(try results(sandbox).compactMap { $0["value"]?.int }.count == 12)
            try await sandbox.stopCleanly(daemon)
        }
    }

    @Test("an action that is not there ends the run at once, with one message")
    func noAction() async throws {
        try await withSandbox { sandbox in
            let daemon = try await sandbox.startDaemon()
            // The name is suggested if the daemon returns it within a second.
            try await eventually("the nearest name is suggested") {
                let result = try await sandbox.shell("seq 500 | $rxctl execute ecko --each --parallel 8")
                #expect(result.status == 5 && result.error.split(separator: "\n").count == 1, "\(result.error)")
                return result.error == "rxctl: no such action: ecko; did you mean \"echo\"? (notFound)\n"
            }
            try await sandbox.stopCleanly(daemon)
        }
    }

    @Test(
        "without room, lines wait: while another client's execution is in flight, and while the queue is full",
        arguments: [("", "notEnabled"), ("overlap = \"queue\"\nlimit = 1", "queueFull")])
    func held(policy: String, refusal: String) async throws {
        try await withSandbox { sandbox in
            let turns = Turns(sandbox: sandbox)
            turns.configure("turn", policy)
            let daemon = try await sandbox.startDaemon()
            let other = try await sandbox.startRxctl("execute", "turn", "n:=100")
            try await turns.untilStarted(100)
            let client = try await sandbox.start(
                [
                    "/bin/bash", "-c",
                    "printf '{\"n\":%d}\\n' 1 2 3 | exec $rxctl execute turn --each --parallel 3 --raw",
                ], environment: ["rxctl": Programs.rxctl])
            try await eventually("a line is refused") { daemon.error.contains("outcome=\(refusal)") }
            turns.release(100)
            #expect(try await other.result().status == 0)
            turns.releaseAll()
            let result = try await client.result()
            #expect(result.status == 0, "\(result.error)")
            #expect(result.lines.sorted() == ["1", "2", "3"])
            try await sandbox.stopCleanly(daemon)
        }
    }

    @Test("elements that a restarted daemon no longer has in its memory are read from the kept output")
    func keptOutput() async throws {
        try await withSandbox { sandbox in
            configure(sandbox, seconds: "0; until [ -e \"$0/go\" ]; do sleep 0.01; done")
            var daemon = try await sandbox.startDaemon()
            makeInputs(sandbox, 2)
            let client = try await start(sandbox)
            try await eventually("both have started") { starts(sandbox).count == 2 }
            client.signal(SIGKILL)
            _ = try await client.result()
            Files.write("", to: "\(sandbox.directory)/go")
            #expect(try await sandbox.rxctl("wait", "square").status == 0)
            try await sandbox.stopCleanly(daemon)
            daemon = try await sandbox.startDaemon()
            let again = try await start(sandbox).result()
            #expect(again.status == 0)
            let values = try results(sandbox).compactMap { $0["value"]?.int }
            #expect(values.sorted() == [1, 4])
            #expect(try results(sandbox).allSatisfy { $0["lost"] == nil })
            #expect(starts(sandbox) == [1: 1, 2: 1])
            try await sandbox.stopCleanly(daemon)
        }
    }
}
