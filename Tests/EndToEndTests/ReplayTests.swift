import Glibc
import RxJSON
import TestSupport
import Testing

/// `rxctl replay`: whether a daemon's stored actions lead to the same states under another configuration.
@Suite(.ownThreads(limit: .seconds(120)))
struct ReplayTests {
    private static let light = """
        [action.steps]
        run = ["/bin/sh", "-c", "echo one; echo two"]

        [reactor.mode]
        initial = "day"
        mutate  = [{ mutation = '.action' }]
        reduce  = '.mutation'

        [reactor.light]
        initial = { on = false, switched = 0, steps = [], mode = "" }
        action  = { enum = ["on", "off", "toggle", "run"] }
        mutate  = [
          { when = '.action == "toggle"', mutation = '{on: (.state.on | not)}' },
          { when = '.action == "on" or .action == "off"', mutation = '{on: (.action == "on")}, {count: 1}' },
          { when = '.action == "run"', execute = "steps", element = '{step: .element}' },
        ]
        merge   = [{ reactor = "mode", mutation = '{mode: .other}' }]
        reduce  = '''.mutation as $m | .state
          | if $m | has("on") then .on = $m.on else . end
          | if $m.step then .steps += [$m.step] else . end
          | if $m.mode then .mode = $m.mode else . end
          | .switched += ($m.count // 0)'''
        persist = true
        durability = "sync"

        [reactor.tasks]
        initial = 0
        reduce  = '.state + 1'
        persist = true

        """

    /// Another configuration: each edit is a text and its replacement.
    private func directory(_ sandbox: Sandbox, _ name: String, _ edits: (String, String)...) throws -> String {
        var text = ReplayTests.light
        for (old, new) in edits {
            let range = try #require(text.firstRange(of: old))
            text.replaceSubrange(range, with: new)
        }
        let directory = "\(sandbox.directory)/\(name)"
        mkdir(directory, 0o700)
        Files.write(text, to: directory + "/rxd.toml")
        return directory
    }

    private func replay(
        _ sandbox: Sandbox, _ reactor: String, _ directory: String, _ options: String...
    ) async throws -> (status: Int32, differences: [JSONValue], summary: JSONValue) {
        let words = ["replay", reactor, "--against", directory, "--state", sandbox.state] + options
        let result = try await sandbox.rxctl(words)
        #expect(result.error == "")
        let lines = try result.values()
        return (result.status, Array(lines.dropLast()), lines.last ?? .null)
    }

    private func withHistory(_ body: (Sandbox, Program) async throws -> Void) async throws {
        try await withSandbox { sandbox in
            sandbox.configure(ReplayTests.light)
            let daemon = try await sandbox.startDaemon()
            // The merged state of the other reactor may come before or after; its own revision in any case.
            try await eventually("the mode is merged") {
                try await sandbox.rxctl("state", "light", "--path", "/mode").output == "\"day\"\n"
            }
            for action in ["on", "toggle", "run", "toggle", "off"] {
                #expect(try await sandbox.rxctl("dispatch", "light", action).status == 0)
            }
            try await body(sandbox, daemon)
            try await sandbox.stopCleanly(daemon)
        }
    }

