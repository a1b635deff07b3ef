import Dispatch
import Rx
import RxAction
import RxJSON
import Testing
import TestSupport

@testable import RxHost
@testable import RxRecords
@testable import RxStore

@Suite("A host", .countedApart)
struct HostTests {
    @Test("executes an action by name, and keeps the record")
    func executing() throws {
        let host = Host([Builtin.echo.definition(name: "echo")])
        let heard = Heard<String>()
        let action = try #require(host.registry["echo"])
        let execution = try host.execute(action, .own(#"{"a":1}"#) { heard.add($0.text) }).get()
        #expect(heard.values == [#"{"a":1}"#, "completed"])
        let record = host.log.record(of: execution)
        #expect(record.state == .completed && record.elements == 1 && record.error == nil)
        #expect(record.input?.text == #"{"a":1}"# && record.action == "echo" && record.by == .host)
        let (queued, started, ended) = (record.queuedAt, try #require(record.startedAt), try #require(record.endedAt))
        #expect(queued <= started && started <= ended)
        #expect(host.log.inFlight.isEmpty)
        #expect(host.execution(execution.id) === execution)
    }

    @Test("refuses an input that the action does not accept, with no execution and no event")
    func refusedInput() throws {
        let host = Host([Builtin.ticks.definition(name: "ticks")])
        let action = try #require(host.registry["ticks"])
        _ = host.log.watch([action])
        guard case .failure(.input(let faults)) = host.execute(action, .own("1")) else {
            Issue.record("it was accepted")
            return
        }
        #expect(faults.map(\.path) == [""])
        #expect(host.log.drain().events.isEmpty && host.log.executions().isEmpty)
    }

    @Test("lets exactly one of two threads execute an action, time and again")
    func twoThreads() throws {
        let rounds = 2000
        for _ in 0..<rounds {
            let puppet = Puppet()
            let host = Host([puppet.definition()])
            let action = try #require(host.registry["puppet"])
            let results = Heard<Result<HostedExecution, ExecutionRefusal>>()
            DispatchQueue.concurrentPerform(iterations: 2) { _ in results.add(host.execute(action, .own())) }
            var winners: [ExecutionID] = []
            var reasons: [DisabledReason?] = []
            for result in results.values {
                switch result {
                case .success(let execution): winners.append(execution.id)
                case .failure(.notEnabled(let enabled)): reasons.append(enabled.reason)
                case .failure(let refusal): Issue.record("\(refusal)")
                }
            }
            try #require(winners.count == 1 && reasons.count == 1)
            guard case .executing(winners[0], since: _, by: .host, inFlight: 1, limit: 1)? = reasons[0] else {
                Issue.record("refused because of \(String(describing: reasons[0]))")
                return
            }
            #expect(host.log.inFlight.map(\.id) == winners)
            puppet.complete()
            #expect(host.log.inFlight.isEmpty)
        }
    }

    @Test("names the execution that is in the way, even if its start is not published yet")
    func refusalWithReason() throws {
        let host = Host([
            ActionDefinition(name: "hold", kind: "test", scheduler: .inline, fingerprint: "") { _ in .never() }
        ])
        let action = try #require(host.registry["hold"])
        let next = Heard<ExecutionID>()
        let refusals = Heard<Enabled>()
        // The second starts when the first ends; a third is tried when the first's `enabled` is delivered.
        host.log.setListener { [log = host.log] in
            for event in log.drain().events {
                guard case .enabled(let enabled) = event.change, enabled.isEnabled else { continue }
                if case .failure(.notEnabled(let enabled)) = host.execute(action, .own()) { refusals.add(enabled) }
            }
        }
        _ = host.log.watch([action])
        let first = try host.execute(
            action,
            .own { event in
                guard case .ended = event, case .success(let second) = host.execute(action, .own()) else { return }
                next.add(second.id)
            }
        ).get()
        first.cancel(by: .host)
        #expect(next.values.count == 1)
        try #require(refusals.values.count == 1)
        guard case .executing(next.values[0], since: _, by: .host, inFlight: 1, limit: 1)? = refusals.values[0].reason
        else {
            Issue.record("refused because of \(String(describing: refusals.values[0].reason))")
            return
        }
    }

    @Test("publishes an execution in order, each event with a cursor of its own")
    func order() throws {
        let puppet = Puppet()
        let host = Host([puppet.definition()])
        let action = try #require(host.registry["puppet"])
        let since = host.log.watch([action]).cursor
        _ = try host.execute(action, .own()).get()
        puppet.send("1")
        _ = host.execute(action, .own())
        puppet.complete()
        let events = host.log.drain().events
        #expect(
            events.map(\.text) == [
                "execution executing", "executing true", "enabled false", "element 1", "refusal false",
                "execution completed", "executing false", "enabled true",
            ])
        #expect(events.map(\.cursor) == Array((since + 1)...(since + 8)))
        #expect(host.log.cursor == since + 8)
    }

    @Test("stops: takes no more input, cancels executions in flight, and is idle once everything is published")
    func stopping() async throws {
        let puppet = Puppet()
        let host = Host([puppet.definition(), Builtin.echo.definition(name: "echo")])
        let action = try #require(host.registry["puppet"])
        let heard = Heard<String>()
        let execution = try host.execute(action, .own { heard.add($0.text) }).get()
        let levels = Heard<ActionLevels>()
        host.stop { [log = host.log] in levels.add(log.snapshot(of: [action]).levels[0]) }
        #expect(await eventually { levels.values.count == 1 })
        #expect(heard.values == ["cancelled"])
        let atIdle = try #require(levels.values.first)
        #expect(!atIdle.executing && atIdle.executions.isEmpty)
        #expect(atIdle.enabled.reason == .stopping)
        guard case .stopped? = host.log.record(of: execution).error else {
            Issue.record("ended by \(String(describing: host.log.record(of: execution).error))")
            return
        }
        for name in ["puppet", "echo"] {
            guard case .failure(.stopping) = host.execute(try #require(host.registry[name]), .own()) else {
                Issue.record("\(name) was executed")
                return
            }
        }
    }

    @Test("that has nothing in flight is idle at once when it stops")
    func stoppingIdle() {
        let host = Host([Builtin.echo.definition(name: "echo")])
        let idle = Heard<Bool>()
        host.stop { idle.add(true) }
        #expect(idle.values == [true])
    }

    @Test("reports the end of each execution that is not inline, once it has a final record")
    func endings() async throws {
        let ended = Heard<ExecutionRecord>()
        let host = Host(
            [
                Builtin.fail.definition(name: "fail", scheduler: .serial),
                Builtin.echo.definition(name: "echo"),
            ], onEnd: { ended.add($0) })
        _ = try host.execute(#require(host.registry["echo"]), .own()).get()
        _ = try host.execute(#require(host.registry["fail"]), .own(#"{"message":"no"}"#)).get()
        #expect(await eventually { !ended.values.isEmpty && host.log.inFlight.isEmpty })
        #expect(ended.values.map(\.action) == ["fail"])
        #expect(ended.values.first?.state == .failed && ended.values.first?.error?.description == "no")
    }
}
