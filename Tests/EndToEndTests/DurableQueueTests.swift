import Glibc
import RxJSON
import TestSupport
import Testing

/// A queue of durable inputs, and a daemon that dies.
@Suite(.ownThreads(limit: .seconds(180)))
struct DurableQueueTests {
    private static let waiting = 50

    /// An action with input 0 executing and 1 to 50 waiting; `ids` are their executions in that order.
    private func withFullQueue(
        _ body: (_ sandbox: Sandbox, _ daemon: Program, _ turns: Turns, _ ids: [String]) async throws -> Void
    ) async throws {
        try await withSandbox { sandbox in
            let turns = Turns(sandbox: sandbox)
            turns.configure("turn", "overlap = \"queue\"\ndurable = true")
            let daemon = try await sandbox.startDaemon()
            let accepted = try await sandbox.shell(
                #"seq 0 \#(Self.waiting) | sed 's/.*/{"n":&}/' | "$rxctl" execute turn --each --detach"#)
            #expect(accepted.status == 0, "\(accepted.error)\(daemon.error)")
            #expect(accepted.lines.count == Self.waiting + 1)
            try await turns.untilStarted(0)
            #expect(try await sandbox.describe("turn")["queued"] == JSONValue(Self.waiting))
            try await body(sandbox, daemon, turns, accepted.lines)
        }
    }

    private func kill(_ daemon: Program) async throws {
        daemon.signal(SIGKILL)
        #expect(try await daemon.result().status == 128 + SIGKILL)
    }

    /// The history's ids and states, once the action is idle.
    private func end(_ sandbox: Sandbox, _ turns: Turns) async throws -> (ids: [String], states: [String]) {
        let waited = try await sandbox.rxctl("wait", "turn", "--timeout", "50s")
        #expect(waited.status == 0, "\(waited.error) \(turns.notes)")
        let records = try await sandbox.history("turn")
        return (
            records.compactMap { $0["execution"]?.string }, records.compactMap { $0["state"]?.string }
        )
    }

    @Test("kill -9: the one in flight is interrupted and its process gone, the 50 that waited start once each in order")
    func killed() async throws {
        try await withFullQueue { sandbox, daemon, turns, ids in
            let process = try #require(turns.process(0))
            try await kill(daemon)
            let second = try await sandbox.startDaemon()
            try await eventually("its process is gone") { !Sandbox.isAlive(process) }
            try await turns.untilStarted(1)
            let interrupted = try await sandbox.history("turn", "--state", "interrupted")
            #expect(interrupted.map { $0["execution"]?.string } == [ids[0]])
            #expect(interrupted.first?["error"]?["data"]?["cause"] == "interrupted")
            #expect(try await sandbox.rxctl("wait", ids[0]).status == 1)
            turns.releaseAll()
            let (after, states) = try await end(sandbox, turns)
            #expect(after == ids)
            #expect(states == ["interrupted"] + Array(repeating: "completed", count: Self.waiting))
            #expect(turns.executions == ids)
            // The killed one may have had the time to write its end, independent of its state.
            let expected = ["+0"] + (1...Self.waiting).flatMap { ["+\($0)", "-\($0)"] }
            #expect(turns.notes.filter { $0 != "-0" } == expected)
            try await sandbox.stopCleanly(second)
        }
    }

    @Test(
        "a second kill -9 during the recovery: each input still runs once, in order, with one interrupted per kill"
    )
    func killedTwice() async throws {
        try await withFullQueue { sandbox, daemon, turns, ids in
            try await kill(daemon)
            turns.release(below: 20)
            let second = try await sandbox.startDaemon()
            try await turns.untilStarted(20)
            try await kill(second)
            turns.releaseAll()
            let third = try await sandbox.startDaemon()
            let (after, states) = try await end(sandbox, turns)
            #expect(after == ids)
            #expect(turns.executions == ids)
            let interrupted = zip(0..., states).filter { $0.1 == "interrupted" }.map(\.0)
            #expect(interrupted == [0, 20])
            #expect(states.filter { $0 == "completed" }.count == Self.waiting - 1)
            try await sandbox.stopCleanly(third)
        }
    }

    @Test("kill -9 wherever it strikes: nothing is started twice, nothing is passed over, and order stays")
    func killedAnywhere() async throws {
        try await withFullQueue { sandbox, first, turns, ids in
            turns.releaseAll()
            var daemon = first
            for count in [5, 17, 31] {
                try await eventually("\(count) have started") { turns.executions.count >= count }
                try await kill(daemon)
                daemon = try await sandbox.startDaemon()
            }
            let (after, states) = try await end(sandbox, turns)
            #expect(after == ids)
            let interrupted = zip(ids, states).filter { $0.1 == "interrupted" }.map(\.0)
            #expect(interrupted.count <= 3, "\(states)")
            #expect(Set(states).isSubset(of: ["interrupted", "completed"]))
            // Killed between the note that it starts and its start, one is interrupted without having begun.
            let started = turns.executions
            #expect(started == ids.filter { started.contains($0) })
            #expect(Set(ids).subtracting(started).isSubset(of: interrupted))
            try await sandbox.stopCleanly(daemon)
        }
    }

    @Test("kill -9, 8 at a time: those in flight are interrupted, the others start once each, 8 at a time, in order")
    func killedInParallel() async throws {
        try await withSandbox { sandbox in
            let turns = Turns(sandbox: sandbox)
            turns.configure("turn", "overlap = \"queue\"\nparallel = 8\ndurable = true")
            let daemon = try await sandbox.startDaemon()
            let accepted = try await sandbox.shell(
                #"seq 0 59 | sed 's/.*/{"n":&}/' | "$rxctl" execute turn --each --detach"#)
            #expect(accepted.status == 0, "\(accepted.error)")
            let ids = accepted.lines
            for n in 0..<8 { try await turns.untilStarted(n) }
            turns.release(3)
            try await turns.untilStarted(8)
            try await eventually("its end is known") { try await sandbox.history("turn").count >= 1 }
            try await kill(daemon)
            let second = try await sandbox.startDaemon()
            for n in 9..<17 { try await turns.untilStarted(n) }
            #expect(try await sandbox.describe("turn")["queued"] == 43)
            turns.releaseAll()
            #expect(try await sandbox.rxctl("wait", "turn", "--timeout", "50s").status == 0)
            let records = try await sandbox.history("turn")
            let states = Dictionary(
                records.map { ($0["execution"]?.string ?? "", $0["state"]?.string ?? "") }, uniquingKeysWith: { $1 })
            #expect(states.count == 60)
            for (n, id) in ids.enumerated() {
                let wasInFlight = n <= 8 && n != 3
                #expect(states[id] == (wasInFlight ? "interrupted" : "completed"), "\(n)")
            }
            #expect(turns.executions.count == 60)
            #expect(Set(turns.executions) == Set(ids))
            try await sandbox.stopCleanly(second)
        }
    }

    @Test("SIGTERM: the one in flight is canceled, and those that wait start with the next daemon")
    func stopped() async throws {
        try await withFullQueue { sandbox, daemon, turns, ids in
            try await sandbox.stopCleanly(daemon)
            #expect(turns.notes == ["+0", "-0"])
            // Nobody reads of an end that is none.
            #expect(daemon.error.split(separator: "\n").filter { $0.contains("turn cancelled") }.count == 1)
            let second = try await sandbox.startDaemon()
            try await turns.untilStarted(1)
            try await eventually("the journal has the number of inputs") {
                second.error.contains("resuming \(Self.waiting) waiting inputs")
            }
            turns.releaseAll()
            let (after, states) = try await end(sandbox, turns)
            #expect(after == ids)
            #expect(states == ["cancelled"] + Array(repeating: "completed", count: Self.waiting))
            #expect(turns.executions == ids)
            try await sandbox.stopCleanly(second)
        }
    }

    @Test("queued inputs of a removed action are interrupted, each with a record in the journal")
    func abandoned() async throws {
        try await withSandbox { sandbox in
            let turns = Turns(sandbox: sandbox)
            turns.configure("turn", "overlap = \"queue\"\ndurable = true")
            let first = try await sandbox.startDaemon()
            let accepted = try await sandbox.shell(
                #"seq 0 3 | sed 's/.*/{"n":&}/' | "$rxctl" execute turn --each --detach"#)
            try await turns.untilStarted(0)
            try await kill(first)
            unlink(sandbox.config + "/conf.d/turn.toml")
            let second = try await sandbox.startDaemon()
            for id in accepted.lines {
                try await second.logs(
                    "execution=\(id) origin=\"uid \(getuid())\" peer-uid=\(getuid()) state=interrupted")
                let record = try await sandbox.rxctl("call", "execution.get", "execution=\(id)").values().first
                #expect(record?["state"] == "interrupted")
            }
            #expect(!second.error.contains("resuming"))
            #expect(turns.notes.filter { $0 != "-0" } == ["+0"])
            try await sandbox.stopCleanly(second)
        }
    }
}
