import TestSupport
import Testing

@testable import RxLoop

@Suite("TurnEnd", .ownThreads)
struct TurnEndTests {
    private final class Batch: TurnEnd {
        var ends = 0
        var onEnd: () -> Void = {}

        func turnEnded() {
            ends += 1
            onEnd()
        }
    }

    @Test("each object is called once at the end of a turn, in the order they asked")
    func once() throws {
        let loop = try EventLoop()
        let order = Shared<[String]>([])
        let (a, b) = (Batch(), Batch())
        a.onEnd = { order.change { $0.append("a") } }
        b.onEnd = { order.change { $0.append("b") } }
        loop.schedule(after: .zero) {
            for object in [b, a, a, b, a] { loop.flushAtEndOfTurn(object) }
            order.change { $0.append("turn") }
        }
        #expect(loop.turn(until: { order().count >= 3 }))
        loop.turn()
        #expect(order() == ["turn", "b", "a"])
    }

    @Test("what is asked for at the end of a turn belongs to the next one, which does not wait")
    func again() throws {
        let loop = try EventLoop()
        let batch = Batch()
        batch.onEnd = { [unowned batch] in if batch.ends < 3 { loop.flushAtEndOfTurn(batch) } }
        loop.flushAtEndOfTurn(batch)
        for expected in 1...3 {
            loop.turn(waitingAtMost: nil)
            #expect(batch.ends == expected)
        }
    }
}
