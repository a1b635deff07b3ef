import Glibc
import RxJSON
import TestSupport
import Testing

/// What rxctl's commands do with a real daemon.
@Suite(.ownThreads(limit: .seconds(120)))
struct CommandLineTests {
    private func json(_ text: String) throws -> JSONValue {
        try RawJSON(validating: text).value()
    }

    @Test("why and a refused execute print the same facts: the execution, its start, and its origin")
    func why() async throws {
        try await withDaemon { sandbox, _ in
            let idle = try await sandbox.rxctl("why", "sleeper")
            let facts = try json(idle.output)
            #expect(facts["action"] == "sleeper" && facts["enabled"] == true && facts["reason"] == .null)
            #expect(facts["upcoming"] == [] && facts["firings"] == [], "nothing starts it by itself: \(idle.output)")
            let execution = try await sandbox.startRxctl("execute", "sleeper")
            try await eventually("the work prints") { !execution.lines.isEmpty }
            let why = try await sandbox.rxctl("why", "sleeper")
            #expect(why.status == 0)
            let reason = try #require(try json(why.output)["reason"])
            #expect(reason["cause"] == "executing")
            #expect(reason["execution"] == .string(try await sandbox.executionID(of: "sleeper")))
            #expect(reason["by"]?["uid"] == JSONValue(Int(getuid())))
            #expect(reason["by"]?["pid"] == JSONValue(Int(execution.pid)))
            let refused = try await sandbox.rxctl("execute", "sleeper", "--json")
            #expect(refused.status == 3)
            #expect(try json(refused.error)["data"]?["reason"] == reason)
            let people = try await sandbox.rxctl("execute", "sleeper")
            #expect(
                people.error.hasPrefix("rxctl: sleeper is not enabled: executing \(reason["execution"]?.string ?? "")"))
            #expect(people.error.contains(", pid \(execution.pid) (notEnabled)\n"))
            execution.signal(SIGINT)
            #expect(try await execution.result().status == 130)
        }
    }

    @Test(
        "a disabled action refuses with origin, time, and reason until it is enabled; so does check, without a start")
    func disabled() async throws {
        try await withDaemon { sandbox, _ in
            #expect(
                try json(try await sandbox.rxctl("check", "exit3").output)
                    == ["action": "exit3", "disposition": "started", "execution": .null])
            let disabled = try await sandbox.rxctl("disable", "exit3", "--reason", "the disk is full")
            #expect(disabled.status == 0)
            #expect(try json(disabled.output)["reason"]?["reason"] == "the disk is full")
            for command in ["check", "execute"] {
                let refused = try await sandbox.rxctl(command, "exit3")
                #expect(refused.status == 3)
                #expect(refused.error.hasPrefix("rxctl: exit3 is not enabled: switched off since 20"))
                #expect(refused.error.hasSuffix(": the disk is full (notEnabled)\n"))
            }
            #expect(
                try json(try await sandbox.rxctl("enable", "exit3").output)
                    == ["action": "exit3", "enabled": true, "reason": .null])
            #expect(try await sandbox.rxctl("history", "exit3").output == "")
            #expect(try await sandbox.rxctl("execute", "exit3").status == 1)
            #expect(try await sandbox.rxctl("check", "nosuch").status == 5)
            #expect(try await sandbox.rxctl("check", "ticks", "count:=-1").status == 2)
        }
    }

    @Test("wait exits with a status for the end of the execution; its own timeout leaves the execution alone")
    func wait() async throws {
        try await withDaemon { sandbox, _ in
            let failing = try await sandbox.rxctl("execute", "exit3", "--detach").output.trimming("\n")
            let failed = try await sandbox.rxctl("wait", failing)
            #expect(failed.status == 1)
            #expect(try json(failed.output)["error"]?["data"]?["exit"] == 3)
            let id = try await sandbox.rxctl("execute", "sleeper", "--detach").output.trimming("\n")
            for target in [id, "sleeper"] {
                let impatient = try await sandbox.rxctl("wait", target, "--timeout", "50ms")
                #expect(impatient.status == 124)
                #expect(impatient.output == "")
            }
            let waiting = try await sandbox.startRxctl("wait", "sleeper")
            #expect(try await sandbox.rxctl("cancel", id).status == 0)
            #expect(try await waiting.result().status == 0)
            #expect(try await sandbox.rxctl("wait", id).status == 1)
            let limited = try await sandbox.rxctl("execute", "sleeper", "--detach", "--timeout", "50ms")
            #expect(try await sandbox.rxctl("wait", limited.output.trimming("\n")).status == 124)
            #expect(try await sandbox.rxctl("wait", "nosuch").status == 5)
        }
    }

    @Test("a key repeats an execution without repeating its work; another input with it is refused")
    func key() async throws {
        try await withDaemon { sandbox, _ in
            let first = try await sandbox.rxctl("execute", "exit3", "--detach", "--key", "k").output
            #expect(try await sandbox.rxctl("execute", "exit3", "--detach", "--key", "k").output == first)
            let again = try await sandbox.rxctl("execute", "exit3", "--key", "k")
            #expect(again.lines == [#""one""#])
            #expect(again.status == 1)
            let other = try await sandbox.rxctl("execute", "exit3", "{}", "--key", "k")
            #expect(other.status == 2)
            #expect(other.error.contains("/key"))
            #expect(try await sandbox.rxctl("history", "exit3").lines.count == 1)
        }
    }

    @Test("history goes back page by page, and by state")
    func history() async throws {
        try await withDaemon { sandbox, _ in
            var ids: [String] = []
            for _ in 1...3 {
                ids.append(try await sandbox.rxctl("execute", "exit3", "--detach").output.trimming("\n"))
                #expect(try await sandbox.rxctl("wait", "exit3").status == 0)
            }
            func list(_ arguments: String...) async throws -> [String?] {
                try await sandbox.rxctl(["history", "exit3"] + arguments).lines.map {
                    try json($0)["execution"]?.string
                }
            }
            #expect(try await list() == ids)
            #expect(try await list("--limit", "2") == Array(ids[1...]))
            #expect(try await list("--before", ids[1]) == [ids[0]])
            #expect(try await list("--state", "failed,timedOut") == ids)
            #expect(try await list("--state", "completed") == [])
        }
    }

    @Test("history lists all actions, selects by name, time, requester, and text, and outlives the daemon")
    func wholeHistory() async throws {
        try await withSandbox { sandbox in
            sandbox.configure(
                """
                [action.noisy]
                run = ["/bin/sh", "-c", "echo 'no space on /dev/sdq' >&2; exit 1"]

                [reactor.light]
                initial = 0
                mutate = [{ execute = "quiet", input = '"by a rule"', element = '.element' }]
                reduce = '.state'

                [action.quiet]
                run = ["/bin/true"]
                overlap = "queue"

                """, file: "conf.d/history.toml")
            var daemon = try await sandbox.startDaemon()
            func detach(_ action: String, _ input: String) async throws -> String {
                let id = try await sandbox.rxctl("execute", action, input, "--detach").output.trimming("\n")
                #expect(try await sandbox.rxctl("wait", action).status == 0)
                return id
            }
            let first = try await detach("quiet", #""Straße 1""#)
            let second = try await detach("noisy", #"{"path":"a/b"}"#)
            #expect(try await sandbox.rxctl("dispatch", "light", "on").status == 0)
            try await eventually("the rule has executed") {
                try await sandbox.rxctl("history", "--by", "reactor:light", "--state", "completed").lines.count == 1
            }
            let byRule = try #require(
                try await sandbox.rxctl("history", "--by", "reactor:light").values().first?["execution"]?.string)
            let last = try await detach("exit3", "{}")
            let ids = [first, second, byRule, last]
            let middle = try #require(
                try await sandbox.rxctl("history", "noisy").values().first?["queuedAt"]?.string)
            let me = String(cString: getpwuid(getuid()).pointee.pw_name)
            let expected: [([String], [String])] = [
                ([], ids), (["--json"], ids), (["quiet", "noisy"], [first, second, byRule]),
                (["--limit", "2"], [byRule, last]),
                (["--state", "failed"], [second, last]), (["--by", me], [first, second, last]),
                (["--by", "\(getuid())"], [first, second, last]), (["--by", "12345678"], []),
                (["--by", "reactor:light"], [byRule]), (["--since", "1h"], ids), (["--until", "1h"], []),
                (["--since", middle], [second, byRule, last]), (["--until", middle], [first]),
                (["--grep", "straSSE"], []), (["--grep", "straße"], [first]), (["--grep", "SDQ"], []),
                (["--grep", "/dev/sdq"], [second]), (["--grep", "a/b"], [second]),
                (["--grep", "rule", "quiet"], [byRule]),
                (["--grep", "oops", "--limit", "1"], [last]), (["--before", byRule], [first, second]),
                (["--before", String(byRule.prefix(15)), "--limit", "1"], [second]),
            ]
            func compare() async throws {
                for (options, wanted) in expected {
                    let found = try await sandbox.rxctl(["history"] + options)
                    #expect(try found.values().map { $0["execution"]?.string } == wanted, "\(options)")
                }
            }
            try await compare()
            let misused = try await sandbox.rxctl("history", "quiet", "light")
            #expect(misused.status == 64)
            #expect(misused.error == "rxctl: light is a reactor; list its history alone\n")
            try await sandbox.stopCleanly(daemon)
            daemon = try await sandbox.startDaemon()
            try await compare()
            let terminal = try await Terminal(#""$rxctl" history; "$rxctl" history quiet --limit 1"#, on: sandbox)
            #expect(try await terminal.program.result().status == 0)
            let text = try await terminal.finalText()
            let lines = text.replacing(#/\e\[[0-9;]*m/#, with: "").split(separator: "\r\n")
            #expect(lines.count == 8, "\(text)")
            #expect([lines[0], lines[5]].allSatisfy { $0.contains(#/^TIME +ACTION +EXECUTION +STATE +TOOK +BY /#) })
            for (line, (action, id)) in zip(lines.dropFirst(), zip(["quiet", "noisy", "quiet", "exit3"], ids)) {
                #expect(line.contains(try Regex(" \(action) +\(id.suffix(8)) ")), "\(line)")
            }
            let short = byRule.suffix(8).allSatisfy(\.isNumber) ? byRule : String(byRule.suffix(8))
            #expect(lines[7] == "rxctl: older records exist; list them with --before \(short)")
            #expect(try await sandbox.rxctl("history", "--before", short).lines.count == 2)
            // Where ids are printed is in the answer if the daemon returns all names within a second.
            try await eventually("an unknown id is refused") {
                let unknown = try await sandbox.rxctl("history", "--before", "abcabcab")
                #expect(unknown.status == 5)
                return unknown.error
                    == "rxctl: --before: no such execution: abcabcab; rxctl history prints the ids\n"
            }
            try await sandbox.stopCleanly(daemon)
        }
    }

    @Test("logs prints what the daemon keeps where there is no journal, also while it happens; nothing exits with 5")
    func logs() async throws {
        try await withDaemon { sandbox, _ in
            // A journal of this machine has nothing of this daemon, which logs to stderr.
            let id = try await sandbox.rxctl("execute", "exit3", "--detach").output.trimming("\n")
            #expect(try await sandbox.rxctl("wait", id).status == 1)
            for arguments in [[id], ["exit3"], ["exit3", "--follow"]] {
                let logs = try await sandbox.rxctl(["logs"] + arguments)
                #expect(
                    logs.lines.map { $0.split(separator: " ")[1] }
                        == ["accepted", "started", "stderr", "failed", "uid"], "\(logs.output)")
                #expect(logs.lines[2].hasSuffix(" stderr      oops"))
            }
            let all = try await sandbox.rxctl("logs", "exit3", "--all", "--json").values()
            #expect(all.map { $0["kind"] } == ["accepted", "started", "stderr", "end"])
            #expect(all.map { $0["execution"] } == Array(repeating: .string(id), count: 4))
            let following = try await sandbox.rxctl("execute", "sleeper", "--detach").output.trimming("\n")
            let follower = try await sandbox.startRxctl("logs", "sleeper", "--follow")
            try await eventually("it prints the start") { follower.lines.contains { $0.contains(" started") } }
            #expect(try await sandbox.rxctl("cancel", following).status == 0)
            let followed = try await follower.result()
            #expect(followed.status == 0)
            #expect(followed.lines.contains { $0.contains(" cancelled ") }, "\(followed.output)")
            for target in ["ticks", "01a1fc74-5543-7000-b6c5-3532564cb263"] {
                let nothing = try await sandbox.rxctl("logs", target)
                #expect(nothing.status == 5)
                #expect(nothing.output == "" && nothing.error == "rxctl: no records of \(target) are kept\n")
            }
        }
    }

    @Test("--detach leaves the execution behind, alive")
    func detach() async throws {
        try await withDaemon { sandbox, _ in
            let detached = try await sandbox.rxctl("execute", "sleeper", "--detach")
            #expect(detached.status == 0)
            let id = detached.output.trimming("\n")
            let record = try json(try await sandbox.rxctl("call", "execution.get", "execution=\(id)").output)
            #expect(record["state"] == "executing")
            // The requester is gone, which changes nothing.
            try await eventually("its process has printed") {
                try json(try await sandbox.rxctl("call", "execution.get", "execution=\(id)").output)["elements"] == 1
            }
            #expect(try await sandbox.rxctl("cancel", id).status == 0)
        }
    }

    @Test("a joining client gets the same elements and status; Ctrl-C withdraws only one, and the last one cancels")
    func join() async throws {
        try await withSandbox { sandbox in
            sandbox.configure(
                """
                [action.shared]
                run = ["/bin/sh", "-c", "echo $$; while [ ! -e $0/go ]; do sleep 0.02; done; echo done; exit 7", "DIR"]
                overlap = "join"
                """.replacing("DIR", with: sandbox.directory), file: "conf.d/shared.toml")
            let daemon = try await sandbox.startDaemon()
            var requesters: [Program] = []
            for _ in 1...3 {
                let requester = try await sandbox.startRxctl("execute", "shared", "--propagate")
                try await eventually("it prints what the others do") { !requester.lines.isEmpty }
                requesters.append(requester)
            }
            let check = try await sandbox.rxctl("check", "shared")
            #expect(
                try json(check.output)["execution"] == .string(try await sandbox.executionID(of: "shared")))
            requesters[0].signal(SIGINT)
            #expect(try await requesters[0].result().status == 130)
            Files.write("", to: sandbox.directory + "/go")
            let first = try await requesters[1].result()
            let second = try await requesters[2].result()
            #expect(first.output == second.output)
            #expect(first.lines.last == #""done""#)
            #expect(first.status == 7 && second.status == 7)

            unlink(sandbox.directory + "/go")
            let last = try await sandbox.startRxctl("execute", "shared")
            try await eventually("it executes") { !last.lines.isEmpty }
            last.signal(SIGINT)
            #expect(try await last.result().status == 130)
            let history = try await sandbox.rxctl("history", "shared").lines.map { try json($0)["state"] }
            #expect(history == ["failed", "cancelled"])
            try await sandbox.stopCleanly(daemon)
        }
    }

    @Test("a full queue refuses with its limit, and wait sees it empty")
    func queue() async throws {
        try await withSandbox { sandbox in
            sandbox.configure(
                """
                [action.turns]
                run = ["/bin/sh", "-c", "while [ ! -e $0/go ]; do sleep 0.02; done", "DIR"]
                overlap = "queue"
                limit = 1
                """.replacing("DIR", with: sandbox.directory), file: "conf.d/turns.toml")
            let daemon = try await sandbox.startDaemon()
            var dispositions: [JSONValue?] = []
            for _ in 1...2 {
                let started = try await sandbox.rxctl("execute", "turns", "--detach", "--json")
                dispositions.append(try json(started.output)["disposition"])
            }
            #expect(dispositions == ["started", "queued"])
            let full = try await sandbox.rxctl("execute", "turns")
            #expect(full.status == 3)
            #expect(full.error == "rxctl: the queue of turns is full, limit 1 (queueFull)\n")
            let waiting = try await sandbox.startRxctl("wait", "turns")
            Files.write("", to: sandbox.directory + "/go")
            #expect(try await waiting.result().status == 0)
            let states = try await sandbox.rxctl("history", "turns").lines.map { try json($0)["state"] }
            #expect(states == ["completed", "completed"])
            try await sandbox.stopCleanly(daemon)
        }
    }

    @Test("--propagate exits as the command did, by itself or by a signal")
    func propagate() async throws {
        try await withSandbox { sandbox in
            sandbox.configure(
                """
                [action.killed]
                run = ["/bin/sh", "-c", "kill -USR1 $$"]
                """, file: "conf.d/killed.toml")
            let daemon = try await sandbox.startDaemon()
            #expect(try await sandbox.rxctl("execute", "exit3", "--propagate").status == 3)
            #expect(try await sandbox.rxctl("execute", "killed", "--propagate").status == 128 + SIGUSR1)
            #expect(try await sandbox.rxctl("execute", "missing", "--propagate").status == 1)
            #expect(try await sandbox.rxctl("execute", "nosuch", "--propagate").status == 5)
            try await sandbox.stopCleanly(daemon)
        }
    }

    @Test("--each executes line after line, each after the end of the one before, and reports failures")
    func each() async throws {
        try await withSandbox { sandbox in
            sandbox.configure(
                """
                [action.step]
                run = ["/bin/sh", "-c", "sleep 0.02; echo $1; exit $1", "sh", { input = "/n" }]
                """, file: "conf.d/step.toml")
            let daemon = try await sandbox.startDaemon()
            let result = try await sandbox.shell(
                #"printf '{"n":%s}\n' 0 7 0 5 | "$rxctl" execute --each step --propagate --json"#)
            let records = try result.values()
            #expect(records.compactMap { $0["value"] } == ["0", "7", "0", "5"])
            #expect(records.map { $0["line"] } == [1, 1, 2, 2, 3, 3, 4, 4])
            let failed = records.filter { $0["error"] != nil }
            #expect(failed.map { $0["line"] } == [2, 4])
            #expect(failed.map { $0["error"]?["data"]?["exit"] } == [7, 5])
            #expect(result.error == "")
            #expect(result.status == 7)
            try await sandbox.stopCleanly(daemon)
        }
    }

    @Test("--each stops with its reader, and with Ctrl-C, and leaves nothing in flight")
    func eachEnds() async throws {
        try await withDaemon { sandbox, _ in
            let headed = try await sandbox.shell(
                #"yes '{}' | "$rxctl" execute --each echo | head -3; echo ${PIPESTATUS[1]}"#)
            #expect(headed.lines == ["{}", "{}", "{}", "141"])
            let sleeping = try await sandbox.start(
                ["/bin/bash", "-c", "exec \"$0\" execute --each sleeper < <(yes 1)", Programs.rxctl])
            try await eventually("the first line executes") { !sleeping.lines.isEmpty }
            sleeping.signal(SIGINT)
            let result = try await sleeping.result()
            #expect(result.status == 130)
            #expect(result.lines.count == 1)
            let list = try await sandbox.rxctl("call", "execution.list", #"{"state":["queued","executing"]}"#)
            #expect(try json(list.output)["executions"] == [])
        }
    }
}

extension String {
    fileprivate func trimming(_ character: Character) -> String {
        var rest = self[...]
        while rest.last == character { rest.removeLast() }
        return String(rest)
    }
}
