import Glibc
import TestSupport
import Testing

/// Parts of an input that must not be seen by other users of the machine.
@Suite(.ownThreads(limit: .seconds(120)))
struct SecretTests {
    private static let action = #"""
        [action.publish]
        run   = ["sh", "-c", "cat \"$1\"; echo; echo \"$1\"; exec sleep 300", "sh", { input = "/token", as = "file" }]
        input = { properties = { token = { writeOnly = true } } }

        """#

    private func start(_ sandbox: Sandbox, _ environment: [String: String]) async throws -> Program {
        let daemon = try await sandbox.start(
            [Programs.rxd, "--config", sandbox.config, "--socket", sandbox.socket, "--state", sandbox.state],
            environment: environment)
        #expect(try await sandbox.rxctl("status", "--wait", "50s").status == 0, "\(daemon.error)")
        return daemon
    }

    @Test("a secret's file is removed with the end of its program, and after a crash by the next start")
    func file() async throws {
        try await withSandbox { sandbox in
            sandbox.configure(SecretTests.action, file: "conf.d/publish.toml")
            let runtime = sandbox.directory + "/run"
            try #require(mkdir(runtime, 0o700) == 0)
            let environment = ["XDG_RUNTIME_DIR": runtime, "RUNTIME_DIRECTORY": ""]
            var daemon = try await start(sandbox, environment)
            for crashes in [false, true] {
                let execution = try await sandbox.startRxctl("execute", "publish", "token=secret", "--raw")
                try await eventually("the program has read the file") { execution.lines.count == 2 }
                #expect(execution.lines[0] == "secret")
                let path = execution.lines[1]
                #expect(path.hasPrefix(runtime + "/rxd-inputs-"))
                #expect(Files.exists(path))
                if crashes {
                    daemon.signal(SIGKILL)
                    _ = try await daemon.result()
                    #expect(Files.exists(path))
                    daemon = try await start(sandbox, environment)
                } else {
                    execution.signal(SIGINT)
                }
                _ = try await execution.result()
                #expect(!Files.exists(path))
            }
            try await sandbox.stopCleanly(daemon)
        }
    }

    @Test("--check warns of a secret in an argument")
    func check() async throws {
        try await withSandbox { sandbox in
            sandbox.configure(SecretTests.action.replacing(", as = \"file\"", with: ""), file: "conf.d/publish.toml")
            let check = try await sandbox.start([Programs.rxd, "--check", "--config", sandbox.config]).result()
            #expect(check.status == 0)
            #expect(check.error.contains("conf.d/publish.toml:2: warning: action.publish.run[4]: "), "\(check.error)")
        }
    }
}
