import RxAction
import RxHost
import RxJSON
import RxRecords
import RxStreams
import RxTime
import TestSupport
import Testing

@testable import RxBindings

@Suite("While a queue is full")
struct BackpressureTests {
    /// Elements with their numbers, each of about so many bytes.
    private static func elements(_ count: Int, bytes: Int = 0) -> [RawJSON] {
        (0..<count).map { json(#"{"n":\#($0),"x":"\#(String(repeating: "x", count: bytes))"}"#) }
    }

    private func number(_ input: RawJSON?) -> Int? { input?.value()["n"]?.int }

    @Test(
        "a source that can wait waits, and nothing is dropped",
        arguments: ["program", "lines", "journal", "path", "action", "every", "calendar", "cron", "at", "after"])
    func waits(_ kind: String) async {
        let fixture = StreamFixture([("act", .queue(limit: 0))])
        await fixture.apply([.of(kind, "s")], [.on("s")])
        let count = StreamLimits.pendingElements + 2
        fixture.opener["s"]?.emit(Self.elements(count), at: StreamFixture.start, position: 1)
        #expect(await eventually { fixture.work.inputs.count == 1 })
        #expect(await eventually { fixture.streams.stream("s")?.status.state.isWaiting == true })
        fixture.work.end()
        #expect(
            await eventually {
                fixture.advance(by: .seconds(1))
                return fixture.work.inputs.count == 2
            })
        #expect(fixture.work.inputs.map { number($0) } == [0, 1])
        #expect(fixture.opener["s"]?.settlements.isEmpty == true)
        #expect(fixture.streams.stream("s")?.status.lost == 0)
        await fixture.stop()
    }

    @Test(
        "of the elements of another source, the oldest beyond 10,000 are dropped, counted, and reported",
        arguments: ["subject", "signal", "bus", "start"])
    func drops(_ kind: String) async {
        let fixture = StreamFixture([("act", .queue(limit: 0))])
        await fixture.apply([.of(kind, "s")], [.on("s")])
        fixture.opener["s"]?.emit(Self.elements(StreamLimits.pendingElements + 12), at: StreamFixture.start)
        #expect(await eventually { fixture.work.inputs.count == 1 })
        #expect(fixture.work.inputs.map { number($0) } == [12])
        #expect(fixture.streams.stream("s")?.status.lost == 12)
        #expect(fixture.events.contains { if case .lost(12, step: "0") = $0 { true } else { false } })
        await fixture.stop()
    }

    @Test("of the elements of another source, the oldest beyond 16 MiB are dropped")
    func dropsBytes() async {
        let fixture = StreamFixture([("act", .queue(limit: 0))])
        await fixture.apply([.of("subject", "s")], [.on("s")])
        // With their names, 16 of them have more.
        fixture.opener["s"]?.emit(Self.elements(20, bytes: 1 << 20), at: StreamFixture.start)
        #expect(await eventually { fixture.work.inputs.count == 1 })
        #expect(fixture.work.inputs.map { number($0) } == [5])
        #expect(fixture.streams.stream("s")?.status.lost == 5)
        await fixture.stop()
    }

    @Test("slots that came due before are fired one at a time, though a client emits elements meanwhile")
    func missedSlots() async {
        let fixture = StreamFixture()
        let source = ExternalSource("every", ["every": .duration(1_000_000), "missed": .text("all")])
        await fixture.apply([StreamDefinition(name: "s", source: .external(source))], [.on("s")])
        let slot = StreamFixture.start.adding(microseconds: -60_000_000)
        fixture.opener["s"]?.emit([json("1")], at: StreamFixture.start, position: 5, slot: slot)
        #expect(await eventually { fixture.work.inputs == [json("1")] })
        fixture.streams.stream("s")?.inject(json("2"), causes: Causes(.host))
        #expect(await eventually { fixture.firings("s").count == 2 })
        fixture.work.end()
        #expect(await eventually { fixture.work.inputs == [json("1"), json("2")] })
        #expect(fixture.opener["s"]?.settlements.isEmpty == true)
        fixture.work.end()
        #expect(await eventually { fixture.opener["s"]?.settlements == [json("5")] })
        await fixture.stop()
    }

    @Test("what a client sends is charged to its user as long as it waits: before or in the stream, or at the on")
    func charges() async {
        let fixture = StreamFixture([("act", .queue(limit: 0))])
        let pairs = StepDefinition("buffer", ["buffer": .duration(1_000_000), "count": .count(2)])
        await fixture.apply([.of("subject", "s", [pairs])], [.on("s")])
        let memory = fixture.host.memory[1000]
        let client = Causes(.peer(uid: 1000, gid: 1000, pid: 1))
        let element = RawJSON(.string(String(repeating: "x", count: 1000)))
        func send(_ count: Int, by causes: Causes = client) {
            // Whoever holds the stream holds what waits in it, too.
            for _ in 0..<count { fixture.streams.stream("s")?.inject(element, causes: causes) }
        }
        let size = element.utf8.count + 64
        send(1)
        #expect(memory.bytes == size, "before the stream or in a batch")
        send(3)
        #expect(await eventually { fixture.streams.stream("s")?.status.state.isWaiting == true })
        // One batch is in progress, as an input, and one waits.
        let batch = RawJSON(.array([element.value(), element.value()])).utf8.count
        #expect(await eventually { memory.bytes == 2 * size + batch })
        send(1, by: Causes(.host))
        send(StreamLimits.pendingElements + 10)
        #expect(await eventually { fixture.streams.stream("s")?.status.lost ?? 0 > 0 })
        let lost = fixture.streams.stream("s")?.status.lost ?? 0
        // The element of nobody stays, though it is older. The `on` may be trying the batch again meanwhile, and what
        // is submitted counts for that moment, too.
        let waiting = batch + (2 + StreamLimits.pendingElements + 10 - lost) * size
        #expect(await eventually { memory.bytes == waiting }, "the oldest are dropped")
        await fixture.apply([])
        #expect(await eventually { memory.bytes == batch }, "the execution goes on, and the stream is gone")
        fixture.work.end()
        #expect(await eventually { memory.bytes == 0 })
        await fixture.stop()
    }

    @Test("beyond the limits, a user pushes out own elements, and the others keep theirs in their order")
    func shares() {
        let host = StreamFixture().host
        func element(_ text: String, of uid: UInt32?) -> StreamElement {
            var element = StreamElement(value: RawJSON(.string(text)), time: StreamFixture.start)
            element.charge = uid.map { host.memory[$0].charge(element.size) }
            return element
        }
        func texts(_ elements: [StreamElement]) -> [String] { elements.compactMap { $0.value.value().string } }
        func taken(_ inbox: inout Inbox) -> [String] {
            var all: [String] = []
            while case .elements(let elements, _, _)? = inbox.takeFirst(atMost: 100) { all += texts(elements) }
            return all
        }
        var inbox = Inbox()
        let few = [("a", 1), ("b", 2), ("none", nil), ("c", 1)] as [(String, UInt32?)]
        let lostFirst = few.flatMap { inbox.append(unpaced: [element($0.0, of: $0.1)], port: 0) }
        #expect(lostFirst.isEmpty)
        var lost: [StreamElement] = []
        for number in 0..<StreamLimits.pendingElements {
            lost += inbox.append(unpaced: [element("\(number)", of: 3)], port: 0)
        }
        #expect(texts(lost) == ["0", "1", "2", "3"])
        // A part is put back, and comes first again.
        guard case .elements(let first, let port, let isPaced)? = inbox.takeFirst(atMost: 3) else {
            Issue.record("there are no elements")
            return
        }
        #expect(texts(first) == ["a", "b", "none"])
        inbox.putBack(.elements(Array(first.dropFirst()), port: port, isPaced: isPaced))
        #expect(taken(&inbox) == ["b", "none", "c"] + (4..<StreamLimits.pendingElements).map { "\($0)" })
        // Bytes count likewise.
        let long = String(repeating: "x", count: 1 << 20)
        #expect(inbox.append(unpaced: [element("a", of: 1)], port: 0).isEmpty)
        let lostBytes = (0..<20).flatMap { inbox.append(unpaced: [element("\($0)" + long, of: 2)], port: 0) }
        #expect(texts(lostBytes).map { $0.prefix { $0 != "x" } } == ["0", "1", "2", "3", "4"])
        #expect(taken(&inbox).first == "a")
    }

    @Test("what waits at the on counts, too")
    func countsWaiting() async {
        let fixture = StreamFixture([("act", .queue(limit: 0))])
        await fixture.apply([.of("subject", "s")], [.on("s")])
        fixture.opener["s"]?.emit(Self.elements(101), at: StreamFixture.start)
        #expect(await eventually { fixture.streams.stream("s")?.status.state.isWaiting == true })
        // One is executing and 100 wait.
        fixture.opener["s"]?.emit(Self.elements(StreamLimits.pendingElements - 99), at: StreamFixture.start)
        #expect(await eventually { fixture.streams.stream("s")?.status.lost == 1 })
        await fixture.stop()
    }
}

extension StreamStatus.State {
    var isWaiting: Bool { if case .waiting = self { true } else { false } }
}
