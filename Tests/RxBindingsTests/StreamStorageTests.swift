import RxAction
import RxBindings
import RxHost
import RxJSON
import RxStore
import RxStreams
import RxTime
import TestSupport
import Testing

@Suite("What is stored of a stream")
struct StreamStorageTests {
    private func store(_ directory: TemporaryDirectory) throws -> ExecutionStore {
        try ExecutionStore(path: directory.path + "/rxd.db") { _ in }
    }

    @Test("is the slot that was fired: the source goes on behind it, also without persist", arguments: [true, false])
    func slots(persist: Bool) async throws {
        let directory = TemporaryDirectory()
        let first = try store(directory)
        let fixture = StreamFixture(store: first)
        await fixture.apply([.of("every", "s", persist: persist)], [.on("s")])
        let slot = StreamFixture.start
        fixture.opener["s"]?.emit([json("1")], at: slot, position: 5, slot: slot)
        #expect(await eventually { fixture.work.inputs.count == 1 })
        await fixture.stop()
        first.close()
        let second = try store(directory)
        let later = StreamFixture(store: second)
        await later.apply([.of("every", "s", persist: persist)], [.on("s")])
        #expect(later.opener["s"]?.startPosition == json("5"))
        let next = slot.adding(microseconds: 1_000_000)
        later.opener["s"]?.emit([json("2")], at: next, position: 6, slot: next)
        #expect(await eventually { later.work.inputs == [json("2")] })
        #expect(later.firings("s").map(\.number) == [1, 2])
        await later.stop()
        second.close()
    }

    @Test("is the position and the values of a persistent stream, and nothing of another one")
    func persistence() async throws {
        let directory = TemporaryDirectory()
        func definition(_ name: String, persist: Bool) -> StreamDefinition {
            .of("lines", name, [StepDefinition("pairwise", ["pairwise": .boolean(true)])], persist: persist)
        }
        let streams = [definition("kept", persist: true), definition("lost", persist: false)]
        let first = try store(directory)
        let fixture = StreamFixture(store: first)
        await fixture.apply(streams)
        for name in ["kept", "lost"] { fixture.opener[name]?.emit([json("1")], at: StreamFixture.start, position: 1) }
        #expect(await eventually { fixture.opener["kept"]?.settlements.count == 1 })
        #expect(await eventually { fixture.opener["lost"]?.settlements.count == 1 })
        await fixture.stop()
        first.close()
        let second = try store(directory)
        let later = StreamFixture(store: second)
        await later.apply(streams)
        #expect(later.opener["kept"]?.startPosition == json("1"))
        #expect(later.opener["lost"]?.startPosition == nil)
        for name in ["kept", "lost"] { later.opener[name]?.emit([json("2")], at: StreamFixture.start, position: 2) }
        #expect(await eventually { later.streams.stream("lost")?.status.taken == 1 })
        #expect(await eventually { later.elements == [json("[1,2]")] })
        await later.stop()
        second.close()
    }

    @Test("is what was fired before its position, until the element comes again")
    func firedBeforeItsPosition() async throws {
        let directory = TemporaryDirectory()
        let positive = StepDefinition("filter", ["filter": .program(StreamProgram(". > 0", .one))])
        let steps = [positive, StepDefinition("flatMap", ["flatMap": .text("inner")])]
        let stream = StreamDefinition.of("action", "s", steps, persist: true)
        let actions: [(String, Overlap)] = [("act", .queue(limit: 100)), ("inner", .queue(limit: 100))]
        let first = try store(directory)
        let fixture = StreamFixture(actions, store: first)
        await fixture.apply([stream], [.on("s")])
        for number in 0...2 {
            fixture.opener["s"]?.emit([json("\(number)")], at: StreamFixture.start, position: number)
        }
        #expect(await eventually { fixture.work.inputs == [json("1")] })
        fixture.work.end(json("1"))
        // The action has 1, and the step has 2, when the daemon is killed.
        #expect(await eventually { fixture.work.inputs.count == 3 })
        first.close()
        let second = try store(directory)
        let later = StreamFixture(actions, store: second)
        await later.apply([stream], [.on("s")])
        later.opener["s"]?.emit([json("0")], at: StreamFixture.start, position: 0)
        #expect(await eventually { later.opener["s"]?.settlements == [json("0")] })
        for number in 1...2 {
            later.opener["s"]?.emit([json("\(number)")], at: StreamFixture.start, position: number)
        }
        for number in 1...2 {
            #expect(await eventually { later.work.inputs.count == number })
            later.work.end(json("\(number)"))
        }
        #expect(await eventually { later.work.inputs == [json("1"), json("2"), json("2")] })
        #expect(later.firings("s").map(\.input) == [json("1"), json("2")])
        await later.stop()
        second.close()
    }
}
