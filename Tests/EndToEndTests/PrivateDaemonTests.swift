import Glibc
import TestSupport
import Testing

/// Daemons that a user, or an administrator by hand, starts for oneself or for a group.
@Suite("Private daemons", .ownThreads(limit: .seconds(120)))
struct PrivateDaemonTests {
    /// The permission bits, the owner, and the group of a file.
    private func access(_ path: String) -> (mode: UInt32, uid: UInt32, gid: UInt32)? {
        var facts = stat()
        return lstat(path, &facts) == 0 ? (facts.st_mode & 0o7777, facts.st_uid, facts.st_gid) : nil
    }

    private func command(_ sandbox: Sandbox, _ options: [String]) -> [String] {
        [Programs.rxd, "--config", sandbox.config, "--socket", sandbox.socket, "--state", sandbox.state] + options
    }

    // MARK: The socket

    @Test(
        "the socket has the mode that is asked for, whatever the umask has for group and others",
        arguments: [([], 0o660), (["--socket-mode", "0600"], 0o600), (["--socket-mode", "660"], 0o660)], ["000", "077"])
    func mode(_ options: ([String], Int), umask: String) async throws {
        try await withSandbox { sandbox in
            let daemon = try await sandbox.start(
                ["sh", "-c", "umask \(umask) && exec \"$@\"", "sh"] + command(sandbox, options.0))
            let status = try await sandbox.rxctl("status", "--wait", "50s")
            #expect(status.status == 0, "\(daemon.error)")
            #expect(access(sandbox.socket)?.mode == UInt32(options.1))
            #expect(access(sandbox.socket)?.gid == getgid())
            daemon.signal(SIGTERM)
            #expect(try await daemon.result().status == 0)
        }
    }

    @Test(
        "a mode that lets others connect, or is none, is refused with what to write instead",
        arguments: [
            ("0666", "lets every user of the machine connect; use 0660 with --socket-group"),
            ("0661", "lets every user of the machine connect"), ("0060", "is not a mode of a socket; write 0600"),
            ("0770", "is not a mode of a socket"), ("4660", "is not a mode of a socket"),
            ("0668", "is not a mode; write one in octal, such as 0660"), ("rw", "is not a mode"),
            ("66", "is not a mode"),
        ])
    func badMode(_ mode: String, reason: String) async throws {
        try await withSandbox { sandbox in
            let result = try await sandbox.start(command(sandbox, ["--socket-mode", mode])).result()
            #expect(result.status == 64)
            #expect(result.error.contains(reason), "\(result.error)")
            #expect(!Files.exists(sandbox.socket))
        }
    }

    @Test(
        "the group of the socket is given by name or gid", .enabled(if: getuid() == 0, "only root is in every group"),
        arguments: ["daemon", "1"])
    func group(_ name: String) async throws {
        try await withSandbox { sandbox in
            let daemon = try await sandbox.startDaemon(["--socket-group", name])
            #expect(access(sandbox.socket)?.gid == 1)
            #expect(access(sandbox.socket)?.mode == 0o660)
            chmod(sandbox.directory, 0o711)
            func status(_ group: String) async throws -> Program.Result {
                try await sandbox.start([
                    "setpriv", "--reuid=65534", "--regid=65534", "--groups=\(group)", "--", Programs.rxctl, "status",
                ]).result()
            }
            #expect(try await status("1").status == 0)
            let other = try await status("65534")
            #expect(other.status == 69)
            #expect(other.error.contains("Permission denied (EACCES); join the group daemon"), "\(other.error)")
            try await sandbox.stopCleanly(daemon)
        }
    }

    @Test("a group that does not exist is refused")
    func unknownGroup() async throws {
        try await withSandbox { sandbox in
            for name in ["no-such-group", "-1", "4294967295"] {
                let result = try await sandbox.start(command(sandbox, ["--socket-group=\(name)"])).result()
                #expect(result.status == 64)
                #expect(result.error.contains("there is no group \"\(name)\"; see `getent group`"), "\(result.error)")
            }
        }
    }

