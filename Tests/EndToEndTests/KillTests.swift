import Glibc
import RxJSON
import TestSupport
import Testing

@Suite(.ownThreads(limit: .seconds(120)))
struct KillTests {
    private static let napper = """
        [action.napper]
        run = ["/bin/sh", "-c", "echo $$; exec sleep 300"]
        """

    @Test("kill -9 of a client ends its execution and its processes")
    func client() async throws {
        try await withDaemon { sandbox, _ in
            let client = try await sandbox.startRxctl("execute", "sleeper")
            try await eventually("the work prints its process id") { client.output.hasSuffix("\n") }
            let work = try #require(pid_t(client.output.filter(\.isNumber)))
            client.signal(SIGKILL)
            #expect(try await client.result().status == 128 + SIGKILL)
            try await eventually("the work is gone") { !Sandbox.isAlive(work) }
            try await eventually("the action is enabled again") {
                try await sandbox.rxctl("describe", "sleeper").output.contains(#""enabled":true"#)
            }
        }
    }

    @Test("kill -9 of a child is failed work that names the signal")
    func child() async throws {
        try await withSandbox { sandbox in
            sandbox.configure(KillTests.napper, file: "conf.d/napper.toml")
            let daemon = try await sandbox.startDaemon()
            let client = try await sandbox.startRxctl("execute", "napper", "--json")
            try await eventually("the work prints its process id") { client.output.hasSuffix("\n") }
            let work = try #require(pid_t(client.output.filter(\.isNumber)))
            kill(work, SIGKILL)
            let result = try await client.result()
            #expect(result.status == 1)
            #expect(result.error.contains(#""name":"workFailed""#))
            #expect(result.error.contains(#""signal":"#))
            try await sandbox.stopCleanly(daemon)
        }
    }

    @Test("kill -9 of the daemon blocks no restart, and its orphans are ended by the next start")
    func daemon() async throws {
        try await withSandbox { sandbox in
            let first = try await sandbox.startDaemon()
            let client = try await sandbox.startRxctl("execute", "sleeper")
            try await eventually("the work prints its process id") { client.output.hasSuffix("\n") }
            let work = try #require(pid_t(client.output.filter(\.isNumber)))
            first.signal(SIGKILL)
            #expect(try await first.result().status == 128 + SIGKILL)
            #expect(try await client.result().status == 69)
            #expect(Sandbox.isAlive(work), "an orphan")
            #expect(Files.exists(sandbox.socket), "a stale socket")
            #expect(try await sandbox.rxctl("status").status == 69)

            let second = try await sandbox.startDaemon()
            try await eventually("the orphan is gone") { !Sandbox.isAlive(work) }
            #expect(try await sandbox.rxctl("execute", "echo", "1").output == "1\n")
            try await sandbox.stopCleanly(second)
        }
    }

    @Test("a process that has taken an orphan's number is left alone")
    func recycledNumber() async throws {
        // The next start compares start times; a bystander that was never ours shows that it ends nothing else.
        try await withSandbox { sandbox in
            let bystander = try await sandbox.start(["/bin/sleep", "300"])
            let first = try await sandbox.startDaemon()
            first.signal(SIGKILL)
            _ = try await first.result()
            let second = try await sandbox.startDaemon()
            #expect(Sandbox.isAlive(bystander.pid))
            bystander.signal(SIGTERM)
            _ = try await bystander.result()
            try await sandbox.stopCleanly(second)
        }
    }

    @Test(
        "a kill -9 right after the answer loses no key",
        arguments: [#"run = ["/bin/true"]"#, #"builtin = "echo""#, "run = [\"/bin/true\"]\nhistory = false"])
    func keys(_ action: String) async throws {
        try await withSandbox { sandbox in
            sandbox.configure("[action.keyed]\n\(action)\n", file: "conf.d/keyed.toml")
            for round in 0..<4 {
                let request = """
                    {"jsonrpc":"2.0","id":1,"method":"action.execute","params":{"action":"keyed","key":"k\(round)"}}
                    """
                var answers: [JSONValue?] = []
                for _ in 0..<2 {
                    let daemon = try await sandbox.startDaemon()
                    let client = try LineSocket(path: sandbox.socket)
                    client.send(request)
                    let line = try await client.line()
                    daemon.signal(SIGKILL)
                    _ = try await daemon.result()
                    client.close()
                    let answer = try RawJSON(validating: line).value()
                    // Its end may not be stored yet, and is `interrupted` then.
                    answers.append(answer["result"]?["execution"] ?? answer["error"]?["data"]?["execution"])
                }
                #expect(answers[0] != nil && answers[0] == answers[1])
            }
        }
    }
}
