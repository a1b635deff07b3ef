import Dispatch
import Rx
import RxAction
import RxJSON
import Testing
import TestSupport

@testable import RxHost
@testable import RxRecords
@testable import RxStore

@Suite("A brief execution", .countedApart)
struct BriefExecutionTests {
    private let input = RawJSON(unchecked: Array(#"{"message":"no"}"#.utf8))

    /// The same work, once as a function and once as an observable.
    private func pair(_ overlap: Overlap, fails: Bool) -> (brief: ActionDefinition, long: ActionDefinition) {
        var brief = (fails ? Builtin.fail : .echo).definition(name: "a")
        brief.overlap = overlap
        var long = brief
        long.answer = nil
        return (brief, long)
    }

    private func told(_ definition: ActionDefinition, briefly: Bool) throws -> (events: [String], cursor: UInt64) {
        let host = Host([definition])
        let action = try #require(host.registry["a"])
        _ = host.log.watch([action])
        for _ in 0..<2 {
            if briefly {
                _ = try #require(host.executeBriefly(action, input, by: .host))
            } else {
                #expect(host.executeBriefly(action, input, by: .host) == nil)
                _ = try host.execute(action, ExecutionRequest(input: input, by: .host)).get()
            }
        }
        return (host.log.drain().events.map(\.text), host.log.cursor)
    }

    @Test(
        "sends observers the same events as any other, and moves the cursor as far without them",
        arguments: [Overlap.reject, .queue(limit: 2), .latest, .join], [true, false])
    func sameEvents(overlap: Overlap, fails: Bool) throws {
        let (brief, long) = pair(overlap, fails: fails)
        let expected = try told(long, briefly: false)
        #expect(!expected.events.isEmpty)
        let found = try told(brief, briefly: true)
        #expect(found.events == expected.events)
        #expect(found.cursor == expected.cursor)
        let host = Host([brief])
        let action = try #require(host.registry["a"])
        for _ in 0..<2 { _ = try #require(host.executeBriefly(action, input, by: .host)) }
        #expect(host.log.cursor == expected.cursor)
    }

    @Test("leaves a record that is found by its id and listed")
    func record() throws {
        let host = Host([Builtin.fail.definition(name: "a")])
        let action = try #require(host.registry["a"])
        let by = Origin.peer(uid: 7, gid: 8, pid: 9)
        let execution = try #require(host.executeBriefly(action, input, by: by))
        let id = execution.id
        #expect(execution.element == nil)
        guard case .failed(let failure) = execution.error else {
            Issue.record("it did not fail")
            return
        }
        #expect(failure.message == "no")
        let record = try #require(host.execution(id)).record
        #expect(record.state == .failed && record.by == by && record.input == input && record.elements == 0)
        #expect(record.error?.description == "no")
        let times = [record.queuedAt, record.startedAt, record.endedAt]
        #expect(times == [id.milliseconds, id.milliseconds, id.milliseconds])
        #expect(host.log.executions().map(\.id) == [id])
        #expect(host.log.inFlight.isEmpty)
    }

    @Test("that failed counts its error; the log keeps a few megabytes of them, and the record a shortened one")
    func longErrors() throws {
        let host = Host([Builtin.fail.definition(name: "a")])
        let action = try #require(host.registry["a"])
        let long = RawJSON(.string(String(repeating: "x", count: 1 << 20)))
        weak let first = try #require(host.executeBriefly(action, long, by: .host))
        #expect(try #require(first).cost > 1 << 20)
        let ids = try (0..<20).map { _ in try #require(host.executeBriefly(action, long, by: .host)).id }
        _ = host.log.drain()
        #expect(first == nil)
        let records = host.log.executions().filter { ids.contains($0.id) }
        #expect(records.count == ids.count)
        for record in records {
            #expect(try #require(record.error).cost < 2 * ExecutionRecord.errorBytesKept)
        }
    }

    @Test("is in flight while it lasts: another is refused because of it, by name and with its requester")
    func refusal() throws {
        let box = Locked<(Host, HostedAction)?>(nil)
        let reasons = Heard<DisabledReason?>()
        var definition = Builtin.echo.definition(name: "a")
        definition.answer = { input in
            if let (host, action) = box.withLock({ $0 }) {
                #expect(host.executeBriefly(action, input, by: .stream("inner")) == nil)
                if case .failure(.notEnabled(let enabled)) = host.execute(action, .own()) {
                    reasons.add(enabled.reason)
                }
            }
            return .success(input)
        }
        let host = Host([definition])
        let action = try #require(host.registry["a"])
        box.withLock { $0 = (host, action) }
        let by = Origin.peer(uid: 7, gid: 8, pid: 9)
        let id = try #require(host.executeBriefly(action, input, by: by)).id
        #expect(reasons.values == [.executing(id, since: id.milliseconds, by: by)])
        box.withLock { $0 = nil }
        #expect(host.executeBriefly(action, input, by: by) != nil)
    }

    @Test("lets an input that came meanwhile have its turn")
    func queue() throws {
        let box = Locked<(Host, HostedAction)?>(nil)
        let heard = Heard<String>()
        var definition = Builtin.echo.definition(name: "a")
        definition.overlap = .queue(limit: 1)
        definition.answer = { input in
            if let (host, action) = box.withLock({ $0 }) {
                let accepted = try? host.accept(action, .own("5") { heard.add($0.text) }).get()
                heard.add(accepted?.disposition.rawValue ?? "refused")
            }
            return .success(input)
        }
        let host = Host([definition])
        let action = try #require(host.registry["a"])
        box.withLock { $0 = (host, action) }
        _ = try #require(host.executeBriefly(action, input, by: .host))
        #expect(heard.values == ["queued", "5", "completed"])
        box.withLock { $0 = nil }
    }

    @Test("of a faulty input, a closed action or one whose executions are kept does not happen")
    func longWay() throws {
        let kept = { (definition: ActionDefinition) in
            var definition = definition
            definition.keepsHistory = true
            return definition
        }
        var faulty = Builtin.echo.definition(name: "faulty")
        faulty.validate = { _ in [InputFault(path: "", message: "no")] }
        let host = Host([faulty, Builtin.echo.definition(name: "off"), kept(Builtin.echo.definition(name: "kept"))])
        let off = try #require(host.registry["off"])
        host.set(ManualSwitch(by: .host, since: 1, reason: nil), of: off) { #expect($0 == nil) }
        for name in ["faulty", "off", "kept"] {
            let action = try #require(host.registry[name])
            #expect(host.executeBriefly(action, input, by: .host) == nil)
        }
        #expect(host.log.executions().isEmpty)
        guard case .failure(.input) = try host.execute(#require(host.registry["faulty"]), .own()) else {
            Issue.record("it was accepted")
            return
        }
        host.set(nil, of: off) { #expect($0 == nil) }
        #expect(host.executeBriefly(off, input, by: .host) != nil)
    }

    @Test("on two threads, each is answered or refused with a reason, and none is left in flight")
    func twoThreads() throws {
        let host = Host([Builtin.echo.definition(name: "a")])
        let action = try #require(host.registry["a"])
        let wrong = Heard<String>()
        DispatchQueue.concurrentPerform(iterations: 2) { thread in
            for round in 0..<20_000 {
                let input = RawJSON(unchecked: Array("\(thread * 100_000 + round)".utf8))
                if let brief = host.executeBriefly(action, input, by: .host) {
                    if brief.element != input { wrong.add("answer") }
                } else {
                    let result = host.execute(action, ExecutionRequest(input: input, by: .host))
                    if case .failure(let refusal) = result {
                        guard case .notEnabled(let enabled) = refusal, case .executing? = enabled.reason else {
                            wrong.add("\(refusal)")
                            continue
                        }
                    }
                }
            }
        }
        #expect(wrong.values == [])
        #expect(host.executeBriefly(action, .null, by: .host) != nil)
    }

    @Test("with a long element leaves its record alone when it has ended; one with a short element stays as it is")
    func remembered() throws {
        let host = Host([Builtin.echo.definition(name: "a")])
        let action = try #require(host.registry["a"])
        for bytes in [10, 100_000] {
            let input = RawJSON(.string(String(repeating: "x", count: bytes)))
            let execution = try #require(host.executeBriefly(action, input, by: .host))
            #expect(execution.element == input)
            switch try #require(host.log.execution(execution.id)) {
            case .brief(let kept): #expect(kept === execution && bytes == 10)
            case .past(let record, let source):
                #expect(record.elements == 1 && record.input == nil && source === action && bytes == 100_000)
            case .hosted: Issue.record("it was brief")
            }
            #expect(host.execution(execution.id)?.id == execution.id)
            #expect(host.log.executions().last?.id == execution.id)
        }
    }
}
