import Glibc
import RxJSON
import TestSupport
import Testing

/// Reactors that execute actions, and merge the streams of actions and other reactors.
@Suite(.ownThreads(limit: .seconds(120)))
struct ReactorActionTests {
    /// `deploy` prints two lines. It fails with 3 and a message if the environment is "bad"; with "slow" it waits to be
    /// canceled. `fragile` has no mutation for a failure.
    private static func configuration(withDeploy: Bool = true) -> String {
        let deploy = """
            [action.deploy]
            run = ["/bin/sh", "-c", '''in=$(cat); echo pull; echo start
              case $in in *slow*) sleep 300 & wait;; *bad*) echo no >&2; exit 3;; esac''']
            overlap = "queue"
            limit = 8
            grace = "1s"

            """
        let rule = """
                { when = '.action.deploy', execute = "deploy", input = '{env: .action.deploy[]}', \
            element = '{step: .element, of: .action.deploy[0]}', failure = '{failed: .error}' },
            """
        let merge = """
            { action = "deploy", mutation = '{seen: .element}' },
            """
        let fragile = """
            [reactor.fragile]
            initial = []
            mutate = [{ execute = "deploy", element = '.element' }]
            reduce = '.state + [.mutation]'

            """
        return """
            \(withDeploy ? deploy + fragile : "")
            [reactor.mode]
            initial = "day"
            mutate = [{ mutation = '.action' }]
            reduce = '.mutation'

            [reactor.site]
            initial = { steps = [], seen = [] }
            mutate = [
            \(withDeploy ? rule : "")
                { when = '.action.note', mutation = '{step: .action.note}' },
            ]
            reduce = '''
                .mutation as $m | .state
                | if $m.step then .steps += [$m.step] else . end
                | if $m.seen then .seen += [$m.seen] else . end
                | if $m.failed then .failed = $m.failed else . end
                | if $m.mode then .mode = $m.mode else . end
            '''
            merge = [
                \(withDeploy ? merge : "")
                { reactor = "mode", mutation = '{mode: .other}' },
            ]
            """
    }

    private func withSite(_ body: (Sandbox) async throws -> Void) async throws {
        try await withSandbox { sandbox in
            sandbox.configure(ReactorActionTests.configuration())
            let daemon = try await sandbox.startDaemon()
            try await body(sandbox)
            try await sandbox.stopCleanly(daemon)
        }
    }

    private func site(_ sandbox: Sandbox) async throws -> JSONValue {
        try await sandbox.rxctl("state", "site").values().first ?? .null
    }

