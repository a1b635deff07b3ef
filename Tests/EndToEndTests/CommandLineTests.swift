import Glibc
import RxJSON
import Testing

/// What rxctl's commands do with a real daemon.
@Suite(.timeLimit(.minutes(2)))
struct CommandLineTests {
    private func json(_ text: String) throws -> JSONValue {
        try RawJSON(validating: text).value()
    }

    @Test("why and a refused execute name the same facts: which execution, since when, asked for by whom")
    func why() async throws {
        try await withDaemon { sandbox, _ in
            let idle = try await sandbox.rxctl("why", "sleeper")
            #expect(try json(idle.output) == ["action": "sleeper", "enabled": true, "reason": .null])
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

    @Test("--detach leaves the execution behind, alive")
    func detach() async throws {
        try await withDaemon { sandbox, _ in
            let detached = try await sandbox.rxctl("execute", "sleeper", "--detach")
            #expect(detached.status == 0)
            let id = detached.output.trimming("\n")
            let record = try json(try await sandbox.rxctl("call", "execution.get", "execution=\(id)").output)
            #expect(record["state"] == "executing")
            // Whoever asked is gone, and that changes nothing.
            try await eventually("its process has printed") {
                try json(try await sandbox.rxctl("call", "execution.get", "execution=\(id)").output)["elements"] == 1
            }
            #expect(try await sandbox.rxctl("cancel", id).status == 0)
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

    @Test("--each executes line after line, each when the one before has ended, and tells what failed")
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
            #expect(result.lines == [#""0""#, #""7""#, #""0""#, #""5""#])
            let told = try result.error.split(separator: "\n").map { try json(String($0)) }
            #expect(told.map { $0["line"] } == [2, 4])
            #expect(told.map { $0["data"]?["exit"] } == [7, 5])
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
