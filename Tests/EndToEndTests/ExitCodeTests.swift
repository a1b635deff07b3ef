import Glibc
import TestSupport
import Testing

/// The exit codes in docs/rxctl.md, row by row.
@Suite(.ownThreads(limit: .seconds(120)))
struct ExitCodeTests {
    @Test("0: an action's elements are printed as compact JSON, however the input was given")
    func done() async throws {
        try await withDaemon { sandbox, _ in
            let inline = try await sandbox.rxctl("execute", "echo", #"{ "a" : [1, 2.50] }"#)
            #expect(inline.status == 0)
            #expect(inline.output == #"{"a":[1,2.50]}"# + "\n")
            #expect(inline.error == "")

            let pairs = try await sandbox.rxctl("execute", "echo", "env=prod", "n:=3")
            #expect(pairs.output == #"{"env":"prod","n":3}"# + "\n")

            Files.write("[true,\n null]", to: sandbox.directory + "/input.json")
            let file = try await sandbox.rxctl("execute", "echo", "@\(sandbox.directory)/input.json")
            #expect(file.output == "[true,null]\n")

            let stdin = try await sandbox.shell(#"printf '"x"' | "$rxctl" execute echo - --raw"#)
            #expect(stdin.output == "x\n")
            #expect(stdin.status == 0)
        }
    }

    @Test("1: failed work prints the reason, with its exit code and the end of its stderr")
    func workFailed() async throws {
        try await withDaemon { sandbox, _ in
            let failed = try await sandbox.rxctl("execute", "exit3")
            #expect(failed.status == 1)
            #expect(failed.output == "\"one\"\n")
            #expect(failed.error.contains("workFailed"))
            #expect(failed.error.contains("exited with 3"))
            #expect(failed.error.contains("oops"))
            #expect(failed.error.split(separator: "\n").allSatisfy { $0.hasPrefix("rxctl: ") })

            let json = try await sandbox.rxctl("execute", "exit3", "--json")
            #expect(json.status == 1)
            #expect(json.error.split(separator: "\n").count == 1)
            #expect(json.error.contains(#""name":"workFailed""#))
            #expect(json.error.contains(#""exit":3"#))

            let missing = try await sandbox.rxctl("execute", "missing")
            #expect(missing.status == 1)
            #expect(missing.error.contains("ENOENT"))
        }
    }

    @Test("1: an execution that someone else cancels")
    func cancelledByAnother() async throws {
        try await withDaemon { sandbox, _ in
            let execution = try await sandbox.startRxctl("execute", "sleeper")
            try await eventually("the work prints") { !execution.lines.isEmpty }
            let id = try await sandbox.executionID(of: "sleeper")
            let cancel = try await sandbox.rxctl("cancel", id)
            #expect(cancel.status == 0)
            #expect(cancel.output.contains(#""state":"cancelled""#))
            let result = try await execution.result()
            #expect(result.status == 1)
            #expect(result.error.contains("cancelled"))
        }
    }

    @Test("2: input that is no JSON is refused here, with its place, and faulty input by the daemon, with its path")
    func inputRefused() async throws {
        try await withDaemon { sandbox, _ in
            let text = try await sandbox.rxctl("execute", "echo", #"{"a":1,}"#)
            #expect(text.status == 2)
            #expect(text.error.contains("line 1, column "))

            let faulty = try await sandbox.rxctl("execute", "ticks", #"{"count":-1}"#)
            #expect(faulty.status == 2)
            #expect(faulty.error.contains("/count"))

            let params = try await sandbox.rxctl("call", "action.execute", "{}")
            #expect(params.status == 2)
        }
    }

    @Test("3: an action that is executing refuses another execution")
    func notEnabled() async throws {
        try await withDaemon { sandbox, _ in
            let first = try await sandbox.startRxctl("execute", "ticks", #"{"interval":"20ms"}"#)
            try await eventually("the first one is executing") { !first.lines.isEmpty }
            let second = try await sandbox.rxctl("execute", "ticks")
            #expect(second.status == 3)
            #expect(second.error.contains("notEnabled"))
            first.signal(SIGINT)
            #expect(try await first.result().status == 130)
        }
    }

    @Test("5: no such action, execution or method")
    func notFound() async throws {
        try await withDaemon { sandbox, _ in
            for arguments in [
                ["execute", "nosuch"], ["describe", "nosuch"], ["subscribe", "nosuch"],
                ["cancel", "0192f5a0-0000-7000-8000-000000000000"], ["call", "no.such"],
            ] {
                let result = try await sandbox.rxctl(arguments)
                #expect(result.status == 5, "\(arguments)")
                #expect(result.output == "")
                #expect(result.error.hasPrefix("rxctl: "))
            }
        }
    }

    @Test("64: usage; --help and --version exit 0")
    func usage() async throws {
        try await withSandbox { sandbox in
            for arguments in [
                ["execute"], ["nosuch"], ["execute", "echo", "--nosuch"], ["execute", "echo", "--timeout", "soon"],
                ["subscribe", "echo", "--channel", "nosuch"], ["subscribe", "echo", "*"],
            ] {
                let result = try await sandbox.rxctl(arguments)
                #expect(result.status == 64, "\(arguments)")
                #expect(result.output == "")
                #expect(result.error.hasPrefix("rxctl: "))
            }
            let version = try await sandbox.rxctl("--version")
            #expect(version.status == 0)
            #expect(version.output.contains("."))
            #expect(try await sandbox.rxctl("execute", "--help").status == 0)
        }
    }

    @Test("69: nobody listens, and the message names path and reason")
    func unreachable() async throws {
        try await withSandbox { sandbox in
            let absent = try await sandbox.rxctl("status")
            #expect(absent.status == 69)
            #expect(
                absent.error
                    == "rxctl: cannot reach the daemon at \(sandbox.socket): No such file or directory (ENOENT); "
                    + "start rxd, such as by `systemctl start rxd.socket`, or name another socket with --socket\n")
            let other = try await sandbox.rxctl("-s", "/nonexistent/x.sock", "list")
            #expect(other.status == 69)
            #expect(other.error.contains("/nonexistent/x.sock"))
            let json = try await sandbox.rxctl("status", "--json")
            #expect(json.error.contains(#""errno":"ENOENT""#))
            let waited = try await sandbox.rxctl("status", "--wait", "100ms")
            #expect(waited.status == 69)
        }
    }

    @Test("69: the daemon vanishes in mid-execution")
    func vanished() async throws {
        try await withSandbox { sandbox in
            let daemon = try await sandbox.startDaemon()
            let execution = try await sandbox.startRxctl("execute", "ticks", #"{"interval":"20ms"}"#)
            try await eventually("it is executing") { !execution.lines.isEmpty }
            daemon.signal(SIGKILL)
            #expect(try await execution.result().status == 69)
            #expect(try await daemon.result().status == 128 + SIGKILL)
        }
    }

    @Test("124: work that takes too long, and a subscription with a time limit")
    func timedOut() async throws {
        try await withDaemon { sandbox, _ in
            // On a busy machine, the time may be over before the work has begun.
            try await eventually("what the work printed before is printed") {
                let work = try await sandbox.rxctl("execute", "sleeper", "--timeout", "2s")
                #expect(work.status == 124)
                #expect(work.lines.count <= 1)
                #expect(work.error.contains("timedOut"))
                return work.lines.count == 1
            }
            let subscription = try await sandbox.rxctl("subscribe", "echo", "--timeout", "100ms")
            #expect(subscription.status == 124)
            #expect(subscription.output == "")
        }
    }

    @Test("130: Ctrl-C cancels the execution and waits for its end", arguments: [SIGINT, SIGTERM])
    func interrupted(signal: Int32) async throws {
        try await withDaemon { sandbox, _ in
            let execution = try await sandbox.startRxctl("execute", "sleeper")
            try await eventually("the work prints its process id") { execution.output.hasSuffix("\n") }
            let work = try #require(pid_t(execution.output.filter(\.isNumber)))
            #expect(Sandbox.isAlive(work))
            execution.signal(signal)
            let result = try await execution.result()
            #expect(result.status == 130)
            #expect(result.error.contains("canceling sleeper"))
            // The end was waited for, so the work is gone, not going.
            #expect(!Sandbox.isAlive(work))
        }
    }

    @Test("130: a signal before the command knows its input", arguments: [SIGTERM, SIGHUP])
    func interruptedEarly(signal: Int32) async throws {
        try await withSandbox { sandbox in
            let path = sandbox.directory + "/input"
            try #require(mkfifo(path, 0o600) == 0)
            let command = try await sandbox.startRxctl("execute", "echo", "@" + path)
            var writer: Int32 = -1
            defer { close(writer) }
            // A pipe can be opened for writing only while someone reads it.
            try await eventually("the command reads its input") {
                writer = open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC)
                return writer >= 0
            }
            command.signal(signal)
            let result = try await command.result()
            #expect(result.status == 130)
            #expect(result.output + result.error == "")
        }
    }

    @Test("130: a second Ctrl-C leaves at once, however long the work takes to stop")
    func interruptedTwice() async throws {
        try await withSandbox { sandbox in
            sandbox.configure(
                """
                [rxd]
                stop-timeout = "500ms"

                [action.stubborn]
                run = ["/bin/sh", "-c", "trap '' TERM; echo on; while :; do sleep 0.1; done"]
                grace = "1h"
                """)
            let daemon = try await sandbox.startDaemon()
            let execution = try await sandbox.startRxctl("execute", "stubborn")
            try await eventually("the work has set its trap") { !execution.lines.isEmpty }
            execution.signal(SIGINT)
            try await eventually("rxctl reports that it is canceling") { execution.error.contains("canceling") }
            execution.signal(SIGINT)
            #expect(try await execution.result().status == 130)
            let list = try await sandbox.rxctl("list")
            #expect(list.lines.contains { $0.contains(#""action":"stubborn""#) && $0.contains(#""executing":true"#) })
            try await sandbox.stopCleanly(daemon)
        }
    }

    @Test("130: Ctrl-C ends a subscription")
    func subscriptionInterrupted() async throws {
        try await withDaemon { sandbox, _ in
            let subscription = try await sandbox.startRxctl("subscribe", "ticks", "--snapshot")
            try await eventually("it is subscribed") { !subscription.lines.isEmpty }
            subscription.signal(SIGINT)
            #expect(try await subscription.result().status == 130)
        }
    }

    @Test("141: the reader of stdout goes away in a quiet hour")
    func readerGone() async throws {
        try await withDaemon { sandbox, _ in
            let result = try await sandbox.shell(#""$rxctl" subscribe echo | true; echo "${PIPESTATUS[0]}""#)
            #expect(result.output == "141\n")
            #expect(result.error == "")
        }
    }
}

extension Sandbox {
    /// The id of an action's execution in flight.
    func executionID(of action: String) async throws -> String {
        let list = try await rxctl("call", "execution.list", "action=\(action)", #"state:=["executing"]"#)
        let marker = #""execution":""#
        let start = try #require(list.output.firstRange(of: marker)).upperBound
        return String(list.output[start...].prefix { $0 != "\"" })
    }
}