    @Test("executions of an action are over when the dispatch returns, and belong to the rule")
    func executes() async throws {
        try await withSite { sandbox in
            let result = try await sandbox.rxctl("dispatch", "site", #"{"deploy":["prod"]}"#)
            #expect(result.status == 0, "\(result.error)")
            #expect(try await site(sandbox)["steps"] == ["pull", "start"])
            let record = try #require(try await sandbox.history("deploy").last)
            #expect(record["state"] == "completed")
            #expect(record["input"] == ["env": "prod"])
            #expect(record["by"] == ["reactor": "site", "rule": 0])
            #expect(record["causes"]?.array?.count == 2 && record["causes"]?[0] == record["by"])
            #expect(record["causes"]?[1]?["uid"] == JSONValue(Int(getuid())))
            // Two of one action, which wait for each other as the action has it.
            #expect(try await sandbox.rxctl("dispatch", "site", #"{"deploy":["a","b"]}"#).status == 0)
            #expect(try await site(sandbox)["steps"]?.array?.count == 6)
            #expect(try await sandbox.history("deploy").map { $0["input"]?["env"] } == ["prod", "a", "b"])
        }
    }

    @Test("a failure is a mutation with the error's facts; without one for it, it is the dispatch's")
    func failure() async throws {
        try await withSite { sandbox in
            let mapped = try await sandbox.rxctl("dispatch", "site", #"{"deploy":["bad"]}"#)
            #expect(mapped.status == 0, "\(mapped.error)")
            let state = try await site(sandbox)
            #expect(state["steps"] == ["pull", "start"])
            #expect(state["failed"]?["name"] == "workFailed")
            #expect(state["failed"]?["exit"] == 3)
            let unmapped = try await sandbox.rxctl("dispatch", "fragile", #"{"env":"bad"}"#, "--json")
            #expect(unmapped.status == 1)
            let refusal = try unmapped.refusal()
            #expect(refusal["data"]?["stage"] == "mutate")
            #expect(refusal["data"]?["input"]?["exit"] == 3)
            // Elements from before the failure stay.
            #expect(try await sandbox.rxctl("state", "fragile").values() == [["pull", "start"]])
            // An action that takes no input is a failure like any other.
            #expect(try await sandbox.rxctl("disable", "deploy").status == 0)
            #expect(try await sandbox.rxctl("dispatch", "site", #"{"deploy":["prod"]}"#).status == 0)
            #expect(try await site(sandbox)["failed"]?["name"] == "notEnabled")
            #expect(try await sandbox.rxctl("dispatch", "fragile", #"{"env":"x"}"#).status == 1)
        }
    }

    @Test("elements of an action are merged for any requester, and states of another reactor from the start on")
    func merges() async throws {
        try await withSite { sandbox in
            try await eventually("the other's initial state is there") { try await site(sandbox)["mode"] == "day" }
            #expect(try await sandbox.rxctl("execute", "deploy", #"{"env":"prod"}"#).status == 0)
            try await eventually("its elements are seen") { try await site(sandbox)["seen"] == ["pull", "start"] }
            #expect(try await site(sandbox)["steps"] == [], "it was not the reactor that executed it")
            for mode in ["night", "dawn"] {
                #expect(try await sandbox.rxctl("dispatch", "mode", mode).status == 0)
            }
            try await eventually("the newest is there") { try await site(sandbox)["mode"] == "dawn" }
        }
    }

    @Test("a reload that removes the action cancels the reactor's executions, and the reactor continues")
    func removed() async throws {
        try await withSite { sandbox in
            let slow = try await sandbox.startRxctl("dispatch", "site", #"{"deploy":["slow"]}"#)
            try await eventually("it is under way") { try await site(sandbox)["steps"] == ["pull", "start"] }
            sandbox.configure(ReactorActionTests.configuration(withDeploy: false))
            let reload = try await sandbox.rxctl("reload")
            #expect(reload.status == 0, "\(reload.error)")
            #expect(try reload.values().first?["removed"] == ["deploy", "fragile"])
            // It had its time to end.
            #expect(try await slow.result().status == 1)
            try await eventually("nothing of it is left") {
                !sandbox.processes().contains { (Files.read("/proc/\($0)/comm") ?? "").hasPrefix("sleep") }
            }
            #expect(try await sandbox.rxctl("dispatch", "site", "note=after").status == 0)
            let state = try await site(sandbox)
            #expect(state["steps"] == ["pull", "start", "after"])
            #expect(state["mode"] == "day")
        }
    }

    @Test(
        "who may only dispatch sees neither what the rule executed nor the state in an error; the owner asks why",
        .enabled(if: getuid() == 0 && Programs.installed("setpriv") != nil))
    func dispatchOnly() async throws {
        try await withSandbox { sandbox in
            sandbox.configure(
                """
                [action.seal]
                run = ["/bin/sh", "-c", "cat; echo hunter2 >&2; exit 3"]
                allow = { execute = { users = [] }, subscribe = { users = [] } }

                [reactor.vault]
                initial = { secret = "hunter2" }
                allow = { execute = "all", subscribe = { users = [] } }
                mutate = [
                    { when = '.action == "seal"', execute = "seal", input = '.state' },
                    { when = '.action == "index"', mutation = '.state.secret[.state.secret]' },
                    { when = '.action == "refuse"', mutation = 'error("not today")' },
                ]
                reduce = '.state'
                """, file: "conf.d/vault.toml")
            let daemon = try await sandbox.startDaemon()
            chmod(sandbox.directory, 0o755)
            chmod(sandbox.socket, 0o666)
            let copy = "\(sandbox.directory)/rxctl"
            #expect(try await sandbox.shell(#"cp "$rxctl" \#(copy)"#).status == 0)
            let nobody = "setpriv --reuid=65534 --regid=65534 --clear-groups \(copy) -s \(sandbox.socket)"
            let failed = try await sandbox.shell("\(nobody) dispatch vault seal --json")
            #expect(failed.status == 1 && !(failed.output + failed.error).contains("hunter2"), "\(failed)")
            let file = "\(sandbox.config)/conf.d/vault.toml"
            let message = try failed.refusal()["message"]?.string
            #expect(message?.hasPrefix("\(file):9: mutate[0].execute: ") == true, "\(message ?? "")")
            let id = try #require(try await sandbox.history("seal").last?["execution"]?.string)
            for command in ["history seal", "why \(id)", "wait \(id)", "cancel \(id)", "subscribe \(id)"] {
                let refused = try await sandbox.shell("\(nobody) \(command)")
                #expect(refused.status != 0 && !(refused.output + refused.error).contains("hunter2"), "\(command)")
            }
            let why = try #require(try await sandbox.rxctl("why", id).values().first)
            #expect(why["by"] == ["reactor": "vault", "rule": 0] && why["causes"]?[0] == why["by"])
            #expect(why["causes"]?[1]?["uid"] == 65534 && why["state"] == "failed")
            let index = try await sandbox.shell("\(nobody) dispatch vault index --json")
            #expect(!index.error.contains("hunter2") && index.error.contains(":10: mutate[1].mutation: failed"))
            #expect(try await sandbox.rxctl("dispatch", "vault", "index").error.contains("hunter2"))
            let refused = try await sandbox.shell("\(nobody) dispatch vault refuse --json")
            #expect(try refused.refusal()["message"]?.string == "\(file):11: mutate[2].mutation: not today")
            try await sandbox.stopCleanly(daemon)
        }
    }
}
