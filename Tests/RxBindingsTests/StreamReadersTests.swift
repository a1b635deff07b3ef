import Jq
import Rx
import RxAction
import RxBindings
import RxJSON
import RxRecords
import RxStore
import RxStreams
import RxTime
import TestSupport
import Testing

@testable import RxHost

/// What readers of a stream receive beside its elements.
@Suite("Readers of a stream", .countedApart)
struct StreamReadersTests {
    private func step(_ name: String, _ value: ArgumentValue) -> StepDefinition {
        StepDefinition(name, [name: value])
    }

    /// Collects what a stream publishes from now on, as words.
    private func watch(_ fixture: StreamFixture, _ stream: String) throws -> EventSource {
        let source = EventSource.named([try #require(fixture.host.streamFeed(stream))])
        _ = try fixture.host.log.open(source, .all, from: .now).get()
        return source
    }

    private func values(_ fixture: StreamFixture, _ kind: EventKinds) -> [HostEvent.Change] {
        fixture.host.log.drain().events.filter { $0.kind == kind }.map(\.change)
    }

    /// An action whose token is secret.
    private func publish() throws -> ActionDefinition {
        var definition = ActionDefinition(name: "publish", kind: "test", fingerprint: "publish") { _ in
            Observable.empty()
        }
        definition.schema = try JSONSchema(RawJSON(["properties": ["token": ["writeOnly": true]]]))
        return definition
    }

    @Test("get elements without what the target of an on marks as secret, wherever the element has it")
    func secrets() async throws {
        let fixture = StreamFixture(builtins: [try publish()])
        await fixture.apply(
            [.of("subject", "s"), .of("subject", "mapped")],
            [.on("s", "publish"), .on("mapped", "publish", input: "{token: .key, n}")])
        for (stream, element) in [("s", #"{"token":"s3cret","n":1}"#), ("mapped", #"{"key":"s3cret","n":1}"#)] {
            _ = try watch(fixture, stream)
            fixture.opener[stream]?.emit([json(element)], at: StreamFixture.start)
            #expect(await eventually { fixture.firings(stream).last?.input?.text.contains("redacted") ?? false })
            guard case .element(let shown)? = values(fixture, .elements).first else { return #expect(Bool(false)) }
            #expect(shown.text == element.replacing("s3cret", with: "[redacted]"))
        }
        await fixture.stop()
    }

    @Test(
        "get nothing of an element whose input cannot be made, if the target may have secrets",
        arguments: ["{token: .key, n: (.n | tonumber)}", "empty"])
    func secretsOfFailedInput(_ input: String) async throws {
        let fixture = StreamFixture(builtins: [try publish()])
        await fixture.apply([.of("subject", "s")], [.on("s", "publish", input: input)])
        _ = try watch(fixture, "s")
        fixture.opener["s"]?.emit([json(#"{"key":"s3cret","n":"s3cret"}"#)], at: StreamFixture.start)
        #expect(await eventually { !fixture.firings("s").isEmpty })
        let events = fixture.host.log.drain().events.map { "\($0.change)" }
        #expect(events.contains { $0.contains("[redacted]") } && fixture.firings("s").last?.execution == nil)
        #expect(!events.contains { $0.contains("s3cret") })
        await fixture.stop()
    }

    @Test("get a firing again, with its end, once its execution has ended")
    func ends() async throws {
        let fixture = StreamFixture()
        await fixture.apply([.of("subject", "s")], [.on("s")])
        _ = try watch(fixture, "s")
        fixture.opener["s"]?.emit([json("1")], at: StreamFixture.start)
        #expect(await eventually { fixture.work.inputs.count == 1 })
        fixture.work.end()
        let seen = Locked<[JSONValue]>([])
        #expect(
            await eventually {
                for case .firing(let firing) in values(fixture, .firings) {
                    seen.withLock { $0.append(firing.value()) }
                }
                return seen.withLock { $0.count } == 2
            })
        let (first, second) = (seen.withLock { $0[0] }, seen.withLock { $0[1] })
        #expect(first["outcome"] == "started" && first["end"] == nil && second["end"] == "completed")
        #expect(second["number"] == first["number"] && second["execution"] == first["execution"])
        #expect(fixture.firings("s").map(\.end) == ["completed"])
        await fixture.stop()
    }

    @Test("get the ends of the firings that a stream had before a reload, once")
    func endsAfterReload() async throws {
        let fixture = StreamFixture()
        await fixture.apply([.of("subject", "s")], [.on("s")])
        fixture.opener["s"]?.emit([json("1")], at: StreamFixture.start)
        #expect(await eventually { fixture.work.inputs.count == 1 && fixture.firings("s").count == 1 })
        await fixture.apply([.of("subject", "s", [step("take", .count(9))])], [.on("s")])
        _ = try watch(fixture, "s")
        #expect(await eventually { fixture.firings("s").count == 1 })
        fixture.work.end()
        #expect(await eventually { fixture.firings("s").map(\.end) == ["completed"] })
        #expect(values(fixture, .firings).count == 1)
        await fixture.stop()
    }

    @Test("find the ends of executions that a kill has interrupted")
    func endsAfterRestart() async throws {
        let directory = TemporaryDirectory()
        let path = directory.path + "/rxd.db"
        var store = try ExecutionStore(path: path) { _ in }
        var fixture = StreamFixture(store: store)
        let stream = StreamDefinition.of("subject", "s", persist: true)
        await fixture.apply([stream], [.on("s")])
        fixture.opener["s"]?.emit([json("1")], at: StreamFixture.start)
        #expect(await eventually { fixture.firings("s").count == 1 })
        // As after a kill: the execution is in flight, and the row of the firing is written.
        await fixture.stop()
        store.close()
        store = try ExecutionStore(path: path) { _ in }
        fixture = StreamFixture(store: store)
        await fixture.apply([stream], [.on("s")])
        #expect(await eventually { fixture.firings("s").map(\.end) == ["workFailed"] })
        await fixture.stop()
        store.close()
    }

    @Test("get the exact number of elements that a stream has dropped, in few reports")
    func drops() async throws {
        let fixture = StreamFixture([("act", .queue(limit: 1))])
        await fixture.apply([.of("subject", "s")], [.on("s")])
        _ = try watch(fixture, "s")
        let count = StreamLimits.pendingElements * 2
        for index in 0..<count { fixture.opener["s"]?.emit([json("\(index)")], at: StreamFixture.start) }
        let reported = Locked<[Int]>([])
        let status = { fixture.streams.stream("s")?.status.lost ?? 0 }
        #expect(
            await eventually {
                fixture.advance(by: .seconds(2))
                for case .drops(let drops) in values(fixture, .drops) {
                    reported.withLock { $0.append(drops.count ?? 0) }
                }
                return status() > 0 && reported.withLock { $0.reduce(0, +) } == status()
            })
        // All that could not be taken were dropped, but for those that wait: two are at the action, one is on its way.
        #expect((count - StreamLimits.pendingElements - 300...count - StreamLimits.pendingElements).contains(status()))
        #expect(reported.withLock { $0.count } < 20)
        await fixture.stop()
    }

    @Test("tap the source and each step, also within a step; what is not tapped passes unseen")
    func taps() async throws {
        let fixture = StreamFixture()
        let inner = StepDefinition(
            "groupBy",
            [
                "groupBy": .program(StreamProgram(". % 2", .one)),
                "through": .steps([step("map", .program(StreamProgram(". * 10", .many)))]),
            ])
        let steps = [step("filter", .program(StreamProgram(". > 1", .condition))), inner]
        await fixture.apply([.of("subject", "s", steps)])
        let host = fixture.host
        #expect(host.streams["s"]?.places == ["0", "1", "2", "2.1"])
        let feeds = try ["0", "1", "2.1"].map { try #require(host.tap($0, of: "s")) }
        for feed in feeds { _ = try host.log.open(.named([feed]), .elements, from: .now).get() }
        fixture.opener["s"]?.emit([json("1"), json("2"), json("3")], at: StreamFixture.start)
        let seen = Locked<[String: [String]]>([:])
        #expect(
            await eventually {
                for event in host.log.drain().events {
                    guard let tap = event.source as? TapFeed, case .element(let value) = event.change else { continue }
                    seen.withLock { $0[tap.step, default: []].append(value.text) }
                }
                return seen.withLock { $0.values.reduce(0) { $0 + $1.count } } == 7
            })
        #expect(seen.withLock { $0 } == ["0": ["1", "2", "3"], "1": ["2", "3"], "2.1": ["20", "30"]])
        // The status is published after what it counts.
        let figures = { (fixture.streams.stream("s")?.status.steps ?? []).map { "\($0.taken) \($0.emitted)" } }
        #expect(await eventually { figures() == ["3 2", "2 2", "2 2"] })
        #expect(fixture.streams.stream("s")?.status.steps.map(\.place) == ["1", "2", "2.1"])
        await fixture.stop()
    }
}
