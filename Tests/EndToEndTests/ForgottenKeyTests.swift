import RxJSON
import TestSupport
import Testing

/// Keys that their user has the daemon forget.
@Suite(.ownThreads(limit: .seconds(120)))
struct ForgottenKeyTests {
    private func forget(_ sandbox: Sandbox, _ action: String, _ keys: String) async throws -> JSONValue? {
        try await sandbox.rxctl("call", "action.forget", #"{"action":"\#(action)","keys":\#(keys)}"#)
            .values().first?["forgotten"]
    }

    @Test("a forgotten key starts a new execution, also after a restart; one in flight is kept")
    func forgotten() async throws {
        try await withSandbox { sandbox in
            let turns = Turns(sandbox: sandbox)
            turns.configure("turn", "")
            var daemon = try await sandbox.startDaemon()
            func execute(_ key: String) async throws -> String {
                try await sandbox.rxctl("execute", "exit3", "--key", key, "--detach").output
            }
            func end(_ id: String) async throws {
                #expect(try await sandbox.rxctl("wait", String(id.dropLast())).status == 1)
            }
            // One after the other: the action refuses an input while it is executing.
            let first = try await execute("k")
            try await end(first)
            let second = try await execute("l")
            try await end(second)
            #expect(try await execute("k") == first)
            #expect(try await forget(sandbox, "exit3", #"["k","unknown"]"#) == 1)
            let third = try await execute("k")
            #expect(third != first)
            #expect(try await execute("l") == second)

            let client = try await sandbox.startRxctl("execute", "turn", "n:=1", "--key", "k")
            try await turns.untilStarted(1)
            #expect(try await forget(sandbox, "turn", #""k""#) == 0)
            turns.releaseAll()
            #expect(try await client.result().status == 0)
            try await end(third)
            #expect(try await forget(sandbox, "exit3", #"["k"]"#) == 1)
            try await sandbox.stopCleanly(daemon)
            daemon = try await sandbox.startDaemon()
            #expect(try await execute("l") == second)
            let fourth = try await execute("k")
            #expect(fourth != third && fourth != first)
            try await sandbox.stopCleanly(daemon)
        }
    }

    @Test("a run of more lines than a user may have keys needs no more keys at a time than it has lines in flight")
    func run() async throws {
        try await withSandbox { sandbox in
            sandbox.configure("[limits]\nkeysPerUid = 100\n", file: "conf.d/limits.toml")
            let daemon = try await sandbox.startDaemon()
            for options in ["", "--resume $RXD_TEST/log"] {
                let result = try await sandbox.shell("seq 300 | $rxctl execute echo --each --parallel 8 \(options)")
                #expect(result.status == 0)
                #expect(result.error == "")
                #expect(result.lines.count == 300)
            }
            #expect(try await sandbox.rxctl("execute", "echo", "1", "--key", "k").status == 0)
            try await sandbox.stopCleanly(daemon)
        }
    }
}
