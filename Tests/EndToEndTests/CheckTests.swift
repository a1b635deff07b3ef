import RxJSON
import TestSupport
import Testing

@Suite(.ownThreads(limit: .seconds(120)))
struct CheckTests {
    @Test("check starts no process and leaves no record and no event, whether accepted or refused")
    func noSideEffect() async throws {
        try await withSandbox { sandbox in
            let turns = Turns(sandbox: sandbox)
            turns.configure("turn", "overlap = \"queue\"\nlimit = 1\ninput = { required = [\"n\"] }")
            let daemon = try await sandbox.startDaemon()
            let watcher = try await sandbox.startRxctl(
                "subscribe", "turn", "--snapshot", "--no-reconnect", "--channel",
                "elements,errors,executing,enabled,executions")
            try await eventually("it is subscribed") { !watcher.lines.isEmpty }
            func dispositions(_ input: String) async throws -> JSONValue? {
                try await sandbox.rxctl("check", "turn", input).values().first?["disposition"]
            }
            #expect(try await dispositions(#"{"n":1}"#) == "started")
            let faulty = try await sandbox.rxctl("check", "turn", "{}")
            #expect(faulty.status == 2)
            #expect(try await sandbox.rxctl("check", "turn", "{").status == 2)
            #expect(turns.notes == [])
            #expect(try await sandbox.history("turn") == [])

            let first = try await sandbox.detach("turn", #"{"n":1}"#)["execution"]
            try await turns.untilStarted(1)
            #expect(try await dispositions(#"{"n":2}"#) == "queued")
            let second = try await sandbox.detach("turn", #"{"n":2}"#)["execution"]
            #expect(try await sandbox.rxctl("check", "turn", #"{"n":3}"#).status == 3)
            turns.releaseAll()
            #expect(try await sandbox.rxctl("wait", "turn").status == 0)
            #expect(turns.notes == ["+1", "-1", "+2", "-2"])
            #expect(try await sandbox.history("turn").map { $0["execution"] } == [first, second])
            try await sandbox.stopCleanly(daemon)
            // All events that subscribers received belong to the two executions, from the first event on.
            let events = try await watcher.result().values()
            let executions = Set(events.compactMap { $0["execution"]?.string })
            #expect(executions == Set([first, second].compactMap { $0?.string }))
            #expect(!events.contains { $0["channel"] == "errors" })
        }
    }
}