    @Test(
        "a group that the daemon may not give the socket to is refused, and leaves no socket",
        .enabled(if: getuid() == 0, "needs root, which gives up a capability"))
    func forbiddenGroup() async throws {
        try await withSandbox { sandbox in
            let result = try await sandbox.start(
                ["setpriv", "--bounding-set=-chown", "--clear-groups", "--"]
                    + command(sandbox, ["--socket-group", "daemon"])
            ).result()
            #expect(result.status == 1)
            #expect(
                result.error.contains(
                    "\(sandbox.socket): cannot be given to the group with the gid 1: Operation not permitted; "
                        + "make the user of the daemon a member of that group, or run the daemon as root"),
                "\(result.error)")
            #expect(!Files.exists(sandbox.socket))
        }
    }

    @Test(
        "with a socket of systemd, the options are refused: its unit decides",
        .enabled(if: Programs.installed("python3") != nil, "python3 is not installed"),
        arguments: [["--socket-mode", "0600"], ["--socket-group", "0"]])
    func activated(_ options: [String]) async throws {
        try await withSandbox { sandbox in
            let activate = """
                import os, socket, sys
                listener = socket.socket(socket.AF_UNIX)
                listener.bind(sys.argv[1])
                listener.listen()
                os.dup2(listener.fileno(), 3)
                os.set_inheritable(3, True)
                os.environ.update(LISTEN_FDS="1", LISTEN_PID=str(os.getpid()))
                os.execv(sys.argv[2], sys.argv[2:])
                """
            let python = try #require(Programs.installed("python3"))
            let result = try await sandbox.start(
                [python, "-c", activate, sandbox.socket] + command(sandbox, options)
            ).result()
            #expect(result.status == 78)
            #expect(
                result.error == "rxd: \(options[0]) has no effect on the socket that systemd passes; remove it, and "
                    + "use SocketMode= and SocketGroup= in the socket unit\n")
        }
    }

    // MARK: The daemon of a user

    /// An environment with these directories, and no other place.
    private func environment(_ sandbox: Sandbox, _ variables: [String: String] = [:]) -> [String: String] {
        ["XDG_CONFIG_HOME": "", "XDG_STATE_HOME": "", "XDG_RUNTIME_DIR": "", "RXD_SOCKET": "", "STATE_DIRECTORY": ""]
            .merging(variables) { $1 }
    }

    @Test("rxd --user has its files in the places of the user, which are made for the user alone, and rxctl finds it")
    func user() async throws {
        try await withSandbox { sandbox in
            let (home, runtime) = (sandbox.directory + "/home", sandbox.directory + "/runtime")
            for path in [home, home + "/.config", home + "/.config/rxd", runtime] { mkdir(path, 0o700) }
            Files.write("[action.hello]\nrun = [\"echo\", \"hello\"]\n", to: home + "/.config/rxd/rxd.toml")
            let environment = environment(sandbox, ["HOME": home, "XDG_RUNTIME_DIR": runtime])
            for _ in 0..<2 {
                let daemon = try await sandbox.start(
                    ["sh", "-c", "umask 000 && exec \"$0\" --user", Programs.rxd], environment: environment)
                try await eventually("it listens") { Files.exists(runtime + "/rxd/rxd.sock") }
                let found = try await sandbox.rxctl("socket-path", environment: environment)
                #expect(found.output == runtime + "/rxd/rxd.sock\n")
                let hello = try await sandbox.rxctl("execute", "hello", environment: environment)
                #expect(hello.output == "\"hello\"\n", "\(hello.error)")
                #expect(access(runtime + "/rxd/rxd.sock")?.mode == 0o600)
                let made = [runtime + "/rxd", home + "/.local", home + "/.local/state", home + "/.local/state/rxd"]
                #expect(made.map { access($0)?.mode } == [0o700, 0o700, 0o700, 0o700])
                #expect(Files.exists(home + "/.local/state/rxd/rxd.db"))
                daemon.signal(SIGTERM)
                #expect(try await daemon.result().status == 0, "\(daemon.error)")
                #expect(!Files.exists(runtime + "/rxd/rxd.sock"))
            }
        }
    }

    @Test("XDG_CONFIG_HOME and XDG_STATE_HOME come before HOME, options before both; a relative path does not count")
    func variables() async throws {
        try await withSandbox { sandbox in
            let (home, runtime) = (sandbox.directory + "/home", sandbox.directory + "/runtime")
            for path in [home, runtime, home + "/c", home + "/c/rxd"] { mkdir(path, 0o700) }
            Files.write("[action.hello]\nrun = [\"echo\", \"hello\"]\n", to: home + "/c/rxd/rxd.toml")
            let named = environment(
                sandbox,
                [
                    "HOME": "relative", "XDG_CONFIG_HOME": home + "/c", "XDG_STATE_HOME": home + "/s",
                    "XDG_RUNTIME_DIR": runtime,
                ])
            let daemon = try await sandbox.start(
                [Programs.rxd, "--user", "--socket-mode", "0660"], environment: named)
            let hello = try await sandbox.rxctl(
                "-s", runtime + "/rxd/rxd.sock", "execute", "hello", "--wait", "50s", environment: named)
            #expect(hello.output == "\"hello\"\n", "\(hello.error) \(daemon.error)")
            #expect(access(home + "/s/rxd")?.mode == 0o700)
            #expect(access(runtime + "/rxd/rxd.sock")?.mode == 0o660)
            daemon.signal(SIGTERM)
            #expect(try await daemon.result().status == 0)

            let options = try await sandbox.start(command(sandbox, ["--user"]), environment: environment(sandbox))
            let echo = try await sandbox.rxctl("execute", "echo", "1", "--wait", "50s")
            #expect(echo.output == "1\n", "\(options.error)")
            #expect(access(sandbox.socket)?.mode == 0o600)
            options.signal(SIGTERM)
            #expect(try await options.result().status == 0)

            let relative = try await sandbox.start(
                [Programs.rxd, "--user", "--check"],
                environment: environment(sandbox, ["HOME": home, "XDG_CONFIG_HOME": "c"])
            ).result()
            #expect(relative.status == 0, "~/.config/rxd is missing, which is no fault: \(relative.error)")
        }
    }

    @Test("without XDG_RUNTIME_DIR there is no place for the socket, but a check needs none")
    func noRuntimeDirectory() async throws {
        try await withSandbox { sandbox in
            let environment = environment(sandbox, ["HOME": sandbox.directory])
            let result = try await sandbox.start([Programs.rxd, "--user"], environment: environment).result()
            #expect(result.status == 78)
            #expect(
                result.error == "rxd: cannot place the socket: XDG_RUNTIME_DIR is not set; start rxd in a "
                    + "login session or by `systemctl --user start rxd.socket`, or name a socket with --socket\n")
            #expect(!Files.exists(sandbox.directory + "/.local"), "nothing is made for a start that is refused")
            let check = try await sandbox.start([Programs.rxd, "--user", "--check"], environment: environment).result()
            #expect(check.status == 0, "\(check.error)")
        }
    }

    @Test("a start that cannot listen names the options, and opens no state")
    func cannotListen() async throws {
        try await withSandbox { sandbox in
            let missing = sandbox.directory + "/missing/rxd.sock"
            let options = ["--config", sandbox.config, "--state", sandbox.state]
            let result = try await sandbox.start([Programs.rxd, "--socket", missing] + options).result()
            #expect(result.status == 1)
            #expect(
                result.error == "rxd: critical: \(missing).lock: open: No such file or directory; name a socket "
                    + "in a directory that you may write to with --socket PATH, or be the daemon of one user with "
                    + "--user\n")
            #expect(Files.names(in: sandbox.state).isEmpty)
            // Of a daemon whose socket is taken, too.
            let daemon = try await sandbox.startDaemon()
            let other = sandbox.directory + "/other"
            mkdir(other, 0o700)
            let second = try await sandbox.start(
                [Programs.rxd, "--socket", sandbox.socket, "--config", sandbox.config, "--state", other]
            ).result()
            #expect(second.status == 69)
            #expect(Files.names(in: other).isEmpty)
            try await sandbox.stopCleanly(daemon)
            // A start that fails on its state leaves no file of the socket.
            Files.write("damaged", to: sandbox.state + "/rxd.db")
            let failed = try await sandbox.start([Programs.rxd, "--socket", sandbox.socket] + options).result()
            #expect(failed.status == 74)
            #expect(!Files.names(in: sandbox.directory).contains { $0.hasPrefix("rxd.sock") })
        }
    }

    @Test("without HOME, and without the variables that would replace it, there is no place for the configuration")
    func noHome() async throws {
        try await withSandbox { sandbox in
            let result = try await sandbox.start(
                [Programs.rxd, "--user", "--check"], environment: environment(sandbox, ["HOME": ""])
            ).result()
            #expect(result.status == 78)
            #expect(
                result.error
                    == "rxd: neither XDG_CONFIG_HOME nor HOME is set; set one of them to an absolute path\n")
        }
    }

    @Test(
        "the runtime directory of another user is left alone",
        .enabled(if: getuid() == 0, "only root may write to another user's directory"))
    func otherSession() async throws {
        try await withSandbox { sandbox in
            let runtime = sandbox.directory + "/runtime"
            mkdir(runtime, 0o700)
            try #require(chown(runtime, 65534, 65534) == 0)
            let result = try await sandbox.start(
                [Programs.rxd, "--user"],
                environment: environment(sandbox, ["HOME": sandbox.directory, "XDG_RUNTIME_DIR": runtime])
            ).result()
            #expect(result.status == 78)
            #expect(
                result.error == "rxd: XDG_RUNTIME_DIR is \(runtime), which belongs to uid 65534; unset it, or set it "
                    + "to your own\n")
            #expect(!Files.exists(runtime + "/rxd"))
        }
    }

    // MARK: PrivateTmp

    @Test("a private daemon shares /tmp with everyone: neither its check nor its start warns about PrivateTmp")
    func sharedTmp() async throws {
        try await withSandbox { sandbox in
            sandbox.configure("[stream.files]\npath = \"\(sandbox.directory)\"\n", file: "conf.d/files.toml")
            let check = try await sandbox.start(command(sandbox, ["--check"])).result()
            #expect(check.status == 0)
            #expect(!check.error.contains("PrivateTmp"), "\(check.error)")
            let daemon = try await sandbox.startDaemon()
            try await sandbox.stopCleanly(daemon)
            #expect(!daemon.error.contains("PrivateTmp"), "\(daemon.error)")
        }
    }
}
