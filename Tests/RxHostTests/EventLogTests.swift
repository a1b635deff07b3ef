import Rx
import RxAction
import RxJSON
import Testing
import TestSupport

@testable import RxHost
@testable import RxRecords
@testable import RxStore

@Suite("An event log", .countedApart)
struct EventLogTests {
    @Test("keeps the newest ended executions, oldest first, up to its limit")
    func endedKept() throws {
        let host = Host([Builtin.echo.definition(name: "echo")])
        let action = try #require(host.registry["echo"])
        let count = EndedExecutions.kept + 10
        let ids = try (0..<count).map { try host.execute(action, .own("\($0)")).get().id }
        let records = host.log.executions()
        #expect(records.count == EndedExecutions.kept)
        #expect(records.map(\.id) == Array(ids.suffix(EndedExecutions.kept)))
        #expect(host.execution(ids[9]) == nil)
        #expect(host.execution(ids[10])?.id == ids[10])
    }

    @Test("drops a large input when its execution ends, and not before")
    func largeInput() throws {
        let puppet = Puppet()
        let host = Host([puppet.definition()])
        let action = try #require(host.registry["puppet"])
        // Two quotes around the text.
        for (bytes, isKept) in [(ExecutionRecord.inputBytesKept, true), (ExecutionRecord.inputBytesKept + 1, false)] {
            let puppet = Puppet()
            host.reload([puppet.definition(fingerprint: "\(bytes)")])
            let input = "\"" + String(repeating: "x", count: bytes - 2) + "\""
            let execution = try host.execute(action, .own(input)).get()
            #expect(host.log.record(of: execution).input?.text == input)
            puppet.complete()
            #expect(host.log.record(of: execution).input?.text == (isKept ? input : nil))
        }
    }

    @Test("keeps a small error whole and a large one in short when its execution ends")
    func largeError() throws {
        let host = Host([Builtin.fail.definition(name: "fail")])
        let action = try #require(host.registry["fail"])
        let heard = Heard<String>()
        func failure(_ input: String) throws -> WorkFailure {
            let execution = try host.execute(
                action,
                .own(input) { event in
                    if case .ended(.failed(let failure)?) = event {
                        heard.add(RawJSON(.object(failure.facts)).text)
                    }
                }
            ).get()
            guard case .failed(let failure)? = host.log.record(of: execution).error else { throw CancellationError() }
            return failure
        }
        let small = try failure(#"{"message":"no","x":1}"#)
        #expect(small.message == "no" && RawJSON(.object(small.facts)).text == heard.values[0])
        let text = String(repeating: "x", count: 1_000_000)
        let large = try failure(#"{"message":"\#(text)","x":"\#(text)"}"#)
        #expect(heard.values[1].utf8.count > 2_000_000, "who waits for the execution gets all of it")
        #expect(large.message.utf8.count <= ExecutionRecord.errorBytesKept)
        #expect(RawJSON(.object(large.facts)).utf8.count <= ExecutionRecord.errorBytesKept)
    }

    @Test("delivers snapshot and events without a gap or a repetition")
    func snapshot() throws {
        let puppet = Puppet()
        let host = Host([puppet.definition()])
        let action = try #require(host.registry["puppet"])
        let execution = try host.execute(action, .own()).get()
        puppet.send("1")
        let (cursor, levels) = host.log.watch([action])
        #expect(levels[0].executing && !levels[0].enabled.isEnabled)
        #expect(levels[0].executions.map(\.id) == [execution.id] && levels[0].executions[0].elements == 1)
        #expect(host.log.drain().events.isEmpty, "what was before is in the snapshot")
        puppet.send("2")
        let events = host.log.drain().events
        #expect(events.map(\.text) == ["element 2"] && events[0].cursor == cursor + 1)
        #expect(events[0].execution == execution.id)
    }

    @Test("keeps events for as many as watch, and none without them")
    func watchers() throws {
        let puppet = Puppet()
        let host = Host([puppet.definition()])
        let action = try #require(host.registry["puppet"])
        _ = try host.execute(action, .own()).get()
        #expect(host.log.drain().events.isEmpty)
        _ = host.log.watch([action])
        _ = host.log.watch([action])
        host.log.unwatch(.named([action]))
        puppet.send("1")
        #expect(host.log.drain().events.map(\.text) == ["element 1"])
        host.log.unwatch(.named([action]))
        puppet.send("2")
        #expect(host.log.drain().events.isEmpty)
    }

    @Test("wakes its listener once for events that wait together")
    func listener() throws {
        let puppet = Puppet()
        let host = Host([puppet.definition()])
        let action = try #require(host.registry["puppet"])
        let wakes = Heard<Bool>()
        host.log.setListener { wakes.add(true) }
        _ = host.log.watch([action])
        _ = try host.execute(action, .own()).get()
        puppet.send("1")
        #expect(wakes.values.count == 1)
        #expect(host.log.drain().events.count == 4)
        puppet.send("2")
        #expect(wakes.values.count == 2)
    }
}
