import Glibc
import RxJSON
import TestSupport
import Testing

/// The directories that commands without a daemon work in, unless they are named.
@Suite("Directories of the addressed daemon", .ownThreads(limit: .seconds(120)))
struct DaemonDirectoryTests {
    private static let reactor = """
        [reactor.counter]
        initial = { value = 0 }
        mutate  = [{ mutation = ".action" }]
        reduce  = ".state | .value += 1"
        persist = true

        """

    private func configure(_ sandbox: Sandbox) {
        sandbox.configure(Self.reactor, file: "conf.d/counter.toml")
        mkdir(sandbox.config + "/tests", 0o700)
        sandbox.configure("[test.x]\n", file: "tests/x.toml")
    }

    @Test("backup, replay, and test work in those of the daemon on the socket, and print them")
    func addressed() async throws {
        try await withSandbox { sandbox in
            configure(sandbox)
            // Its paths are relative, those of rxctl are not.
            let daemon = try await sandbox.start([
                "/bin/sh", "-c", "cd \"$RXD_TEST\" && exec \"$0\" --config config --state state --socket rxd.sock",
                Programs.rxd,
            ])
            #expect(try await sandbox.rxctl("dispatch", "counter", "null", "--wait", "50s").status == 0)
            let note = "is \(sandbox.state), of the daemon on \(sandbox.socket)"
            let copies = sandbox.directory + "/copies"
            let backup = try await sandbox.rxctl("backup", copies)
            #expect(backup.status == 0 && backup.error == "rxctl: the state \(note)\n", "\(backup.error)")
            #expect(Files.exists(copies + "/reactors.db"))
            // The option comes before the variable.
            let elsewhere = ["RXD_SOCKET": sandbox.directory + "/none.sock", "STATE_DIRECTORY": "/nonexistent"]
            let replay = try await sandbox.rxctl(
                "replay", "counter", "--against", sandbox.config, "--socket", sandbox.socket, "--json",
                environment: elsewhere)
            #expect(replay.status == 0, "\(replay.error)")
            #expect(try RawJSON(validating: replay.error).value() == ["message": .string("the state \(note)")])
            let test = try await sandbox.rxctl("test")
            #expect(test.status == 78)
            #expect(
                test.error.hasPrefix(
                    "rxctl: the configuration is \(sandbox.config), of the daemon on \(sandbox.socket)\n"),
                "\(test.error)")
            #expect(test.error.contains(sandbox.config + "/tests/x.toml"), "\(test.error)")
            let named = try await sandbox.rxctl("backup", "--state", sandbox.state, "--force", copies)
            #expect(named.status == 0 && named.error == "", "\(named.error)")

            daemon.signal(SIGTERM)
            #expect(try await daemon.result().status == 0)
            let gone = try await sandbox.rxctl("backup", "--force", copies)
            #expect(gone.status == 69)
            #expect(gone.error.hasSuffix(", or name its directory with --state\n"), "\(gone.error)")
        }
    }

    @Test("the user's own daemon that is not running has the places of rxd --user")
    func user() async throws {
        try await withSandbox { sandbox in
            let (home, runtime) = (sandbox.directory + "/home", sandbox.directory + "/runtime")
            for path in [home, runtime] { mkdir(path, 0o700) }
            let environment = [
                "HOME": home, "XDG_RUNTIME_DIR": runtime, "RXD_SOCKET": "", "XDG_CONFIG_HOME": "",
                "XDG_STATE_HOME": "", "STATE_DIRECTORY": "",
            ]
            let daemon = try await sandbox.start([Programs.rxd, "--user"], environment: environment)
            try await eventually("it listens") { Files.exists(runtime + "/rxd/rxd.sock") }
            daemon.signal(SIGKILL)
            _ = try await daemon.result()
            let backup = try await sandbox.rxctl("backup", sandbox.directory + "/copies", environment: environment)
            #expect(backup.status == 0)
            #expect(backup.error == "rxd: the state is \(home)/.local/state/rxd\n", "\(backup.error)")
            #expect(Files.exists(sandbox.directory + "/copies/rxd.db"))
        }
    }
}
