import Glibc
import RxJSON
import TestSupport
import Testing

/// Reactors as users meet them: the ones of the demo, and some that are made to fail.
@Suite(.ownThreads(limit: .seconds(120)))
struct ReactorTests {
    private static let repository = #filePath.split(separator: "/").dropLast(3).map { "/" + $0 }.joined()

    /// Gives `body` a daemon with the configuration of the demo, which then has to stop cleanly.
    private func withDemoDaemon(_ body: (Sandbox, Program) async throws -> Void) async throws {
        try await withSandbox { sandbox in
            let daemon = try await startDemo(sandbox)
            try await body(sandbox, daemon)
            try await sandbox.stopCleanly(daemon)
        }
    }

    private func startDemo(_ sandbox: Sandbox) async throws -> Program {
        try await sandbox.startDaemon(["--config", ReactorTests.repository + "/examples/demo"])
    }

    private func state(_ sandbox: Sandbox, _ reactor: String) async throws -> JSONValue {
        let result = try await sandbox.rxctl("state", reactor)
        #expect(result.status == 0, "\(result.error)")
        return try result.values().first ?? .null
    }

    // MARK: The commands

    @Test("dispatch takes a word, JSON, and pairs, and prints the revision; state prints the result")
    func dispatch() async throws {
        try await withDemoDaemon { sandbox, _ in
            let word = try await sandbox.rxctl("dispatch", "light", "toggle")
            #expect(word.status == 0)
            #expect(word.output == #"{"reactor":"light","revision":1}"# + "\n")
            #expect(word.error == "")
            let quoted = try await sandbox.rxctl("dispatch", "light", #""off""#)
            #expect(quoted.output == #"{"reactor":"light","revision":2}"# + "\n")
            #expect(try await state(sandbox, "light") == ["on": false, "switched": 2])

            #expect(try await sandbox.rxctl("dispatch", "todo", "add=tea").status == 0)
            #expect(try await sandbox.rxctl("dispatch", "todo", #"{"add":"milk"}"#).status == 0)
            #expect(try await sandbox.rxctl("dispatch", "todo", "done:=1").status == 0)
            #expect(try await sandbox.shell(#"echo '{"move":2,"to":0}' | "$rxctl" dispatch todo -"#).status == 0)
            let tasks: JSONValue = [
                ["id": 2, "title": "milk", "done": false], ["id": 1, "title": "tea", "done": true],
            ]
            #expect(try await state(sandbox, "todo") == ["next": 3, "tasks": tasks])
            let part = try await sandbox.rxctl("state", "todo", "--path", "/tasks/1/title")
            #expect(part.output == #""tea""# + "\n")
            #expect(try await sandbox.rxctl("state", "todo", "--path", "/tasks/7").status == 5)
        }
    }

    @Test("an action that the schema refuses is exit code 2, one for no reactor 5; both change nothing")
    func refused() async throws {
        try await withDemoDaemon { sandbox, _ in
            let wrong = try await sandbox.rxctl("dispatch", "light", "purple")
            #expect(wrong.status == 2)
            #expect(wrong.output == "")
            #expect(wrong.error.contains("/action"))
            let json = try await sandbox.rxctl("dispatch", "light", "purple", "--json")
            #expect(json.status == 2)
            #expect(try json.refusal()["code"] == -32602)
            let nested = try await sandbox.rxctl("dispatch", "todo", #"{"move":2,"to":-1}"#, "--json")
            #expect(nested.status == 2)
            #expect(try nested.refusal()["data"]?["errors"]?[0]?["path"] == "/action/to", "\(nested.error)")
            #expect(try await sandbox.rxctl("dispatch", "lihgt", "toggle").status == 5)
            #expect(try await sandbox.rxctl("state", "lihgt").status == 5)
            #expect(try await sandbox.rxctl("dispatch", "light").status == 64)
            #expect(try await state(sandbox, "light") == ["on": false, "switched": 0])
        }
    }

    @Test("list --reactors and describe print reactors; list prints actions")
    func told() async throws {
        try await withDemoDaemon { sandbox, _ in
            let actions = try await sandbox.rxctl("list").values()
            #expect(actions.contains { $0["action"] == "echo" })
            #expect(!actions.contains { $0["reactor"] != nil })
            let list = try await sandbox.rxctl("list", "--reactors").values()
            #expect(list.compactMap { $0["reactor"]?.string } == ["light", "order", "todo"])
            let light = try #require(list.first { $0["reactor"] == "light" })
            #expect(light["kind"] == "jq")
            #expect(light["persist"] == true)
            #expect(light["durability"] == "normal")
            #expect(light["revision"] == 0)
            let described = try await sandbox.rxctl("describe", "light", "--json").values().first
            #expect(described?["schema"] == ["enum": ["on", "off", "toggle"]])
            #expect(try await sandbox.rxctl("describe", "nosuch").status == 5)
        }
    }

    @Test("subscribe takes a reactor by its name alone, and prints its states")
    func subscribe() async throws {
        try await withDemoDaemon { sandbox, _ in
            let subscription = try await sandbox.startRxctl("subscribe", "todo", "--snapshot", "--count", "2")
            try await eventually("it is subscribed") { !subscription.lines.isEmpty }
            for title in ["tea", "milk"] { _ = try await sandbox.rxctl("dispatch", "todo", "add=\(title)") }
            let result = try await subscription.result()
            #expect(result.status == 0, "\(result.error)")
            #expect(result.error == "")
            let records = try result.values()
            #expect(records.count == 3)
            #expect(records.first?["snapshot"]?["reactors"]?["todo"]?["revision"] == 0)
            let events = records.dropFirst()
            #expect(events.map { $0["channel"] } == ["state", "state"])
            #expect(events.map { $0["reactor"] } == ["todo", "todo"])
            #expect(events.map { $0["value"]?["revision"] } == [1, 2])
            #expect(events.map { $0["value"]?["state"]?["tasks"]?.array?.count } == [1, 2])
        }
    }

    @Test("subscribe --patch --values prints patches with their revisions, and counts them")
    func patches() async throws {
        try await withDemoDaemon { sandbox, _ in
            for title in ["tea", "milk", "bread"] {
                #expect(try await sandbox.rxctl("dispatch", "todo", "add=\(title)").status == 0)
            }
            let subscription = try await sandbox.startRxctl("subscribe", "todo", "--patch", "--values", "--count", "2")
            try await eventually("it is subscribed") {
                try await sandbox.rxctl("status").output.contains(#""subscriptions":1"#)
            }
            for action in ["remove:=1", "done:=3"] {
                #expect(try await sandbox.rxctl("dispatch", "todo", action).status == 0)
            }
            let result = try await subscription.result()
            #expect(result.status == 0)
            #expect(result.error == "")
            let expected: [JSONValue] = [
                ["patch": [["op": "remove", "path": "/tasks/0"]], "revision": 4],
                ["patch": [["op": "replace", "path": "/tasks/1/done", "value": true]], "revision": 5],
            ]
            #expect(try result.values() == expected)
        }
    }

    @Test("rules refuse an action with a reason, and nothing changes; otherwise = ignore accepts it")
    func refuses() async throws {
        try await withSandbox { sandbox in
            sandbox.configure(
                """
                [reactor.order]
                initial = "new"
                mutate  = [
                  { when = '.action == "ship" and .state != "paid"', refuse = '"cannot ship: \\(.state)"' },
                  { when = '.action == "pay"', mutation = '"paid"' },
                  { when = '.action == "ship"', mutation = '"shipped"' },
                ]
                reduce  = '.mutation'

                [reactor.log]
                initial   = []
                mutate    = [{ when = '.action > 1', mutation = '.action' }]
                otherwise = "ignore"
                reduce    = '.state + [.mutation]'

                [reactor.last]
                initial = 0
                reduce  = '.mutation'

                """)
            let daemon = try await sandbox.startDaemon()
            let errors = try await sandbox.startRxctl("subscribe", "order", "--channel", "errors", "--snapshot")
            try await eventually("it subscribes") { errors.output.contains("snapshot") }

            let refused = try await sandbox.rxctl("dispatch", "order", "ship")
            #expect(refused.status == 3)
            #expect(refused.error == "rxctl: order refuses the action: cannot ship: new (notEnabled)\n")
            let json = try await sandbox.rxctl("dispatch", "order", "ship", "--json")
            let facts = try json.refusal()["data"]
            #expect(facts?["reactor"] == "order" && facts?["cause"] == "rule" && facts?["rule"] == 0)
            #expect(facts?["line"] == 4 && facts?["program"] == "refuse")
            let unknown = try await sandbox.rxctl("dispatch", "order", "return")
            #expect(unknown.status == 3)
            let none = "rxctl: order refuses the action: no rule takes it (notEnabled)\n"
            #expect(unknown.error == none)
            #expect(try await sandbox.rxctl("state", "order").output == "\"new\"\n")
            #expect(try await sandbox.rxctl("dispatch", "order", "pay").status == 0)
            let shipped = try await sandbox.rxctl("dispatch", "order", "ship")
            #expect(shipped.output == "{\"reactor\":\"order\",\"revision\":2}\n")

            let ignored = try await sandbox.rxctl("dispatch", "log", "1")
            #expect(ignored.output == "{\"reactor\":\"log\",\"revision\":0}\n")
            #expect(try await sandbox.rxctl("dispatch", "last", "7").status == 0)
            #expect(try await sandbox.rxctl("state", "last").output == "7\n")
            errors.signal(SIGTERM)
            let output = try await errors.result().output
            #expect(!output.contains("cannot ship"), "a refusal is no failure of the reactor")
            try await sandbox.stopCleanly(daemon)
        }
    }

    @Test("a program that fails fails its dispatch, is on the channel of errors with the action, and changes nothing")
    func failingProgram() async throws {
        try await withSandbox { sandbox in
            sandbox.configure(
                """
                [reactor.picky]
                initial = { sum = 0 }
                mutate = [{ mutation = '{add: .action.n}' }]
                reduce = 'if .mutation.add > 9 then error("too much") else .state.sum += .mutation.add | .state end'
                """)
            let daemon = try await sandbox.startDaemon()
            let errors = try await sandbox.startRxctl(
                "subscribe", "picky", "--channel", "errors", "--snapshot", "--count", "1")
            try await eventually("it is subscribed") { !errors.lines.isEmpty }
            #expect(try await sandbox.rxctl("dispatch", "picky", "n:=4").status == 0)
            let failed = try await sandbox.rxctl("dispatch", "picky", "n:=10", "--json")
            #expect(failed.status == 1)
            #expect(failed.output == "")
            let refusal = try failed.refusal()
            #expect(refusal["code"] == -32001)
            #expect(refusal["data"]?["stage"] == "reduce")
            #expect(refusal["data"]?["reactor"] == "picky")
            let result = try await errors.result()
            #expect(result.status == 0, "\(result.error)")
            let record = try result.values().last
            #expect(record?["channel"] == "errors")
            #expect(record?["reactor"] == "picky")
            #expect(record?["error"]?["data"]?["stage"] == "reduce")
            #expect(record?["error"]?["message"]?.string?.contains("too much") == true, "\(result.output)")
            #expect(record?["error"]?["data"]?["input"] == ["add": 10], "\(result.output)")
            #expect(try await state(sandbox, "picky") == ["sum": 4])
            #expect(try await sandbox.rxctl("dispatch", "picky", "n:=5").status == 0)
            #expect(try await state(sandbox, "picky") == ["sum": 9])
            try await sandbox.stopCleanly(daemon)
        }
    }

    @Test("state --follow --patch | head -3 is one state and two patches, and then all of it is gone")
    func headOfPatches() async throws {
        try await withSandbox { sandbox in
            let daemon = try await sandbox.startTodoDaemon()
            for number in 1...20 {
                let action = #"{"create":{"title":"before \#(number)"}}"#
                #expect(try await sandbox.rxctl("dispatch", "tasks", action).status == 0)
            }
            let head = try await sandbox.start(
                [
                    "/bin/bash", "-c",
                    #""$rxctl" state tasks --follow --patch | head -3; echo "${PIPESTATUS[*]}""#,
                ], environment: ["rxctl": Programs.rxctl])
            try await eventually("it follows") {
                try await sandbox.rxctl("status").output.contains(#""subscriptions":1"#)
            }
            for number in 1...3 {
                if number == 3 {
                    try await eventually("head has its lines") {
                        !sandbox.processes().contains { Files.read("/proc/\($0)/comm") == "head\n" }
                    }
                }
                let action = #"{"create":{"title":"after \#(number)"}}"#
                #expect(try await sandbox.rxctl("dispatch", "tasks", action).status == 0)
            }
            // Whoever writes into a pipe learns at its next line, if not before, that nobody reads.
            let result = try await head.result()
            #expect(result.error == "")
            let lines = result.lines
            try #require(lines.count == 4, "\(result.output)")
            #expect(lines[3] == "141 0")
            let told = try lines.prefix(3).map { try RawJSON(validating: $0).value() }
            #expect(told[0]["state"]?["tasks"]?.array?.count == 20)
            #expect(told.map { $0["revision"] } == [20, 21, 22])
            for (number, record) in zip(1..., told.dropFirst()) {
                let patch = try #require(record["patch"]?.array)
                #expect(patch.count == 1)
                #expect(patch.first?["op"] == "add")
                #expect(patch.first?["path"] == "/tasks/0")
                #expect(patch.first?["value"]?["title"] == .string("after \(number)"))
            }
            try await eventually("the daemon has forgotten it") {
                try await sandbox.rxctl("status").output.contains(#""subscriptions":0"#)
            }
            try await sandbox.stopCleanly(daemon)
        }
    }

    // MARK: Persistence

    @Test("a restart keeps the light as it was, and counts on")
    func restart() async throws {
        try await withSandbox { sandbox in
            let first = try await startDemo(sandbox)
            for _ in 1...3 { #expect(try await sandbox.rxctl("dispatch", "light", "toggle").status == 0) }
            try await sandbox.stopCleanly(first)
            let second = try await startDemo(sandbox)
            #expect(try await state(sandbox, "light") == ["on": true, "switched": 3])
            let next = try await sandbox.rxctl("dispatch", "light", "off")
            #expect(next.output == #"{"reactor":"light","revision":4}"# + "\n")
            #expect(try await state(sandbox, "light") == ["on": false, "switched": 4])
            try await sandbox.stopCleanly(second)
        }
    }

    @Test("history prints the step to each revision, and state prints its state, before and after a restart")
    func history() async throws {
        try await withSandbox { sandbox in
            let first = try await startDemo(sandbox)
            for action in ["toggle", "on", "off"] {
                #expect(try await sandbox.rxctl("dispatch", "light", action).status == 0)
            }
            try await sandbox.stopCleanly(first)
            let second = try await startDemo(sandbox)
            #expect(try await sandbox.rxctl("dispatch", "light", "toggle").status == 0)
            let steps = try await sandbox.history("light")
            #expect(steps.map { $0["revision"] } == [1, 2, 3, 4])
            #expect(steps.map { $0["action"] } == ["toggle", "on", "off", "toggle"])
            #expect(steps.map { $0["mutation"] } == [["on": true], ["on": true], ["on": false], ["on": true]])
            #expect(steps.allSatisfy { $0["by"]?["uid"] == JSONValue(Int(getuid())) })
            let page = try await sandbox.history("light", "--limit", "2", "--before", "4")
            #expect(page.map { $0["revision"] } == [2, 3])
            for (revision, isOn) in [false, true, true, false, true].enumerated() {
                let state = try await sandbox.rxctl("state", "light", "--at", "\(revision)")
                #expect(try state.values() == [["on": .bool(isOn), "switched": JSONValue(revision)]], "\(state.error)")
            }
            #expect(try await sandbox.rxctl("state", "light", "--at", "5").status == 5)
            let difference = try await sandbox.rxctl("state", "light", "--diff", "1", "2")
            let patch: JSONValue = [["op": "replace", "path": "/switched", "value": 2]]
            #expect(try difference.values() == [patch], "\(difference.error)")
            let inOrder = try await sandbox.rxctl("state", "--diff", "1", "2", "light")
            #expect(try inOrder.values() == [patch], "\(inOrder.error)")
            try await sandbox.stopCleanly(second)
        }
    }

    @Test("a reload with another reducer keeps the state and continues with the new program")
    func reload() async throws {
        try await withSandbox { sandbox in
            func configure(_ step: Int) {
                sandbox.configure(
                    """
                    [reactor.count]
                    initial = { n = 0 }
                    mutate = [{ mutation = '.action' }]
                    reduce = '.state.n += \(step) | .state'
                    persist = true
                    """)
            }
            configure(1)
            let daemon = try await sandbox.startDaemon()
            for _ in 1...3 { #expect(try await sandbox.rxctl("dispatch", "count", "up").status == 0) }
            configure(100)
            let reload = try await sandbox.rxctl("reload")
            #expect(reload.status == 0, "\(reload.error)")
            #expect(try await state(sandbox, "count") == ["n": 3])
            #expect(try await sandbox.rxctl("dispatch", "count", "up").status == 0)
            #expect(try await state(sandbox, "count") == ["n": 103])
            // The change has its own revision, and the earlier states can still be read.
            let history = try await sandbox.history("count")
            #expect(history.map { $0["revision"] } == [1, 2, 3, 4, 5])
            #expect(history.map { $0["replaced"] } == [nil, nil, nil, "definition", nil])
            #expect(try await sandbox.rxctl("state", "count", "--at", "2").output == #"{"n":2}"# + "\n")
            try await sandbox.stopCleanly(daemon)
            // And so when the change meets a daemon that starts.
            configure(1000)
            let second = try await sandbox.startDaemon()
            #expect(try await state(sandbox, "count") == ["n": 103])
            #expect(try await sandbox.rxctl("dispatch", "count", "up").status == 0)
            #expect(try await state(sandbox, "count") == ["n": 1103])
            try await sandbox.stopCleanly(second)
        }
    }

    /// A list whose newest task is the first one.
    private static func list(_ name: String, _ more: String = "") -> String {
        """
        [reactor.\(name)]
        initial = { tasks = [] }
        mutate = [{ mutation = '.action.create' }]
        reduce = '.mutation as $task | .state | .tasks |= [$task] + .'
        \(more)

        """
    }

    @Test("persist switched on or off by a reload holds from then on, also where nothing was kept before")
    func persistSwitched() async throws {
        try await withSandbox { sandbox in
            func configure(_ persists: Bool) {
                let kept = persists ? "persist = true\ndurability = \"sync\"" : ""
                sandbox.configure(ReactorTests.list("list", kept))
            }
            func create(_ title: String) async throws {
                let result = try await sandbox.rxctl("dispatch", "list", #"{"create":{"title":"\#(title)"}}"#)
                #expect(result.status == 0, "\(result.error)")
            }
            func titles() async throws -> [String] {
                try await state(sandbox, "list")["tasks"]?.array?.reversed().compactMap { $0["title"]?.string } ?? []
            }
            func restart(_ daemon: Program) async throws -> Program {
                daemon.signal(SIGKILL)
                _ = try await daemon.result()
                unlink(sandbox.socket)
                return try await sandbox.startDaemon()
            }
            configure(false)
            var daemon = try await sandbox.startDaemon()
            #expect(!Files.exists(sandbox.state + "/reactors.db"))
            try await create("a")
            configure(true)
            #expect(try await sandbox.rxctl("reload").status == 0)
            try await create("b")
            daemon = try await restart(daemon)
            #expect(try await titles() == ["a", "b"])
            #expect(try await sandbox.history("list").map { $0["action"]?["create"]?["title"] } == ["b"])
            configure(false)
            #expect(try await sandbox.rxctl("reload").status == 0)
            try await create("c")
            #expect(try await sandbox.history("list").isEmpty)
            configure(true)
            daemon = try await restart(daemon)
            #expect(try await titles() == ["a", "b"])
            #expect(!daemon.error.contains("after a restart"))
            try await sandbox.stopCleanly(daemon)
        }
    }

    @Test("a reload that wants a file for states which is damaged is refused as a whole, and nothing changes")
    func persistRefused() async throws {
        try await withSandbox { sandbox in
            sandbox.configure(ReactorTests.list("list"))
            let daemon = try await sandbox.startDaemon()
            #expect(try await sandbox.rxctl("dispatch", "list", #"{"create":{"title":"a"}}"#).status == 0)
            let file = sandbox.state + "/reactors.db"
            let rubbish = String(repeating: "This is no database. ", count: 1000)
            Files.write(rubbish, to: file)
            sandbox.configure(ReactorTests.list("list", "persist = true") + ReactorTests.list("more"))
            let refused = try await sandbox.rxctl("reload")
            #expect(refused.status != 0)
            #expect(refused.error.contains(file) && refused.error.contains("left as it is"), "\(refused.error)")
            #expect(Files.read(file) == rubbish)
            #expect(try await sandbox.rxctl("state", "more").status == 5)
            #expect(try await state(sandbox, "list")["tasks"]?.array?.count == 1)
            unlink(file)
            #expect(try await sandbox.rxctl("reload").status == 0)
            #expect(try await sandbox.rxctl("state", "more").status == 0)
            try await sandbox.stopCleanly(daemon)
        }
    }

    @Test("a daemon that stops ends pending dispatches with shuttingDown")
    func stopping() async throws {
        try await withSandbox { sandbox in
            sandbox.configure(
                Sandbox.actions + """
                    [reactor.deploys]
                    initial = { started = 0 }
                    mutate = [{ mutation = '"started"' }, { execute = "sleeper", element = 'empty' }]
                    reduce = '.state.started += 1 | .state'
                    """)
            let daemon = try await sandbox.startDaemon()
            let dispatch = try await sandbox.startRxctl("dispatch", "deploys", "go", "--json")
            try await eventually("it executes") { try await state(sandbox, "deploys") == ["started": 1] }
            try await sandbox.stopCleanly(daemon)
            let result = try await dispatch.result()
            #expect(result.status == 3, "\(result.error)")
            #expect(try result.refusal()["data"]?["name"] == "shuttingDown")
        }
    }

    @Test("a second daemon on the same state directory is refused, and the first continues")
    func secondDaemon() async throws {
        try await withDemoDaemon { sandbox, _ in
            let second = try await sandbox.start([
                Programs.rxd, "--config", ReactorTests.repository + "/examples/demo",
                "--socket", sandbox.directory + "/other.sock", "--state", sandbox.state,
            ])
            let result = try await second.result()
            #expect(result.status != 0)
            #expect(result.error.contains(sandbox.state))
            #expect(result.error.contains("another rxd has this state directory"))
            #expect(try await sandbox.rxctl("dispatch", "light", "toggle").status == 0)
            #expect(try await state(sandbox, "light") == ["on": true, "switched": 1])
        }
    }
}
