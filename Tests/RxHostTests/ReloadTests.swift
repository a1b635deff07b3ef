import Rx
import RxAction
import RxJSON
import Testing
import TestSupport

@testable import RxHost
@testable import RxRecords
@testable import RxStore

@Suite("A reload", .countedApart)
struct ReloadTests {
    private static func constant(_ name: String, _ text: String) -> ActionDefinition {
        ActionDefinition(name: name, kind: "test", scheduler: .inline, fingerprint: text) { _ in
            .just(RawJSON(unchecked: Array(text.utf8)))
        }
    }

    @Test("reports the added, changed, removed, and unchanged names")
    func change() {
        let host = Host([Self.constant("a", "1"), Self.constant("b", "1"), Self.constant("c", "1")])
        let change = host.reload([Self.constant("d", "1"), Self.constant("c", "2"), Self.constant("a", "1")])
        #expect(
            change == RegistryChange(added: ["d"], changed: ["c"], removed: ["b"], unchanged: ["a"]))
        #expect(host.registry.actions.map(\.name) == ["a", "c", "d"])
    }

    @Test("keeps the object of a name that stays, with the new definition for its next execution")
    func sameObject() throws {
        let puppet = Puppet()
        let host = Host([puppet.definition(name: "x", fingerprint: "1"), Self.constant("same", "1")])
        let (action, same) = (try #require(host.registry["x"]), try #require(host.registry["same"]))
        let heard = Heard<String>()
        let execution = try host.execute(action, .own { heard.add($0.text) }).get()
        host.reload([Self.constant("x", "2"), Self.constant("same", "1")])
        #expect(host.registry["x"] === action && host.registry["same"] === same)
        #expect(action.definition.fingerprint == "2")
        #expect(host.log.inFlight.map(\.id) == [execution.id])
        puppet.send("1")
        puppet.complete()
        #expect(heard.values == ["1", "completed"])
        let after = Heard<String>()
        _ = try host.execute(action, .own { after.add($0.text) }).get()
        #expect(after.values == ["2", "completed"])
    }

    @Test("that is dry changes nothing")
    func dry() {
        let host = Host([Self.constant("a", "1"), Self.constant("b", "1")])
        let change = host.reload([Self.constant("a", "2"), Self.constant("c", "1")], dryRun: true)
        #expect(change == RegistryChange(added: ["c"], changed: ["a"], removed: ["b"]))
        #expect(host.registry.actions.map(\.name) == ["a", "b"])
        #expect(host.registry["a"]?.definition.fingerprint == "1")
    }

    @Test("that removes a name lets executions in flight end, takes no more input, and publishes that")
    func removal() throws {
        let puppet = Puppet()
        let host = Host([puppet.definition()])
        let action = try #require(host.registry["puppet"])
        _ = host.log.watch([action])
        let heard = Heard<String>()
        _ = try host.execute(action, .own { heard.add($0.text) }).get()
        host.reload([])
        #expect(host.registry["puppet"] == nil)
        puppet.send("1")
        puppet.complete()
        #expect(heard.values == ["1", "completed"])
        guard case .failure(.notEnabled(let enabled)) = host.execute(action, .own()) else {
            Issue.record("it was executed")
            return
        }
        #expect(enabled.reason == .condition(error: nil))
        #expect(host.log.drain().events.map(\.text).contains("removed"))
        #expect(host.log.inFlight.isEmpty)
    }

    @Test("a name that comes back is the action it was, with its gate")
    func comingBack() throws {
        let hold = ActionDefinition(name: "hold", kind: "test", fingerprint: "hold") { _ in .never() }
        let host = Host([hold])
        let action = try #require(host.registry["hold"])
        let execution = try host.execute(action, ExecutionRequest(input: .null, by: .host)).get()
        host.reload([])
        #expect(host.registry["hold"] == nil)
        #expect(host.reload([hold]).added == ["hold"])
        #expect(host.registry["hold"] === action)
        #expect(throws: ExecutionRefusal.self) {
            try host.execute(action, ExecutionRequest(input: .null, by: .host)).get()
        }
        execution.cancel(by: nil)
        #expect(host.log.record(of: execution).state == .cancelled)
        _ = try host.execute(action, ExecutionRequest(input: .null, by: .host)).get()
    }
}
