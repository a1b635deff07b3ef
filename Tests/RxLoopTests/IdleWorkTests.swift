import TestSupport
import Testing

@testable import RxLoop

@Suite("Idle work", .ownThreads)
struct IdleWorkTests {
    private final class Work: IdleWork {
        var parts = 0
        var onPart: () -> Void = {}

        func workWhenIdle() {
            parts += 1
            onPart()
        }
    }

    private final class Answer: TurnEnd {
        func turnEnded() {}
    }

    private let kernel: SimulatedKernel
    private let loop: EventLoop
    private let work = Work()
    private let answer = Answer()

    init() throws {
        kernel = try SimulatedKernel()
        loop = EventLoop(kernel: kernel)
    }

    @Test("is done at the end of a turn that answers nobody, one part in each turn, and no turn waits")
    func quietTurns() {
        work.onPart = { [unowned work, loop] in if work.parts < 3 { loop.appendToIdleWork(work) } }
        loop.appendToIdleWork(work)
        for part in 1...3 {
            loop.takeTurn()
            #expect(work.parts == part)
            #expect(kernel.wantedWait == 0)
        }
        loop.takeTurn()
        #expect(work.parts == 3)
        #expect(kernel.wantedWait == -1, "nothing is left to do")
    }

    @Test("waits for the turn after one that answers, which first gives the core away for 50 microseconds")
    func afterAnAnswer() {
        loop.appendToIdleWork(work)
        loop.flushAtEndOfTurn(answer)
        loop.takeTurn()
        #expect(work.parts == 0)
        loop.takeTurn()
        #expect(work.parts == 1)
        #expect(kernel.wantedWait == 50_000)
    }

    @Test("the pause ends when the next timer is due")
    func timers() {
        loop.appendToIdleWork(work)
        loop.flushAtEndOfTurn(answer)
        loop.schedule(after: .microseconds(20)) {}
        loop.takeTurn()
        loop.takeTurn()
        #expect(kernel.wantedWait == 20_000)
    }

    @Test("gets every second turn if all turns answer")
    func busyTurns() {
        work.onPart = { [unowned work, loop] in loop.appendToIdleWork(work) }
        loop.appendToIdleWork(work)
        for turn in 1...10 {
            loop.flushAtEndOfTurn(answer)
            loop.takeTurn()
            #expect(work.parts == turn / 2)
        }
    }

    @Test("is done for as long as a turn may take; the others come first in the next one")
    func budget() {
        let order = Shared<[Int]>([])
        let works = (0..<8).map { number in
            let work = Work()
            work.onPart = { [kernel, loop, unowned work] in
                order.change { $0.append(number) }
                kernel.advance(by: .nanoseconds(TurnBudget.nanoseconds))
                if number == 0, work.parts == 1 { loop.appendToIdleWork(work) }
            }
            return work
        }
        for work in works { loop.appendToIdleWork(work) }
        var ends: [Int] = []
        while order().count < 9 {
            loop.takeTurn()
            ends.append(order().count)
        }
        #expect(order() == [0, 1, 2, 3, 4, 5, 6, 7, 0])
        #expect(ends == Array(1...9))
    }
}
