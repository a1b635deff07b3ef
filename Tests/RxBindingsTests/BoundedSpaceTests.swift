import RxAction
import RxHost
import RxJSON
import Rx
import RxPlatform
import RxStreams
import TestSupport
import Testing

@testable import RxBindings

/// What a daemon that runs for years keeps is bounded, and current.
@Suite("What streams keep in memory")
struct BoundedSpaceTests {
    /// Takes turns, for ever or once.
    private final class Taker: TurnTaker {
        private let goesOn: Bool
        let turns = Locked(0)

        init(goesOn: Bool) { self.goesOn = goesOn }

        func takeTurn() -> Bool {
            turns.withLock { $0 += 1 }
            return goesOn && turns.withLock { $0 } < 1_000_000
        }
    }

    @Test("is no stream that has taken its turn, though others always have more to do")
    func executor() async {
        let executor = StreamExecutor(.system)
        let busy = (1...4).map { _ in Taker(goesOn: true) }
        for taker in busy { executor.schedule(taker) }
        weak var gone: Taker?
        do {
            let taker = Taker(goesOn: false)
            gone = taker
            executor.schedule(taker)
            #expect(await eventually { taker.turns.withLock { $0 } == 1 })
        }
        #expect(await eventually { gone == nil })
        #expect(busy.contains { $0.turns.withLock { $0 } < 1_000_000 })
        for taker in busy { taker.turns.withLock { $0 = 1_000_000 } }
    }

    @Test("are the keys of so many current values; of more, those that came first are new again")
    func keys() {
        var keys = RecentKeys(limit: 3)
        let areNew = ["a", "b", "a", "c", "d", "b", "a"].map { key in keys.insert(key) }
        #expect(areNew == [true, true, false, true, true, false, true])
        for number in 0..<100_000 { _ = keys.insert("\(number)") }
        #expect(keys.count == 3)
    }

    @Test("are 10,000 elements of executions, or 16 MiB; of more, the oldest are dropped", arguments: [1, 1 << 20])
    func results(size: Int) {
        let most = size == 1 ? StreamLimits.pendingElements : StreamLimits.pendingBytes / size
        var inbox = Inbox()
        let taken = Locked<[Int]>([])
        var dropped: [String: Int] = [:]
        for number in 0..<most + 5 {
            let result = Inbox.Result(size: size, step: number < 2 ? "1" : "2") {
                taken.withLock { $0.append(number) }
            }
            dropped.merge(inbox.append(result), uniquingKeysWith: +)
        }
        #expect(dropped == ["1": 2, "2": 3])
        // In their order with what else happens.
        inbox.append(.work { taken.withLock { $0.append(-1) } })
        while case .work(let body)? = inbox.takeFirst(atMost: 1) { body() }
        #expect(taken.withLock { $0 } == Array(5..<most + 5) + [-1])
        #expect(inbox.isEmpty)
    }

    @Test("is the last element of an execution whose step takes only that")
    func lastResult() async {
        let count = 3 * StreamLimits.pendingElements
        let many = ActionDefinition(name: "many", kind: "test", overlap: .queue(limit: 1), fingerprint: "many") { _ in
            Observable.from((1...count).map { json("\($0)") })
        }
        let fixture = StreamFixture(builtins: [many])
        func stream(_ name: String, _ yields: String) -> StreamDefinition {
            .of("lines", name, [StepDefinition("flatMap", ["flatMap": .text("many"), "yields": .text(yields)])])
        }
        await fixture.apply([stream("last", "last"), stream("each", "each")])
        fixture.opener["last"]?.emit([json("0")], at: StreamFixture.start, position: 1)
        #expect(await eventually { fixture.opener["last"]?.settlements.count == 1 })
        #expect(fixture.elements == [json("\(count)")])
        #expect(fixture.streams.stream("last")?.status.lost == 0)
        fixture.opener["each"]?.emit([json("0")], at: StreamFixture.start, position: 1)
        #expect(await eventually { fixture.opener["each"]?.settlements.count == 1 })
        let status = fixture.streams.stream("each")?.status
        #expect(status.map { $0.emitted + $0.lost } == count)
        #expect(fixture.elements.last == json("\(count)"))
        await fixture.stop()
    }

    @Test("is the newest element of a stream that a condition reads, in whatever order two of them arrive")
    func newestElement() {
        let part = EnabledCondition.stream("s", when: StreamProgram(".", .condition))
        var inputs = ConditionInputs()
        let isTaken = inputs.take(.element(json("2"), number: 2), of: part)
        #expect(isTaken)
        _ = inputs.takeChanges()
        // The one that was looked up before the newer one came.
        let isOlderTaken = inputs.take(.element(json("1"), number: 1), of: part)
        #expect(!isOlderTaken && !inputs.mustEvaluate)
        guard case .element(let value, number: _)? = inputs.inputs[part] else {
            Issue.record("there is no element")
            return
        }
        #expect(value == json("2"))
        // A stream that starts over.
        let isForgotten = inputs.forget(part)
        let isFirstTaken = inputs.take(.element(json("3"), number: 1), of: part)
        #expect(isForgotten && isFirstTaken && inputs.mustEvaluate)
    }
}