    @Test("the same configuration leads to the same states, while the daemon runs and after it; nothing is executed")
    func same() async throws {
        try await withHistory { sandbox, daemon in
            let executed = try await sandbox.rxctl("history", "steps").values().count
            #expect(executed == 1)
            let (status, differences, summary) = try await replay(sandbox, "light", sandbox.config)
            #expect(status == 0)
            #expect(differences == [])
            #expect(
                summary == [
                    "reactor": "light", "from": 0, "to": 9, "actions": 4, "fromRecord": 3, "same": 7, "different": 0,
                    "otherMutations": 0, "executions": 0, "breaks": 0, "firstDifference": .null,
                ])
            #expect(try await sandbox.rxctl("history", "steps").values().count == executed)
            #expect(try await sandbox.rxctl("dispatch", "light", "toggle").output.contains(#""revision":10"#))
        }
    }

    @Test("another reducer, other rules, and a failing program are reported with their place, and exit 1")
    func different() async throws {
        try await withHistory { sandbox, _ in
            let reducer = try directory(sandbox, "reducer", (".switched += (", ".switched += 2 * ("))
            let told = try await replay(sandbox, "light", reducer)
            #expect(told.status == 1)
            // 1 is the merged mode, 2 and 3 are of the first action.
            #expect(told.summary["firstDifference"] == 3)
            let first = try #require(told.differences.first)
            #expect(first["action"] == "on")
            #expect(first["mutations"]?["now"] == [["on": true], ["count": 1]])
            #expect(first["patch"] == [["op": "replace", "path": "/switched", "value": 2]])
            #expect(told.differences.last?["patch"] == [["op": "replace", "path": "/switched", "value": 4]])

            let rules = try directory(sandbox, "rules", ("(.state.on | not)", "true"))
            let others = try await replay(sandbox, "light", rules)
            #expect(others.status == 1)
            #expect(others.differences.first?["revision"] == 4)
            #expect(others.differences.first?["mutations"] == ["kept": [["on": false]], "now": [["on": true]]])
            #expect(try await replay(sandbox, "light", rules, "--mutations").status == 0)

            let failing = try directory(sandbox, "failing", (".steps += [$m.step]", #"error("no \($m.step)")"#))
            let failed = try await replay(sandbox, "light", failing, "--each")
            #expect(failed.status == 1)
            #expect(failed.differences.map { $0["fromRecord"] } == [true, true])
            let error = try #require(failed.differences.first?["error"])
            #expect(error["stage"] == "reduce" && error["input"] == ["step": "one"])
            let message = try #require(error["message"]?.string)
            #expect(message.wholeMatch(of: /.*\/failing\/rxd.toml:[0-9]+: reduce: no one/) != nil, "\(message)")

            let refusing = try directory(sandbox, "refusing", (#", "toggle", "#, ", "))
            let refused = try await replay(sandbox, "light", refusing, "--from", "3", "--to", "4")
            #expect(refused.status == 1)
            #expect(refused.differences.first?["error"]?["stage"] == "schema")
            #expect(refused.summary["actions"] == 1)
        }
    }

    @Test("a reload is a break in the history, after which the replay continues")
    func reloaded() async throws {
        try await withHistory { sandbox, _ in
            let reducer = try directory(sandbox, "reducer", (".switched += (", ".switched += 2 * ("))
            sandbox.configure(try #require(Files.read(reducer + "/rxd.toml")))
            #expect(try await sandbox.rxctl("reload").status == 0)
            #expect(try await sandbox.rxctl("dispatch", "light", "on").status == 0)
            let old = try await replay(sandbox, "light", sandbox.config, "--all")
            #expect(old.status == 1)
            let place = try #require(old.differences.firstIndex { $0["replaced"] == "definition" })
            let revision = try #require(old.differences[place]["revision"]?.int)
            #expect(old.differences[(place + 1)...] == [])
            #expect(old.summary["breaks"] == 1)
            #expect(try await replay(sandbox, "light", sandbox.config, "--from", "\(revision)").status == 0)
        }
    }

    @Test("mutations that another daemon kept are reduced from the record by jq, after that daemon's end")
    func ofAnotherDaemon() async throws {
        try await withSandbox { sandbox in
            sandbox.configure(ReplayTests.light)
            let daemon = try await sandbox.startTodoDaemon()
            for title in ["tea", "milk", "bread"] {
                #expect(try await sandbox.rxctl("dispatch", "tasks", #"{"create":{"title":"\#(title)"}}"#).status == 0)
            }
            try await sandbox.stopCleanly(daemon)
            let database = Files.read(sandbox.state + "/reactors.db")
            let other = try await replay(sandbox, "tasks", sandbox.config)
            #expect(other.status == 1)
            #expect(other.summary["different"] == 4)
            #expect(other.differences.last?["patch"] == [["op": "replace", "path": "", "value": 3]])
            #expect(Files.read(sandbox.state + "/reactors.db") == database)
        }
    }

    @Test("each kind of failure has its own exit code and sentence")
    func refused() async throws {
        try await withHistory { sandbox, _ in
            func replay(_ reactor: String, _ directory: String, _ options: String...) async throws -> Program.Result {
                try await sandbox.rxctl(["replay", reactor, "--against", directory] + options)
            }
            let state = sandbox.state
            let unknown = try await replay("lihgt", sandbox.config, "--state", state)
            #expect(unknown.status == 5)
            #expect(unknown.error == "rxd: there is no reactor lihgt in \(sandbox.config)\n")
            let unkept = try await replay("mode", sandbox.config, "--state", state)
            #expect(unkept.status == 5)
            #expect(unkept.error == "rxd: nothing is kept of a reactor mode in \(state)/reactors.db\n")
            let elsewhere = try await replay("light", sandbox.config, "--state", sandbox.directory, "--json")
            #expect(elsewhere.status == 5)
            #expect(try RawJSON(validating: elsewhere.error).value()["data"]?["name"] == "notFound")
            let later = try await replay("light", sandbox.config, "--state", state, "--from", "1000")
            #expect(later.status == 5)
            #expect(later.error == "rxd: the history of light has revisions 0 to 9\n")
            let unwritten = try await sandbox.shell(
                "\"$rxctl\" replay light --against '\(sandbox.config)' --state '\(state)' > /dev/full")
            #expect(unwritten.status == 74)
            #expect(unwritten.error == "rxd: standard output: No space left on device (ENOSPC)\n")
            let faulty = try directory(sandbox, "faulty", ("initial = 0", "inital = 0"))
            let refused = try await replay("light", faulty, "--state", state)
            #expect(refused.status == 78)
            #expect(refused.error.contains("\(faulty)/rxd.toml:"))
            Files.write("x", to: sandbox.directory + "/reactors.db")
            #expect(try await replay("light", sandbox.config, "--state", sandbox.directory).status == 74)
            #expect(try await sandbox.start([Programs.rxd, "--from", "3"]).result().status == 64)
        }
    }
}
