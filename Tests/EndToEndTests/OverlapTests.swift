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

    @Test("queue with parallel: 500 detached jobs, 8 at a time and never more, and all of them end in order")
    func parallelQueue() async throws {
        try await withSandbox { sandbox in
            // Each notes how many there are with it. The first ones wait until there are 8.
            sandbox.configure(
                """
                [action.job]
                run = ["/bin/bash", "-c", '''
                mkdir $0/in/$1
                until [ -e $0/full ]; do [ $(ls $0/in | wc -l) -lt 8 ] || touch $0/full; sleep 0.01; done
                ls $0/in | wc -l >> $0/counts; echo $1 >> $0/begun; rmdir $0/in/$1
                ''', "\(sandbox.directory)", { input = "/n" }]
                overlap = "queue"
                parallel = 8
                limit = 500
                durable = true

                """, file: "conf.d/job.toml")
            mkdir(sandbox.directory + "/in", 0o700)
            let daemon = try await sandbox.startDaemon()
            let accepted = try await sandbox.shell(
                #"seq 1 500 | sed 's/.*/{"n":&}/' | "$rxctl" execute job --each --detach"#)
            #expect(accepted.status == 0, "\(accepted.error)")
            #expect(accepted.lines.count == 500)
            #expect(try await sandbox.rxctl("wait", "job", "--timeout", "60s").status == 0)
            let counts = (Files.read(sandbox.directory + "/counts") ?? "").split(separator: "\n").compactMap { Int($0) }
            #expect(counts.count == 500)
            #expect(counts.max() == 8)
            let begun = (Files.read(sandbox.directory + "/begun") ?? "").split(separator: "\n").compactMap { Int($0) }
            #expect(begun.sorted() == Array(1...500))
            let records = try await sandbox.history("job")
            #expect(records.allSatisfy { $0["state"] == "completed" })
            #expect(records.compactMap { $0["execution"]?.string } == accepted.lines)
            let starts = records.compactMap { $0["startedAt"]?.string }
            #expect(starts == starts.sorted())
            try await sandbox.stopCleanly(daemon)
        }
    }

    @Test("queue with parallel: a reload that changes it starts more, or fewer, and loses nothing")
    func parallelReload() async throws {
        try await withTurns("overlap = \"queue\"\nparallel = 2") { sandbox, turns in
            for n in 1...7 { _ = try await sandbox.detach("turn", #"{"n":\#(n)}"#) }
            for n in 1...2 { try await turns.untilStarted(n) }
            #expect(try await sandbox.describe("turn")["queued"] == 5)
            turns.configure("turn", "overlap = \"queue\"\nparallel = 4")
            #expect(try await sandbox.rxctl("reload").status == 0)
            for n in 3...4 { try await turns.untilStarted(n) }
            #expect(try await sandbox.describe("turn")["queued"] == 3)
            #expect(try await sandbox.describe("turn")["parallel"] == 4)
            turns.configure("turn", "overlap = \"queue\"\nparallel = 1")
            #expect(try await sandbox.rxctl("reload").status == 0)
            for n in 1...3 { turns.release(n) }
            try await eventually("three have ended") { turns.notes.count { $0.hasPrefix("-") } == 3 }
            #expect(try await sandbox.describe("turn")["queued"] == 3)
            turns.release(4)
            try await turns.untilStarted(5)
            #expect(try await sandbox.describe("turn")["queued"] == 2)
            turns.releaseAll()
            #expect(try await sandbox.rxctl("wait", "turn").status == 0)
            let begun = turns.notes.filter { $0.hasPrefix("+") }
            // Of processes that start at a time, any may be the first to write.
            #expect(Set(begun.prefix(4)) == ["+1", "+2", "+3", "+4"])
            #expect(begun.dropFirst(4) == ["+5", "+6", "+7"])
        }
    }

    @Test("by: two results have a queue each, side by side; also after kill -9, and a faulty input is refused")
    func groups() async throws {
        try await withSandbox { sandbox in
            let turns = Turns(sandbox: sandbox)
            turns.configure("turn", "overlap = \"queue\"\nlimit = 2\nby = '.env | ascii_downcase'\ndurable = true")
            let daemon = try await sandbox.startDaemon()
            func detach(_ n: Int, _ env: String) async throws -> JSONValue? {
                try await sandbox.detach("turn", #"{"n":\#(n),"env":"\#(env)"}"#)["disposition"]
            }
            // Odd numbers are for one environment, even ones for the other.
            for n in 1...2 { #expect(try await detach(n, n == 1 ? "prod" : "test") == "started") }
            for n in 3...6 { #expect(try await detach(n, n % 2 == 1 ? "PROD" : "test") == "queued") }
            for n in 1...2 { try await turns.untilStarted(n) }
            let full = try await sandbox.rxctl("execute", "turn", #"{"n":7,"env":"prod"}"#, "--json")
            #expect(full.status == 3)
            #expect(try full.refusal()["data"]?["name"] == "queueFull")
            #expect(try await sandbox.rxctl("check", "turn", #"{"n":7,"env":"other"}"#).status == 0)
            let faulty = try await sandbox.rxctl("execute", "turn", #"{"n":8}"#)
            #expect(faulty.status == 2)
            #expect(faulty.error.contains("has no group, because the program `by` of the action failed: "))
            #expect(try await sandbox.describe("turn")["queued"] == 4)
            #expect(try await sandbox.describe("turn")["by"] == ".env | ascii_downcase")
            #expect(try await sandbox.describe("turn")["enabled"] == true)
            turns.release(1)
            try await turns.untilStarted(3)
            #expect(turns.notes == ["+1", "+2", "-1", "+3"] || turns.notes == ["+2", "+1", "-1", "+3"])
            try await eventually("the end is known") { try await sandbox.history("turn").count >= 1 }
            daemon.signal(SIGKILL)
            _ = try await daemon.result()
            // The groups were stored: the program is evaluated once.
            turns.configure("turn", "overlap = \"queue\"\nlimit = 2\nby = '.env | error'\ndurable = true")
            let second = try await sandbox.startDaemon()
            for n in 4...5 { try await turns.untilStarted(n) }
            #expect(try await sandbox.describe("turn")["queued"] == 1)
            turns.releaseAll()
            #expect(try await sandbox.rxctl("wait", "turn").status == 0)
            #expect(Set(turns.notes.filter { $0.hasPrefix("+") }) == Set((1...6).map { "+\($0)" }))
            #expect(turns.executions.count == 6)
            try await sandbox.stopCleanly(second)
        }
    }

    @Test("--each --detach: 200 jobs into a queue of 5, 3 at a time, through kill -9; with a key, each ends once")
    func heldLines() async throws {
        try await withSandbox { sandbox in
            sandbox.configure(
                """
                [action.job]
                run = ["/bin/bash", "-c", '''echo $1 >> $0/begun''', "\(sandbox.directory)", { input = "/n" }]
                overlap = "queue"
                parallel = 3
                limit = 5
                durable = true

                """, file: "conf.d/job.toml")
            var daemon = try await sandbox.startDaemon()
            func begun() -> [Int] {
                (Files.read(sandbox.directory + "/begun") ?? "").split(separator: "\n").compactMap { Int($0) }
            }
            async let accepted = sandbox.shell(
                #"seq 1 200 | sed 's/.*/{"n":&}/' | "$rxctl" execute job --each --detach --key k"#)
            for count in [20, 90] {
                try await eventually("\(count) have begun") { begun().count >= count }
                daemon.signal(SIGKILL)
                _ = try await daemon.result()
                daemon = try await sandbox.startDaemon()
            }
            let result = try await accepted
            #expect(result.status == 0, "\(result.error)")
            #expect(Set(result.lines).count == 200)
            #expect(try await sandbox.rxctl("wait", "job", "--timeout", "50s").status == 0)
            let states = try await sandbox.history("job", "--limit", "1000").map { $0["state"]?.string ?? "" }
            #expect(states.count == 200)
            let interrupted = states.count { $0 == "interrupted" }
            #expect(interrupted <= 6 && states.count { $0 == "completed" } == 200 - interrupted)
            #expect(Set(begun()).count == begun().count)
            #expect(begun().count >= 200 - interrupted)
            try await sandbox.stopCleanly(daemon)
        }
    }

    @Test("concurrent: a full one is refused with how many are in flight, and how many may be")
    func concurrentFull() async throws {
        try await withTurns("overlap = \"concurrent\"\nlimit = 2") { sandbox, turns in
            var ids: [JSONValue?] = []
            for n in 1...2 { ids.append(try await sandbox.detach("turn", #"{"n":\#(n)}"#)["execution"]) }
            let refused = try await sandbox.rxctl("execute", "turn", #"{"n":3}"#, "--json")
            #expect(refused.status == 3)
            let reason = try refused.refusal()["data"]?["reason"]
            #expect(reason?["cause"] == "executing")
            #expect(reason?["inFlight"] == 2)
            #expect(reason?["limit"] == 2)
            #expect(reason?["execution"] == ids[0])
            #expect(try await sandbox.describe("turn")["reason"]?["inFlight"] == 2)
            #expect(try await sandbox.rxctl("execute", "turn", #"{"n":3}"#).error.contains("2 of 2 in flight"))
            turns.releaseAll()
            #expect(try await sandbox.rxctl("wait", "turn").status == 0)
        }
    }

    @Test("queue: one that waits can be canceled, and never starts")
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

    @Test("join: one process for all, and only when the last of them has withdrawn is it canceled")
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
