import Jq
import Rx
import RxAction
import RxBindings
import RxHost
import RxJSON
import RxRecords
import RxSources
import RxStreams
import TestSupport
import Testing

@Suite("An element at an on")
struct BindingTests {
    @Test("becomes the input of an execution, and a firing with its end")
    func started() async throws {
        let fixture = StreamFixture()
        await fixture.apply([.of("path", "s")], [.on("s", input: "{n: .}")])
        fixture.opener["s"]?.emit([json("1")], at: StreamFixture.start)
        #expect(await eventually { fixture.work.inputs == [json(#"{"n":1}"#)] })
        fixture.work.end()
        #expect(await eventually { fixture.firings("s").first?.end == "completed" })
        let firing = try #require(fixture.firings("s").first)
        #expect(firing.number == 1 && firing.word == "started" && firing.target == "act")
        let id = try #require(firing.execution)
        let record = try #require(fixture.host.execution(id).map { fixture.host.log.record(of: $0) })
        #expect(record.by == .stream("s"))
    }

    @Test("whose program fails is a failed firing, and the stream goes on")
    func failedInput() async {
        let fixture = StreamFixture()
        await fixture.apply([.of("path", "s")], [.on("s", input: ".a + 1")])
        fixture.opener["s"]?.emit([json(#"{"a":[]}"#), json(#"{"a":1}"#)], at: StreamFixture.start)
        #expect(await eventually { fixture.work.inputs == [json("2")] && fixture.firings("s").count == 2 })
        #expect(fixture.firings("s").map(\.word) == ["failed", "started"])
        #expect(
            fixture.events.contains { event in
                if case .failure(let failure) = event { failure.program == ".a + 1" } else { false }
            })
    }

    @Test("that the action refuses is a refused firing, and no event of the action")
    func refused() async throws {
        let fixture = StreamFixture([("act", .reject)])
        await fixture.apply([.of("path", "s")], [.on("s")])
        fixture.opener["s"]?.emit([json("1"), json("2")], at: StreamFixture.start)
        #expect(await eventually { fixture.firings("s").count == 2 })
        #expect(fixture.firings("s").map(\.word) == ["started", "refused"])
        let refused = try #require(fixture.firings("s").last)
        guard case .refused("notEnabled", _) = refused.outcome else {
            Issue.record("\(refused)")
            return
        }
        let (events, _) = fixture.host.log.drain()
        #expect(!events.contains { if case .refusal = $0.change { true } else { false } })
    }

    @Test("that the schema rejects is a failed firing")
    func invalid() async throws {
        let checked = ActionDefinition(
            name: "checked", kind: "test", overlap: .reject, fingerprint: "checked",
            validate: { $0 == json("1") ? [InputFault(path: "/a", message: "is missing")] : [] }
        ) { .just($0.input) }
        let fixture = StreamFixture([], builtins: [checked])
        await fixture.apply([.of("path", "s")], [.on("s", "checked")])
        fixture.opener["s"]?.emit([json("1"), json("2")], at: StreamFixture.start)
        #expect(await eventually { fixture.firings("s").count == 2 })
        #expect(fixture.firings("s").map(\.word) == ["failed", "started"])
        guard case .failed("/a is missing")? = fixture.firings("s").first?.outcome else {
            Issue.record("\(fixture.firings("s"))")
            return
        }
    }

    @Test("waits while the queue is full, and those behind it keep their order")
    func waits() async {
        let fixture = StreamFixture([("act", .queue(limit: 1))])
        await fixture.apply([.of("path", "s")], [.on("s")])
        fixture.opener["s"]?.emit((1...4).map { json("\($0)") }, at: StreamFixture.start, position: 4)
        #expect(await eventually { fixture.firings("s").count == 2 && fixture.work.inputs.count == 1 })
        #expect(fixture.opener["s"]?.settlements.isEmpty == true)
        for expected in 2...4 {
            fixture.work.end()
            #expect(
                await eventually {
                    fixture.advance(by: .seconds(1))
                    return fixture.work.inputs.count == expected
                })
        }
        #expect(fixture.work.inputs == (1...4).map { json("\($0)") })
        #expect(await eventually { fixture.opener["s"]?.settlements == [json("4")] })
    }

    /// Counts evaluations.
    private final class CountingEvaluator: ProgramEvaluator {
        private let inner = LocalEvaluator()
        let count = Locked(0)

        func evaluate(_ program: StreamProgram, on inputs: [ProgramInput]) -> [ProgramResult] {
            count.withLock { $0 += inputs.count }
            return inner.evaluate(program, on: inputs)
        }
    }

    @Test("has one evaluation of its input, however often the full queue is tried")
    func evaluatedOnce() async throws {
        let evaluator = CountingEvaluator()
        let fixture = StreamFixture([("act", .queue(limit: 0))], evaluator: evaluator)
        await fixture.apply([.of("path", "s")], [.on("s", input: "{n: .}")])
        fixture.opener["s"]?.emit([json("1"), json("2")], at: StreamFixture.start)
        #expect(await eventually { fixture.host.streams["s"]?.summary["state"] == "waiting" })
        for _ in 1...5 {
            fixture.advance(by: .milliseconds(200))
            // The turn of the alarm has tried, and set the next one.
            #expect(await eventually { fixture.clock.firstAlarm.map { $0 > fixture.clock.now } ?? false })
        }
        #expect(evaluator.count.withLock { $0 } == 2)
        fixture.work.end()
        #expect(await eventually { fixture.work.inputs == [json(#"{"n":1}"#), json(#"{"n":2}"#)] })
        await fixture.stop()
    }

    @Test("waits for one alarm, however often the full queue is tried")
    func oneAlarm() async {
        let fixture = StreamFixture([("act", .queue(limit: 0))])
        // A level goes on while an on waits.
        await fixture.apply([.of("reactor", "s")], [.on("s")])
        var alarms: [Int] = []
        for value in 1...10 {
            fixture.opener["s"]?.emit([json("\(value)")], at: StreamFixture.start)
            #expect(await eventually { fixture.streams.stream("s")?.status.taken == value })
            alarms.append(fixture.clock.pending)
        }
        #expect(alarms[5...].allSatisfy { $0 == alarms[4] }, "\(alarms)")
        await fixture.stop()
    }

    @Test("is refused by a full queue if the on does not wait")
    func refusedWhenFull() async {
        let fixture = StreamFixture([("act", .queue(limit: 1))])
        await fixture.apply([.of("path", "s")], [.on("s", whenFull: .refuse)])
        fixture.opener["s"]?.emit((1...3).map { json("\($0)") }, at: StreamFixture.start)
        #expect(await eventually { fixture.firings("s").map(\.word) == ["started", "queued", "refused"] })
    }

    @Test("pauses the on at the end of a chain of 32 causes; its source waits until it is resumed")
    func loop() async {
        let fixture = StreamFixture()
        await fixture.apply([.of("path", "s")], [.on("s")])
        injectChain(into: fixture)
        #expect(await eventually { reason(fixture)?.hasPrefix("a loop") == true })
        fixture.streams.stream("s")?.inject(json("2"), causes: Causes(.host))
        #expect(fixture.firings("s").isEmpty)
        let failures = fixture.events.compactMap { if case .failure(let failure) = $0 { failure.message } else { nil } }
        #expect(failures.count == 1 && failures.first?.hasPrefix("act is paused: a loop") == true)
        fixture.streams.stream("s")?.set(nil)
        #expect(await eventually { fixture.firings("s").map(\.word) == ["started", "queued"] })
        #expect(fixture.work.inputs.first == json("1"))
        // What has happened before counts no more.
        #expect(chain(fixture) == 2 && reason(fixture) == nil)
        await fixture.stop()
    }

    @Test("that is paused refuses elements of a source that cannot wait")
    func refusedWhilePaused() async {
        let fixture = StreamFixture()
        await fixture.apply([.of("subject", "s")], [.on("s")])
        injectChain(into: fixture)
        #expect(await eventually { fixture.firings("s").map(\.word) == ["refused"] })
        fixture.streams.stream("s")?.inject(json("2"), causes: Causes(.host))
        #expect(await eventually { fixture.firings("s").map(\.word) == ["refused", "refused"] })
        fixture.streams.stream("s")?.set(nil)
        fixture.streams.stream("s")?.inject(json("3"), causes: Causes(.host))
        #expect(await eventually { fixture.work.inputs == [json("3")] })
        await fixture.stop()
    }

    /// Has a stream emit an element that ends a chain of 32 causes.
    private func injectChain(into fixture: StreamFixture) {
        var causes = Causes(.host)
        for number in 1..<Causes.mostLinks { causes = Causes(.stream("\(number)"), after: EarlierCauses(causes)) }
        fixture.streams.stream("s")?.inject(json("1"), causes: causes)
    }

    private func reason(_ fixture: StreamFixture) -> String? {
        if case .waiting(let reason)? = fixture.streams.stream("s")?.status.state { reason } else { nil }
    }

    private func chain(_ fixture: StreamFixture) -> Int? {
        let id = fixture.firings("s").last?.execution
        return id.flatMap { fixture.host.execution($0) }.map { fixture.host.log.record(of: $0).causes.links.count }
    }

    @Test("that is a file event is caused by an execution of the action that is in flight, and by none otherwise")
    func fileEvents() async {
        let fixture = StreamFixture()
        await fixture.apply([.of("path", "s"), .of("lines", "t")], [.on("s"), .on("t")])
        func emit(_ number: Int, _ stream: String = "s") async {
            fixture.opener[stream]?.emit([json("\(number)")], at: fixture.clock.now)
            #expect(await eventually { fixture.firings("s").count + fixture.firings("t").count == number })
        }
        await emit(1)
        #expect(chain(fixture) == 1)
        await emit(2)
        #expect(chain(fixture) == 2)
        for count in 1...2 {
            #expect(await eventually { fixture.work.inputs.count == count })
            fixture.work.end()
            #expect(await eventually { fixture.firings("s").count { $0.end != nil } == count })
        }
        fixture.advance(by: .milliseconds(1))
        await emit(3)
        #expect(chain(fixture) == 1)
        // Lines are no file events.
        await emit(4, "t")
        let id = fixture.firings("t").last?.execution
        let record = id.flatMap { fixture.host.execution($0) }.map { fixture.host.log.record(of: $0) }
        #expect(record?.causes.links.count == 1)
        await fixture.stop()
    }

    /// Has a file event arrive while the execution before it is in flight, which ends then, until the `on` waits.
    ///
    /// - Returns: the number of events so far.
    private func emitFileEvents(_ fixture: StreamFixture, after count: Int) async -> Int {
        var number = count
        while number < 200 {
            number += 1
            fixture.advance(by: .milliseconds(100))
            fixture.opener["s"]?.emit([json("\(number)")], at: fixture.clock.now)
            let came = await eventually { fixture.firings("s").last?.number == number || reason(fixture) != nil }
            #expect(came, "event \(number)")
            fixture.advance(by: .milliseconds(100))
            if number > 1 { fixture.work.end() }
            if reason(fixture) != nil { return number }
            #expect(await eventually { fixture.work.inputs.count == number })
        }
        return number
    }

    @Test("that is a file event which the action causes is paused at the 32nd, after looking twice for other causes")
    func fileLoop() async {
        let fixture = StreamFixture()
        await fixture.apply([.of("path", "s")], [.on("s")])
        var number = 0
        for length in [16, 24] {
            number = await emitFileEvents(fixture, after: number)
            #expect(number == length)
            #expect(reason(fixture)?.hasPrefix("file events came only") == true)
            // Nothing happens without its executions.
            #expect(await eventually { fixture.firings("s").allSatisfy { $0.end != nil } })
            for _ in 0..<11 { fixture.advance(by: .milliseconds(200)) }
            #expect(await eventually { fixture.work.inputs.count == number })
        }
        #expect(await emitFileEvents(fixture, after: number) == Causes.mostLinks)
        #expect(reason(fixture)?.hasPrefix("a loop") == true)
        #expect(fixture.work.inputs.count == Causes.mostLinks - 1)
        fixture.streams.stream("s")?.set(nil)
        #expect(await eventually { fixture.work.inputs.count == Causes.mostLinks })
        // The stream and the origin.
        #expect(chain(fixture) == 2)
        await fixture.stop()
    }

    @Test("of file events that others cause as well, none is lost, however long the executions take")
    func fileFlow() async {
        let fixture = StreamFixture()
        await fixture.apply([.of("path", "s")], [.on("s")])
        var number = 0
        for _ in 0..<5 {
            number = await emitFileEvents(fixture, after: number)
            #expect(reason(fixture)?.hasPrefix("file events came only") == true)
            #expect(await eventually { fixture.firings("s").allSatisfy { $0.end != nil } })
            for _ in 0..<7 { fixture.advance(by: .milliseconds(200)) }
            let time = fixture.clock.now
            for _ in 0..<4 { fixture.advance(by: .milliseconds(200)) }
            #expect(await eventually { fixture.work.inputs.count == number })
            // The source has waited, and has this event of the time in between.
            number += 1
            fixture.opener["s"]?.emit([json("\(number)")], at: time)
            #expect(await eventually { fixture.firings("s").last?.number == number })
            #expect(chain(fixture) == 1)
            fixture.work.end()
            #expect(await eventually { fixture.work.inputs.count == number })
        }
        #expect(fixture.firings("s").allSatisfy { $0.word != "refused" })
        await fixture.stop()
    }

    @Test("keeps the last 20 firings, with their numbers")
    func history() async {
        let fixture = StreamFixture([("act", .reject)])
        await fixture.apply([.of("path", "s")], [.on("s")])
        fixture.opener["s"]?.emit((1...50).map { json("\($0)") }, at: StreamFixture.start)
        #expect(await eventually { fixture.firings("s").last?.number == 50 })
        #expect(fixture.firings("s").map(\.number) == Array(31...50))
        #expect(fixture.streams.stream("s")?.status.counts == ["started": 1, "refused": 49])
    }
}

extension Firing {
    var execution: ExecutionID? { if case .accepted(_, let id) = outcome { id } else { nil } }
}
