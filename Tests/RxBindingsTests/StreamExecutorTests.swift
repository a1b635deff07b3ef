import Dispatch
import Jq
import Rx
import RxJSON
import RxPlatform
import RxStreams
import TestSupport
import Testing

@testable import RxBindings

@Suite("The threads of streams", .ownThreads)
struct StreamExecutorTests {
    /// What is ready again after each turn, until `isOver`.
    private final class Busy: TurnTaker {
        let isOver = Locked(false)
        let turns = Locked(0)

        func takeTurn() -> Bool {
            turns.withLock { $0 += 1 }
            return !isOver.withLock { $0 }
        }
    }

    /// What takes one turn, which lasts until `end`.
    private final class Frozen: TurnTaker {
        private let over = DispatchSemaphore(value: 0)
        let hasBegun = Locked(false)

        func takeTurn() -> Bool {
            hasBegun.withLock { $0 = true }
            over.wait()
            return false
        }

        func end() { over.signal() }
    }

    /// Programs that take a second each, by a clock of their own, and stand still until a test lets them go on.
    private final class Slow: ProgramEvaluator {
        private let inner = LocalEvaluator()
        private let gate = DispatchSemaphore(value: 0)
        private let seconds = Locked(0)
        private let inputs = Locked<[RawJSON]>([])

        var begun: [RawJSON] { inputs.withLock { $0 } }

        var platform: Platform {
            Platform(monotonicClock: MonotonicClock { [seconds] in .seconds(seconds.withLock { $0 }) })
        }

        func goOn(_ count: Int = 1) { for _ in 0..<count { gate.signal() } }

        /// As a worker does, it evaluates one input of several if that takes long.
        func evaluate(_ program: StreamProgram, on inputs: [ProgramInput]) -> [ProgramResult] {
            self.inputs.withLock { $0.append(inputs[0].value) }
            gate.wait()
            seconds.withLock { $0 += 1 }
            return inner.evaluate(program, on: [inputs[0]])
        }
    }

    /// What takes one turn, in which programs run until `end`.
    private final class Long: TurnTaker {
        private let programs: TurnPrograms
        private let isOver = Locked(false)
        let ends = Locked(0)

        init(_ programs: TurnPrograms) { self.programs = programs }

        func takeTurn() -> Bool {
            let input = ProgramInput(value: .true, time: StreamFixture.start)
            while !isOver.withLock({ $0 }) { _ = programs.evaluate(StreamProgram(".", .one), on: [input]) }
            ends.withLock { $0 += 1 }
            return false
        }

        func end() { isOver.withLock { $0 = true } }
    }

    @Test("answer a probe whenever a program has ended, and leave others to another thread, in a turn that goes on")
    func long() async {
        let slow = Slow()
        let executor = StreamExecutor(slow.platform)
        let programs = TurnPrograms(slow)
        let turns = (0..<2).map { _ in Long(programs) }
        for turn in turns { executor.schedule(turn) }
        #expect(await eventually { slow.begun.count == 2 })
        let (answers, other) = (Locked(0), Busy())
        other.isOver.withLock { $0 = true }
        executor.schedule(other)
        executor.probe { answers.withLock { $0 += 1 } }
        #expect(answers.withLock { $0 } == 0 && other.turns.withLock { $0 } == 0)
        // One after the other may go on first.
        slow.goOn(6)
        #expect(await eventually { slow.begun.count == 8 && other.turns.withLock { $0 } == 1 })
        for turn in turns { turn.end() }
        slow.goOn(2)
        #expect(await eventually { answers.withLock { $0 } == 1 && turns.allSatisfy { $0.ends.withLock { $0 } == 1 } })
        // Two threads are left, and idle.
        executor.probe { answers.withLock { $0 += 1 } }
        #expect(await eventually { answers.withLock { $0 } == 2 })
    }

