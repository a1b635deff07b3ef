import Glibc
import Synchronization
import Testing

/// A test's private directory with socket, configuration, state, and the outputs of its processes.
final class Sandbox: Sendable {
    let directory: String
    private let programs = Mutex<[Program]>([])

    var socket: String { directory + "/rxd.sock" }
    var config: String { directory + "/config" }
    var state: String { directory + "/state" }

    fileprivate init() {
        var template = Array("/tmp/rxd-e2e-XXXXXX".utf8CString)
        precondition(mkdtemp(&template) != nil, "no directory for the test")
        directory = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
        for path in [config, config + "/conf.d", state, outputs] { mkdir(path, 0o700) }
        configure(Sandbox.actions)
    }

    private var outputs: String { directory + "/outputs" }

    /// What every process of the test has in its environment, and so its children, however far away.
    private var mark: String { "RXD_TEST=\(directory)" }

    /// Actions most tests need. The shell ones stand for any program.
    static let actions = """
        [action.echo]
        builtin = "echo"

        [action.fail]
        builtin = "fail"

        [action.ticks]
        builtin = "ticks"

        [action.exit3]
        run = ["/bin/sh", "-c", "echo one; echo oops >&2; exit 3"]

        [action.sleeper]
        run = ["/bin/sh", "-c", "echo $$; sleep 300 & wait"]
        grace = "1s"

        [action.missing]
        run = ["/nonexistent/program"]

        """

    func configure(_ toml: String, file: String = "rxd.toml") {
        Files.write(toml, to: "\(config)/\(file)")
    }

    // MARK: Programs

    func start(_ arguments: [String], environment: [String: String] = [:]) async throws -> Program {
        var environment = environment
        environment["RXD_TEST"] = directory
        environment["RXD_SOCKET"] = environment["RXD_SOCKET"] ?? socket
        let number = programs.withLock { $0.count }
        let name = "\(number)-" + (arguments[0].split(separator: "/").last ?? "program")
        let program = try await Program.start(
            arguments, environment: environment, outputs: outputs, name: "\(name)-\(UInt32.random(in: 0 ... .max))")
        programs.withLock { $0.append(program) }
        return program
    }

    /// Starts a daemon and waits until it answers.
    @discardableResult
    func startDaemon(_ arguments: [String] = []) async throws -> Program {
        let daemon = try await start(
            [Programs.rxd, "--config", config, "--socket", socket, "--state", state] + arguments)
        let status = try await rxctl("status", "--wait", "50s")
        #expect(status.status == 0, "\(status.error)\n\(daemon.error)")
        return daemon
    }

    /// The command that hosts a task list in the sandbox's state directory.
    func todoDaemon(_ name: String = "tasks", durability: String = "normal") -> [String] {
        [Programs.todoDaemon, "--socket", socket, "--state", state, "--name", name, "--durability", durability]
    }

    /// Starts a daemon with a task list and waits until it answers.
    @discardableResult
    func startTodoDaemon(_ name: String = "tasks", durability: String = "normal") async throws -> Program {
        let daemon = try await start(todoDaemon(name, durability: durability))
        let status = try await rxctl("status", "--wait", "50s")
        #expect(status.status == 0, "\(status.error)\n\(daemon.error)")
        return daemon
    }

    func startRxctl(_ arguments: String..., environment: [String: String] = [:]) async throws -> Program {
        try await start([Programs.rxctl] + arguments, environment: environment)
    }

    /// Runs `rxctl` to its end.
    func rxctl(_ arguments: String..., environment: [String: String] = [:]) async throws -> Program.Result {
        try await start([Programs.rxctl] + arguments, environment: environment).result()
    }

    func rxctl(_ arguments: [String]) async throws -> Program.Result {
        try await start([Programs.rxctl] + arguments).result()
    }

    /// Runs a shell script to its end, with `$rxctl` in its environment.
    func shell(_ script: String) async throws -> Program.Result {
        try await start(["/bin/bash", "-c", script], environment: ["rxctl": Programs.rxctl]).result()
    }

    // MARK: What is left

    /// Processes that this test has brought about and that are alive.
    func processes() -> [pid_t] {
        Files.names(in: "/proc").compactMap { pid_t($0) }.filter { pid in
            pid != getpid() && (Files.read("/proc/\(pid)/environ") ?? "").split(separator: "\0").contains { $0 == mark }
        }
    }

    /// Whether a process exists and is no zombie.
    static func isAlive(_ pid: pid_t) -> Bool {
        guard let status = Files.read("/proc/\(pid)/stat"), let paren = status.lastIndex(of: ")") else { return false }
        return !status[paren...].dropFirst(2).hasPrefix("Z")
    }

    fileprivate func tearDown() async {
        for program in programs.withLock({ $0 }) {
            await program.reap()
        }
        for pid in processes() {
            kill(pid, SIGKILL)
        }
        Files.removeTree(directory)
    }

    /// Stops a daemon as systemd does and expects that it leaves nothing behind.
    func stopCleanly(_ daemon: Program) async throws {
        daemon.signal(SIGTERM)
        let result = try await daemon.result()
        #expect(result.status == 0, "\(result.error)")
        try await eventually("nothing is left of the daemon") { processes().isEmpty }
        #expect(!Files.exists(socket), "the socket is still there")
    }
}

/// Gives `body` a sandbox and cleans up after it, however it ends.
func withSandbox(_ body: (Sandbox) async throws -> Void) async throws {
    let sandbox = Sandbox()
    do {
        try await body(sandbox)
    } catch {
        await sandbox.tearDown()
        throw error
    }
    await sandbox.tearDown()
}

/// Gives `body` a sandbox with a running daemon, which then has to stop cleanly.
func withDaemon(_ body: (Sandbox, Program) async throws -> Void) async throws {
    try await withSandbox { sandbox in
        let daemon = try await sandbox.startDaemon()
        try await body(sandbox, daemon)
        try await sandbox.stopCleanly(daemon)
    }
}
