import Glibc
import RxJSON
import TestSupport
import Testing

/// What is kept of a watched path, in a backup and without it.
@Suite(.ownThreads(limit: .seconds(120)))
struct WatchedPathBackupTests {
    /// A stream of the files in the directory `drop`, which an action sees.
    private static let watcher = """
        [stream.drop]
        path     = "DIRECTORY/drop"
        existing = true
        persist  = true

        [action.see]
        run     = ["echo", { input = "/path" }]
        on      = "drop"
        overlap = "queue"

        """

    /// The names of the files that were seen, oldest first.
    private func seen(_ sandbox: Sandbox) async throws -> [String] {
        try await sandbox.history("see").compactMap { $0["input"]?["path"]?.string?.split(separator: "/").last }
            .map(String.init)
    }

    @Test("what a stream has seen of a path is restored, what came later comes again, and a lost index is reported")
    func watchedPath() async throws {
        try await withSandbox { sandbox in
            let drop = sandbox.directory + "/drop"
            mkdir(drop, 0o755)
            sandbox.configure(
                Self.watcher.replacing("DIRECTORY", with: sandbox.directory), file: "conf.d/watcher.toml")
            let daemon = try await sandbox.startDaemon()
            Files.write("", to: drop + "/a")
            try await eventually("a is seen") { try await seen(sandbox) == ["a"] }
            #expect(try await sandbox.backup().status == 0)
            Files.write("", to: drop + "/b")
            try await eventually("b is seen") { try await seen(sandbox) == ["a", "b"] }
            try await sandbox.stopCleanly(daemon)
            Files.write("", to: drop + "/c")

            let restored = try await sandbox.restore()
            #expect(restored.status == 0 && restored.error == "", "\(restored.error)")
            let second = try await sandbox.startDaemon()
            try await eventually("b and c are seen") { try await seen(sandbox).count >= 3 }
            #expect(try await seen(sandbox).sorted() == ["a", "b", "c"])
            #expect(!second.error.contains(".index"), "\(second.error)")
            try await sandbox.stopCleanly(second)

            let index = try #require(Files.names(in: sandbox.state).first { $0.hasSuffix(".index") })
            unlink(sandbox.state + "/" + index)
            let third = try await sandbox.startDaemon()
            try await eventually("the loss is reported") {
                third.error.contains("\(sandbox.state)/\(index): missing: everything")
            }
            try await sandbox.stopCleanly(third)
        }
    }
}
