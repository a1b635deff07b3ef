import Dispatch
import Rx
import RxPlatform
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
