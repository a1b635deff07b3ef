import Glibc
import RxJSON
import TestSupport
import Testing

/// A key makes a repetition harmless: while it executes, when it has ended, and when the daemon is another one.
@Suite(.ownThreads(limit: .seconds(120)))
struct KeyTests {
    private func withTurns(_ policy: String = "", _ body: (Sandbox, Turns) async throws -> Void) async throws {
        try await withSandbox { sandbox in
            let turns = Turns(sandbox: sandbox)
            turns.configure("turn", policy)
            let daemon = try await sandbox.startDaemon()
            try await body(sandbox, turns)
            try await sandbox.stopCleanly(daemon)
        }
    }

    @Test("in flight it joins, after the end it returns the same result, and another input is refused")
    func joins() async throws {
        try await withTurns { sandbox, turns in
            let first = try await sandbox.startRxctl("execute", "turn", #"{"n":1}"#, "--key", "k")
            try await turns.untilStarted(1)
            let second = try await sandbox.startRxctl("execute", "turn", #"{ "n" : 1 }"#, "--key", "k")
            try await eventually("it has the element of the first") { second.lines == [#""1""#] }
            let detached = try await sandbox.rxctl("execute", "turn", #"{"n":1}"#, "--key", "k", "--detach", "--json")
            #expect(try detached.values().first?["disposition"] == "joined")
            let other = try await sandbox.rxctl("execute", "turn", #"{"n":2}"#, "--key", "k", "--json")
            #expect(other.status == 2)
            #expect(try other.refusal()["data"]?["errors"]?.array?.first?["path"] == "/key")
            // The action is busy for everyone else.
            #expect(try await sandbox.rxctl("execute", "turn", #"{"n":1}"#, "--key", "l").status == 3)
            turns.releaseAll()
            #expect(try await first.result().status == 0)
            #expect(try await second.result().status == 0)
            let again = try await sandbox.rxctl("execute", "turn", #"{"n":1}"#, "--key", "k")
            #expect(again.status == 0)
            #expect(again.lines == [#""1""#])
            #expect(turns.notes == ["+1", "-1"])
            // A key that was refused is free.
            #expect(try await sandbox.rxctl("execute", "turn", #"{"n":3}"#, "--key", "l").status == 0)
        }
    }

    @Test("a key that joined an execution without one keeps its promise after the end")
    func joinedAnother() async throws {
        try await withTurns("overlap = \"join\"") { sandbox, turns in
            let first = try await sandbox.detach("turn", #"{"n":1}"#)["execution"]
            try await turns.untilStarted(1)
            let keyed = try await sandbox.startRxctl("execute", "turn", #"{"n":1}"#, "--key", "k")
            try await eventually("it has joined") { !keyed.lines.isEmpty }
            turns.releaseAll()
            #expect(try await keyed.result().status == 0)
            let again = try await sandbox.rxctl("execute", "turn", #"{"n":1}"#, "--key", "k", "--detach", "--json")
            #expect(try again.values().first?["execution"] == first)
            #expect(turns.notes == ["+1", "-1"])
        }
    }

    @Test("after a restart it is still the same execution, with its end and without its elements")
    func restarted() async throws {
        try await withSandbox { sandbox in
            sandbox.configure("[action.good]\nrun = [\"/bin/echo\", \"yes\"]\n", file: "conf.d/good.toml")
            var daemon = try await sandbox.startDaemon()
            let good = #"{"action":"good","key":"k"}"#
            let first = try #require(
                try await sandbox.rxctl("call", "action.execute", good).values().first?["execution"])
            let id = try await sandbox.rxctl("execute", "exit3", "--key", "k", "--detach").output
            #expect(try await sandbox.rxctl("wait", id.filter { $0 != "\n" }).status == 1)
            try await sandbox.stopCleanly(daemon)
            daemon = try await sandbox.startDaemon()
            #expect(try await sandbox.rxctl("execute", "exit3", "--key", "k", "--detach").output == id)
            let again = try await sandbox.rxctl("execute", "exit3", "--key", "k")
            #expect(again.status == 1)
            #expect(again.output == "")
            let missing = "rxctl: 1 element is missing here; `rxctl output \(id.dropLast())` prints what is kept\n"
            #expect(again.error.contains(missing), "\(again.error)")
            #expect(again.error.contains("exited with 3"))
            #expect(try await sandbox.rxctl("execute", "exit3", "{}", "--key", "k").status == 2)
            let call = try await sandbox.rxctl(
                "call", "action.execute", #"{"action":"exit3","key":"k"}"#, "--json")
            #expect(try call.refusal()["data"]?["exit"] == 3)
            #expect(try await sandbox.history("exit3").count == 1)
            // A caller that collects elements learns that there were some.
            #expect(
                try await sandbox.rxctl("call", "action.execute", good).values() == [
                    ["execution": first, "elements": [], "truncated": true]
                ])
            try await sandbox.stopCleanly(daemon)
        }
    }

    @Test("it lives as long as promised, however few records the history keeps", arguments: ["", "history = false"])
    func outlivesRecord(_ policy: String) async throws {
        try await withSandbox { sandbox in
            sandbox.configure("[history]\ncount = 3\n")
            sandbox.configure(
                """
                [action.note]
                run = ["/bin/sh", "-c", "echo ran >> $0/ran; exit 3", "\(sandbox.directory)"]
                \(policy)
                """, file: "conf.d/note.toml")
            var daemon = try await sandbox.startDaemon()
            func execute(_ key: String) async throws -> JSONValue? {
                let call = try await sandbox.rxctl(
                    "call", "action.execute", #"{"action":"note","key":"\#(key)"}"#, "--json")
                #expect(try call.refusal()["data"]?["exit"] == 3)
                return try call.refusal()["data"]?["execution"]
            }
            let keys = ["k", "a", "b", "c", "d"]
            var ids: [JSONValue?] = []
            for key in keys { ids.append(try await execute(key)) }
            try await sandbox.stopCleanly(daemon)
            daemon = try await sandbox.startDaemon()
            for (key, id) in zip(keys, ids) { #expect(try await execute(key) == id) }
            #expect(Files.read(sandbox.directory + "/ran") == String(repeating: "ran\n", count: keys.count))
            try await sandbox.stopCleanly(daemon)
        }
    }

    @Test("one user cannot take all keys, and learns which limit refuses more")
    func share() async throws {
        try await withSandbox { sandbox in
            sandbox.configure("[limits]\nkeysPerUid = 2\n\n[action.ok]\nrun = [\"/bin/true\"]\n")
            let daemon = try await sandbox.startDaemon()
            for key in ["a", "b", "a"] {
                #expect(try await sandbox.rxctl("execute", "ok", "--key", key).status == 0)
            }
            let refused = try await sandbox.rxctl("execute", "ok", "--key", "c", "--json").refusal()
            #expect(refused["data"]?["name"] == "limitReached" && refused["data"]?["limit"] == "keysPerUid")
            #expect(refused["data"]?["value"] == 2)
            #expect(try await sandbox.rxctl("execute", "ok").status == 0)
            try await sandbox.stopCleanly(daemon)
        }
    }

    @Test("after its lifetime a key means a new execution")
    func expires() async throws {
        try await withSandbox { sandbox in
            sandbox.configure("[rxd]\nkey-lifetime = \"300ms\"\n\n[action.ok]\nrun = [\"/bin/true\"]\n")
            let daemon = try await sandbox.startDaemon()
            func execution() async throws -> JSONValue? {
                let answer = try await sandbox.rxctl("execute", "ok", "--key", "k", "--detach", "--json")
                return try answer.values().first?["execution"]
            }
            let first = try await execution()
            try await eventually("the key is forgotten") { try await execution() != first }
            try await sandbox.stopCleanly(daemon)
        }
    }
}
