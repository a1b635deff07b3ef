import Glibc
import RxClient
import RxJSON
import RxProtocol
import TestSupport
import Testing

/// `rxctl execute --at` and `--in`.
@Suite(.ownThreads(limit: .seconds(180)))
struct ScheduledExecutionTests {
    private static let configuration = """
        [action.note]
        run = ["sh", "-c", "echo $1 >> NOTES", "sh", { input = "/n" }]
        overlap = "queue"

        [action.note.input]
        type = "object"
        required = ["n"]

        """

    private func notes(_ sandbox: Sandbox) -> [String] {
        (Files.read(sandbox.directory + "/notes") ?? "").split(separator: "\n").map(String.init)
    }

    @Test("is started once at its time, by the daemon that is there then, however many were killed before")
    func killed() async throws {
        try await withSandbox { sandbox in
            sandbox.configure(configuration(sandbox), file: "conf.d/note.toml")
            var daemon = try await sandbox.startDaemon()
            let ids = try await sandbox.shell(
                #"for n in 1 2 3; do "$rxctl" execute note n=$n --in 15s; done; "$rxctl" execute note n=4 --in 1h"#)
            #expect(ids.status == 0 && ids.lines.count == 4, "\(ids.error)")
            let due = try #require(try await sandbox.history("note").compactMap { $0["at"]?.string }.min())
            var kills = 0
            // What has started does not survive; a start of the daemon may take seconds on a busy machine, and so may
            // the way from here to the kill.
            while kills < 3, "\(Timestamp(milliseconds: Timestamp.now.milliseconds + 6000))" < due {
                daemon.signal(SIGKILL)
                #expect(try await daemon.result().status == 128 + SIGKILL)
                daemon = try await sandbox.startDaemon()
                kills += 1
            }
            #expect(kills > 0)
            for id in ids.lines.prefix(3) { #expect(try await sandbox.rxctl("wait", id).status == 0) }
            #expect(notes(sandbox) == ["1", "2", "3"])
            let records = try await sandbox.history("note")
            #expect(records.compactMap { $0["state"]?.string } == ["completed", "completed", "completed", "queued"])
            for record in records.prefix(3) {
                let (due, start) = (record["at"]?.string ?? "z", record["startedAt"]?.string ?? "")
                #expect(due <= start, "\(record)")
            }
            try await sandbox.stopCleanly(daemon)
        }
    }

    @Test("that came due while no daemon ran is started at once, with a note of how late it is")
    func late() async throws {
        try await withSandbox { sandbox in
            sandbox.configure(configuration(sandbox), file: "conf.d/note.toml")
            var daemon = try await sandbox.startDaemon()
            let accepted = try await sandbox.rxctl("execute", "note", "n=1", "--in", "10s", "--json").values().first
            daemon.signal(SIGKILL)
            #expect(try await daemon.result().status == 128 + SIGKILL)
            let due = try #require(accepted?["at"]?.string)
            #expect(accepted?["disposition"] == "scheduled")
            try await eventually("its time has come") { "\(Timestamp.now)" > due }
            daemon = try await sandbox.startDaemon()
            let id = try #require(accepted?["execution"]?.string)
            #expect(try await sandbox.rxctl("wait", id).status == 0)
            #expect(notes(sandbox) == ["1"])
            try await daemon.logs("note was to start at \(due); it starts now, ")
            try await sandbox.stopCleanly(daemon)
        }
    }

    @Test("charges its user with a long input, also by a later daemon")
    func charged() async throws {
        try await withSandbox { sandbox in
            func charged() async throws -> Int {
                let users = try await sandbox.rxctl("status", "--users", "--json").values()
                return users.compactMap { $0["keptBytes"]?.int }.max() ?? 0
            }
            let length = 50_000
            let first = try await sandbox.startDaemon()
            #expect(try await charged() < length)
            let input = "\"\(String(repeating: "x", count: length))\""
            #expect(try await sandbox.rxctl("execute", "echo", input, "--in", "1h").status == 0)
            #expect(try await charged() >= length)
            first.signal(SIGKILL)
            _ = try await first.result()
            let second = try await sandbox.startDaemon()
            #expect(try await charged() >= length)
            #expect(try await sandbox.rxctl("cancel", "echo").status == 0)
            try await eventually("it is charged no longer") { try await charged() < length }
            try await sandbox.stopCleanly(second)
        }
    }

    @Test("is listed with its time, explained by why, and canceled")
    func listed() async throws {
        try await withSandbox { sandbox in
            sandbox.configure(configuration(sandbox), file: "conf.d/note.toml")
            var daemon = try await sandbox.startDaemon()
            let id = try #require(
                try await sandbox.rxctl("execute", "note", "n=1", "--at", "2199-01-01T12:00Z").lines.first)
            let time: JSONValue = "2199-01-01T12:00:00.000Z"
            let why = try #require(try await sandbox.rxctl("why", "note").values().first)
            #expect(why["next"] == time && why["upcoming"] == [["time": time, "execution": .string(id)]])
            let listed = try await sandbox.rxctl("list").values().first { $0["action"] == "note" }
            #expect(listed?["next"] == time && listed?["queued"] == 0)
            #expect(try await sandbox.rxctl("wait", "note", "--timeout", "50s").status == 0, "it is idle")
            #expect(try await sandbox.rxctl("cancel", id).values().first?["state"] == "cancelled")
            try await sandbox.stopCleanly(daemon)
            daemon = try await sandbox.startDaemon()
            #expect(try await sandbox.rxctl("why", "note").values().first?["next"] == .null)
            #expect(try await sandbox.history("note").map { $0["state"] } == ["cancelled"])
            #expect(notes(sandbox).isEmpty)
            try await sandbox.stopCleanly(daemon)
        }
    }

    @Test("is validated at once, and its time must be in the future")
    func refused() async throws {
        try await withSandbox { sandbox in
            sandbox.configure(configuration(sandbox), file: "conf.d/note.toml")
            let daemon = try await sandbox.startDaemon()
            #expect(try await sandbox.rxctl("execute", "note", "m=1", "--in", "1h").status == 2)
            let past = try await sandbox.rxctl("execute", "note", "n=1", "--at", "2026-01-01T00:00Z")
            #expect(past.status == 64 && past.error.contains("is in the past"))
            let call = try await sandbox.rxctl(
                "call", "action.execute", #"{"action":"note","input":{"n":1},"at":"2026-01-01T00:00:00.000Z"}"#)
            #expect(call.status == 2 && call.error.contains("is in the past"))
            #expect(try await sandbox.history("note").isEmpty)
            try await sandbox.stopCleanly(daemon)
        }
    }

    private func configuration(_ sandbox: Sandbox) -> String {
        Self.configuration.replacing("NOTES", with: "\(sandbox.directory)/notes")
    }
}