    @Test("take a stream out of service after the element under way, and the rest comes again")
    func stop() async {
        let slow = Slow()
        let fixture = StreamFixture(evaluator: slow, platform: slow.platform)
        let map = StepDefinition("map", ["map": .program(StreamProgram(".", .many))])
        await fixture.apply([.of("path", "s", [map], persist: true)])
        fixture.opener["s"]?.emit([json("1"), json("2"), json("3")], at: StreamFixture.start, position: 3)
        #expect(await eventually { slow.begun == [json("1")] })
        let isStopped = Locked(false)
        fixture.streams.stop { isStopped.withLock { $0 = true } }
        // The second element would stand still.
        slow.goOn()
        #expect(await eventually { isStopped.withLock { $0 } })
        #expect(fixture.elements == [json("1")] && slow.begun == [json("1")])
        #expect(fixture.opener["s"]?.settlements.isEmpty == true)
    }

    @Test("serve streams with slow programs in turn, element by element, in order, and settle a batch at its end")
    func slow() async {
        let slow = Slow()
        let fixture = StreamFixture(evaluator: slow, platform: slow.platform)
        let map = StepDefinition("map", ["map": .program(StreamProgram(".", .many))])
        let scan = StepDefinition("scan", ["scan": .program(StreamProgram(".element", .one)), "initial": .json(.null)])
        let names = ["a", "b", "c"]
        await fixture.apply(names.map { .of("path", $0, [map, scan]) })
        for name in names {
            fixture.opener[name]?.emit((0..<3).map { json("\"\(name)\($0)\"") }, at: StreamFixture.start, position: 3)
        }
        // Two are in their first programs. Each turn has one element, so two of its programs.
        #expect(await eventually { slow.begun.count == 2 })
        for count in 3...8 {
            slow.goOn()
            #expect(await eventually { slow.begun.count >= count })
        }
        let first = Set(slow.begun.compactMap { $0.value().string?.first })
        #expect(first == ["a", "b", "c"], "\(slow.begun)")
        #expect(names.allSatisfy { fixture.opener[$0]?.settlements.isEmpty == true })
        slow.goOn(100)
        #expect(await eventually { fixture.elements.count == 9 })
        for name in names {
            let own = fixture.elements.compactMap { $0.value().string }.filter { $0.hasPrefix(name) }
            #expect(own == (0..<3).map { "\(name)\($0)" })
            #expect(await eventually { fixture.opener[name]?.settlements == [json("3")] })
        }
        await fixture.stop()
    }

    @Test("answer a probe while they are idle, and while streams always have more to do")
    func progress() async {
        let executor = StreamExecutor(.system)
        let answers = Locked(0)
        executor.probe { answers.withLock { $0 += 1 } }
        #expect(await eventually { answers.withLock { $0 } == 1 })
        let streams = (0..<3).map { _ in Busy() }
        for stream in streams { executor.schedule(stream) }
        #expect(await eventually { streams.allSatisfy { $0.turns.withLock { $0 } > 10 } })
        executor.probe { answers.withLock { $0 += 1 } }
        #expect(await eventually { answers.withLock { $0 } == 2 })
        for stream in streams { stream.isOver.withLock { $0 = true } }
        executor.probe { answers.withLock { $0 += 1 } }
        #expect(await eventually { answers.withLock { $0 } == 3 })
    }

    @Test("do not answer while one of them is in a turn that does not end")
    func stuck() async {
        let executor = StreamExecutor(.system)
        let (frozen, other) = (Frozen(), Busy())
        executor.schedule(frozen)
        #expect(await eventually { frozen.hasBegun.withLock { $0 } })
        executor.schedule(other)
        let hasAnswered = Locked(false)
        executor.probe { hasAnswered.withLock { $0 = true } }
        let turns = other.turns.withLock { $0 }
        #expect(await eventually { other.turns.withLock { $0 } > turns + 100 }, "the other thread goes on")
        #expect(!hasAnswered.withLock { $0 })
        frozen.end()
        #expect(await eventually { hasAnswered.withLock { $0 } })
        other.isOver.withLock { $0 = true }
    }
}
