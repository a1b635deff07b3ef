import Dispatch
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
@Suite("What streams keep in memory", .ownThreads)
struct BoundedSpaceTests {
    /// Takes one turn, or one after the other until a test ends that.
    private final class Taker: TurnTaker {
        let goesOn: Locked<Bool>
        let hasTakenTurn = Locked(false)

        init(goesOn: Bool) { self.goesOn = Locked(goesOn) }

        func takeTurn() -> Bool {
            hasTakenTurn.withLock { $0 = true }
            return goesOn.withLock { $0 }
        }
    }

    @Test("is no stream that has taken its turn, though others always have more to do")
    func executor() async {
        let executor = StreamExecutor(.system)
        // More than there are lanes, so that one always waits.
        let busy = (1...4).map { _ in Taker(goesOn: true) }
        for taker in busy { executor.schedule(taker) }
        weak var gone: Taker?
        do {
            let taker = Taker(goesOn: false)
            gone = taker
            executor.schedule(taker)
            #expect(await eventually { taker.hasTakenTurn.withLock { $0 } })
        }
        #expect(await eventually { gone == nil })
        for taker in busy { taker.goesOn.withLock { $0 = false } }
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

    @Test("is the last element of an execution whose step takes only that", arguments: ["last", "each"])
    func lastResult(yields: String) async {
        let count = StreamLimits.pendingElements + 7
        let work = PublishSubject<RawJSON>()
        let many = ActionDefinition(name: "many", kind: "test", overlap: .queue(limit: 1), fingerprint: "many") { _ in
            work.asObservable()
        }
        let fixture = StreamFixture(builtins: [many])
        let step = StepDefinition("flatMap", ["flatMap": .text("many"), "yields": .text(yields)])
        let first = StepDefinition("filter", ["filter": .program(StreamProgram(". == 0", .condition))])
        await fixture.apply([.of("subject", "s", [first, step])])
        fixture.opener["s"]?.emit([json("0")], at: StreamFixture.start)
        #expect(await eventually { work.hasObservers })
        // A turn stands still while the execution emits.
        let (isInTurn, mayGoOn) = (Locked(false), DispatchSemaphore(value: 0))
        fixture.streams.stream("s")?.tap("0") { _, _ in
            isInTurn.withLock { $0 = true }
            mayGoOn.wait()
        }
        fixture.opener["s"]?.emit([json("1")], at: StreamFixture.start)
        #expect(await eventually { isInTurn.withLock { $0 } })
        for number in 1...count { work.onNext(json("\(number)")) }
        mayGoOn.signal()
        work.onCompleted()
        #expect(await eventually { fixture.elements.last == json("\(count)") })
        #expect(fixture.streams.stream("s")?.status.lost == (yields == "last" ? 0 : 7))
        #expect(fixture.elements.count == (yields == "last" ? 1 : count - 7))
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
