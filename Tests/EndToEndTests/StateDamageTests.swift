import Glibc
import RxJSON
import TestSupport
import Testing

/// A state that lacks what was acknowledged: the daemon reports that instead of beginning with less.
@Suite(.ownThreads)
struct StateDamageTests {
    private static let counter = """
        [reactor.counter]
        initial    = { value = 0 }
        mutate     = [{ mutation = ".action" }]
        reduce     = ".state | .value += 1"
        persist    = true
        durability = "sync"

        """

    /// A sandbox whose daemon was killed after five dispatches that were answered.
    private func withKilledDaemon(_ body: (Sandbox) async throws -> Void) async throws {
        try await withSandbox { sandbox in
            sandbox.configure(Self.counter, file: "conf.d/counter.toml")
            let daemon = try await sandbox.startDaemon()
            for _ in 0..<5 { #expect(try await sandbox.rxctl("dispatch", "counter", "null").status == 0) }
            daemon.signal(SIGKILL)
            _ = try await daemon.result()
            unlink(sandbox.socket)
            try await body(sandbox)
        }
    }

    private func start(
        _ sandbox: Sandbox, socket: String? = nil, _ arguments: String...
    ) async throws -> Program.Result {
        try await sandbox.start(
            [Programs.rxd, "--config", sandbox.config, "--socket", socket ?? sandbox.socket, "--state", sandbox.state]
                + arguments
        ).result()
    }

    private func value(_ sandbox: Sandbox) async throws -> Int? {
        try await sandbox.rxctl("state", "counter").values().first?["value"]?.int
    }

    @Test("a flipped bit in the log of reactors.db: exit 74 with the path, and --recover reports what is lost")
    func flippedBit() async throws {
        try await withKilledDaemon { sandbox in
            let file = sandbox.state + "/reactors.db-wal"
            var log = Files.bytes(file)
            try #require(!log.isEmpty)
            // In the page at its end, which belongs to the last dispatch.
            log[log.count - 100] ^= 1
            Files.write(log, to: file)
            let refused = try await start(sandbox)
            #expect(refused.status == 74)
            #expect(refused.error.contains("/reactors.db: damaged"), "\(refused.error)")
            #expect(refused.error.contains("--recover"), "\(refused.error)")
            #expect(Files.bytes(file) == log)
            let daemon = try await sandbox.startDaemon(["--recover"])
            try await daemon.logs("/reactors.db: the last transaction is lost")
            #expect(try await value(sandbox) == 4)
            #expect(try await sandbox.history("counter").contains { $0["replaced"] == "loss" })
            try await sandbox.stopCleanly(daemon)
            // Only what is lost from now on is a loss.
            let next = try await sandbox.startDaemon()
            #expect(try await value(sandbox) == 4)
            try await sandbox.stopCleanly(next)
        }
    }

    @Test("a file that is missing or empty: exit 74 with the path", arguments: ["rxd.db", "reactors.db"])
    func missing(name: String) async throws {
        try await withKilledDaemon { sandbox in
            let file = "\(sandbox.state)/\(name)"
            for isEmpty in [true, false] {
                for suffix in ["-wal", "-shm"] { unlink(file + suffix) }
                if isEmpty { Files.write("", to: file) } else { unlink(file) }
                let refused = try await start(sandbox)
                #expect(refused.status == 74)
                #expect(refused.error.contains("\(file): missing or empty"), "\(refused.error)")
            }
            let daemon = try await sandbox.startDaemon(["--recover"])
            try await daemon.logs("\(file): the file was lost")
            try await sandbox.stopCleanly(daemon)
        }
    }

    @Test("a start that fails closes the databases that it has opened")
    func failedStart() async throws {
        try await withKilledDaemon { sandbox in
            let log = sandbox.state + "/rxd.db-wal"
            try #require(!Files.bytes(log).isEmpty)
            Files.write("", to: sandbox.state + "/reactors.db")
            #expect(try await start(sandbox).status == 74)
            #expect(access(log, F_OK) != 0)
        }
    }

    @Test("a start that cannot listen leaves the state as it is")
    func cannotListen() async throws {
        try await withKilledDaemon { sandbox in
            let files = Files.names(in: sandbox.state).map { "\(sandbox.state)/\($0)" }
            let before = files.map(Files.bytes)
            try #require(before.contains { !$0.isEmpty })
            let failed = try await start(sandbox, socket: sandbox.state + "/missing/rxd.sock")
            #expect(failed.status == 1, "\(failed.error)")
            #expect(files.map(Files.bytes) == before)
        }
    }

    @Test("a state directory in use: exit 75; a socket in use: exit 69")
    func inUse() async throws {
        try await withSandbox { sandbox in
            let daemon = try await sandbox.startDaemon()
            #expect(try await start(sandbox).status == 75)
            let other = try await sandbox.start(
                [
                    Programs.rxd, "--config", sandbox.config, "--socket", sandbox.socket, "--state",
                    sandbox.directory + "/other",
                ]
            ).result()
            #expect(other.status == 69, "\(other.error)")
            try await sandbox.stopCleanly(daemon)
        }
    }

    @Test("a state directory that is removed while the daemon runs: the next promise fails and names the file")
    func removed() async throws {
        try await withSandbox { sandbox in
            sandbox.configure(Self.counter, file: "conf.d/counter.toml")
            let daemon = try await sandbox.startDaemon()
            #expect(try await sandbox.rxctl("dispatch", "counter", "null").status == 0)
            for name in Files.names(in: sandbox.state) { unlink("\(sandbox.state)/\(name)") }
            rmdir(sandbox.state)
            let refused = try await sandbox.rxctl("dispatch", "counter", "null")
            #expect(refused.status == 1)
            #expect(refused.error.contains("reactors.db: was moved or removed"), "\(refused.error)")
            daemon.signal(SIGTERM)
            _ = try await daemon.result()
        }
    }
}
