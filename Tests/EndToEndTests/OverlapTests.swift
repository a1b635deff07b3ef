import Glibc
import RxJSON
import TestSupport
import Testing

/// What an input does that comes while work is in flight, policy by policy, with work as slow as the test wants it.
@Suite(.ownThreads(limit: .seconds(120)))
struct OverlapTests {
    private func withTurns(_ policy: String, _ body: (Sandbox, Turns) async throws -> Void) async throws {
        try await withSandbox { sandbox in
            let turns = Turns(sandbox: sandbox)
            turns.configure("turn", policy)
            let daemon = try await sandbox.startDaemon()
            try await body(sandbox, turns)
            try await sandbox.stopCleanly(daemon)
        }
    }

    @Test("reject: a second input starts nothing, and the next one after the end is taken")
    func reject() async throws {
        try await withTurns("") { sandbox, turns in
            let first = try await sandbox.detach("turn", #"{"n":1}"#)
            #expect(first["disposition"] == "started")
            try await turns.untilStarted(1)
            let refused = try await sandbox.rxctl("execute", "turn", #"{"n":2}"#, "--json")
            #expect(refused.status == 3)
            let data = try refused.refusal()["data"]
            #expect(data?["name"] == "notEnabled")
            #expect(data?["reason"]?["cause"] == "executing")
            #expect(data?["reason"]?["execution"] == first["execution"])
            turns.releaseAll()
            #expect(try await sandbox.rxctl("wait", "turn").status == 0)
            #expect(try await sandbox.rxctl("execute", "turn", #"{"n":3}"#).status == 0)
            #expect(turns.notes == ["+1", "-1", "+3", "-3"])
        }
    }

    @Test("queue: inputs wait in order, and an input beyond the limit is refused with that limit")
    func queue() async throws {
        try await withTurns("overlap = \"queue\"\nlimit = 2") { sandbox, turns in
            var dispositions: [JSONValue?] = []
            for n in 1...3 {
                dispositions.append(try await sandbox.detach("turn", #"{"n":\#(n)}"#)["disposition"])
            }
            #expect(dispositions == ["started", "queued", "queued"])
            #expect(try await sandbox.describe("turn")["queued"] == 2)
            for command in ["execute", "check"] {
                let full = try await sandbox.rxctl(command, "turn", #"{"n":4}"#, "--json")
                #expect(full.status == 3)
                #expect(try full.refusal()["data"] == ["name": "queueFull", "action": "turn", "limit": 2])
            }
            try await turns.untilStarted(1)
            #expect(turns.notes == ["+1"])
            turns.release(1)
            try await turns.untilStarted(2)
            // One has left the line.
            #expect(try await sandbox.detach("turn", #"{"n":5}"#)["disposition"] == "queued")
            turns.releaseAll()
            #expect(try await sandbox.rxctl("wait", "turn").status == 0)
            #expect(turns.notes == ["+1", "-1", "+2", "-2", "+3", "-3", "+5", "-5"])
        }
    }

    @Test("queue: one that waits can be cancelled, and never starts")
    func queuedCancelled() async throws {
        try await withTurns("overlap = \"queue\"") { sandbox, turns in
            _ = try await sandbox.detach("turn", #"{"n":1}"#)
            let waiting = try await sandbox.startRxctl("execute", "turn", #"{"n":2}"#)
            try await eventually("it waits") { try await sandbox.describe("turn")["queued"] == 1 }
            let third = try #require(try await sandbox.detach("turn", #"{"n":3}"#)["execution"]?.string)
            waiting.signal(SIGINT)
            #expect(try await waiting.result().status == 130)
            #expect(try await sandbox.rxctl("cancel", third).status == 0)
            #expect(try await sandbox.describe("turn")["queued"] == 0)
            turns.releaseAll()
            #expect(try await sandbox.rxctl("wait", "turn").status == 0)
            #expect(try await sandbox.history("turn").map { $0["state"] } == ["completed", "cancelled", "cancelled"])
            #expect(turns.notes == ["+1", "-1"])
        }
    }

    @Test(
        "concurrent: as many as the limit at once, one more is refused, and executing turns false when all have ended")
    func concurrent() async throws {
        try await withTurns("overlap = \"concurrent\"\nlimit = 3") { sandbox, turns in
            let watcher = try await sandbox.startRxctl(
                "subscribe", "turn", "--snapshot", "--channel", "executing", "--count", "2")
            try await eventually("it is subscribed") { !watcher.lines.isEmpty }
            for n in 1...3 {
                #expect(try await sandbox.detach("turn", #"{"n":\#(n)}"#)["disposition"] == "started")
            }
            for n in 1...3 { try await turns.untilStarted(n) }
            let refused = try await sandbox.rxctl("execute", "turn", #"{"n":4}"#, "--json")
            #expect(refused.status == 3)
            #expect(try refused.refusal()["data"]?["name"] == "notEnabled")
            turns.release(2)
            turns.release(1)
            try await eventually("two have ended") {
                try await sandbox.history("turn", "--state", "completed").count == 2
            }
            #expect(try await sandbox.describe("turn")["executing"] == true)
            #expect(try await sandbox.detach("turn", #"{"n":5}"#)["disposition"] == "started")
            turns.releaseAll()
            #expect(try await sandbox.rxctl("wait", "turn").status == 0)
            let changes = try await watcher.result().values().dropFirst().map { $0["value"] }
            #expect(changes == [true, false])
            #expect(Set(turns.notes) == ["+1", "-1", "+2", "-2", "+3", "-3", "+5", "-5"])
            #expect(turns.notes.count == 8)
        }
    }

    @Test(
        "latest: the execution in flight ends before the next starts, and names the one that superseded it")
    func latest() async throws {
        try await withTurns("overlap = \"latest\"") { sandbox, turns in
            let first = try await sandbox.startRxctl("execute", "turn", #"{"n":1}"#, "--json")
            try await turns.untilStarted(1)
            let process = try #require(turns.process(1))
            let second = try await sandbox.detach("turn", #"{"n":2}"#)
            let result = try await first.result()
            #expect(result.status == 1)
            let data = try result.refusal()["data"]
            #expect(data?["name"] == "cancelled")
            #expect(data?["supersededBy"] == second["execution"])
            #expect(data?["cause"] == "superseded")
            try await turns.untilStarted(2)
            #expect(!Sandbox.isAlive(process))
            #expect(turns.notes == ["+1", "-1", "+2"])
            turns.releaseAll()
            #expect(try await sandbox.rxctl("wait", "turn").status == 0)
            let history = try await sandbox.history("turn")
            #expect(history.map { $0["state"] } == ["cancelled", "completed"])
            #expect(history.first?["error"]?["data"]?["supersededBy"] == second["execution"])
        }
    }

    @Test("latest: of those that come while the one in flight takes its time to stop, only the last one starts")
    func latestOfMany() async throws {
        try await withSandbox { sandbox in
            sandbox.configure(
                """
                [action.slow]
                run = ["/bin/sh", "-c", '''
                trap 'until [ -e $0/let ]; do sleep 0.01; done; echo "-$1" >> $0/turns; exit' TERM
                echo "+$1" >> $0/turns
                until [ -e $0/all ]; do sleep 0.01; done
                ''', "\(sandbox.directory)", { input = "/n" }]
                overlap = "latest"
                grace = "1m"
                """, file: "conf.d/slow.toml")
            let turns = Turns(sandbox: sandbox)
            let daemon = try await sandbox.startDaemon()
            _ = try await sandbox.detach("slow", #"{"n":1}"#)
            try await turns.untilStarted(1)
            for n in 2...4 { _ = try await sandbox.detach("slow", #"{"n":\#(n)}"#) }
            #expect(turns.notes == ["+1"])
            Files.write("", to: sandbox.directory + "/let")
            try await turns.untilStarted(4)
            #expect(turns.notes == ["+1", "-1", "+4"])
            Files.write("", to: sandbox.directory + "/all")
            #expect(try await sandbox.rxctl("wait", "slow").status == 0)
            let states = try await sandbox.history("slow").map { $0["state"] }
            #expect(states == ["cancelled", "cancelled", "cancelled", "completed"])
            try await sandbox.stopCleanly(daemon)
        }
    }

    @Test("join: one process for all, and only when the last of them has withdrawn is it cancelled")
    func join() async throws {
        try await withTurns("overlap = \"join\"") { sandbox, turns in
            let first = try await sandbox.startRxctl("execute", "turn", #"{"n":1}"#)
            try await turns.untilStarted(1)
            let second = try await sandbox.startRxctl("execute", "turn", #"{"n":2}"#)
            try await eventually("it prints what the first one did") { second.lines == [#""1""#] }
            #expect(first.lines == second.lines)
            let process = try #require(turns.process(1))
            first.signal(SIGINT)
            #expect(try await first.result().status == 130)
            #expect(Sandbox.isAlive(process))
            #expect(try await sandbox.describe("turn")["executing"] == true)
            second.signal(SIGINT)
            #expect(try await second.result().status == 130)
            #expect(!Sandbox.isAlive(process))
            #expect(turns.notes == ["+1", "-1"])
            #expect(try await sandbox.history("turn").map { $0["state"] } == ["cancelled"])
        }
    }
}
