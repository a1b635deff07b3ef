import Rx
import Testing

@Suite("Queue")
struct QueueTests {
    @Test("a queue holds what an array would, in the same order, whatever is done to it", arguments: 1...20)
    func model(seed: UInt64) {
        var random = Random(state: seed)
        var queue = Queue<Int>()
        var model: [Int] = []
        for number in 0..<5000 {
            switch random.next(below: 100) {
            // Longer at first, so that gaps are closed, then shorter.
            case 0..<(number < 2500 ? 60 : 30):
                queue.append(number)
                model.append(number)
            case 96 where !model.isEmpty:
                queue.replaceFirst(-number)
                model[0] = -number
            case 97:
                let most = Int(random.next(below: 7))
                #expect(queue.removeFirst(atMost: most) == Array(model.prefix(most)))
                model.removeFirst(min(most, model.count))
            case 98:
                queue.prepend([number, -number])
                model = [number, -number] + model
            case 99 where number % 7 == 0:
                if number % 2 == 0 {
                    queue.clear()
                } else {
                    #expect(queue.removeAll() == model)
                }
                model = []
            default:
                #expect(queue.removeFirst() == (model.isEmpty ? nil : model.removeFirst()))
            }
            #expect(queue.count == model.count)
            #expect(queue.isEmpty == model.isEmpty)
            #expect(queue.first == model.first)
            #expect(queue.last == model.last)
        }
        #expect(queue.removeAll() == model)
    }

    @Test("removed elements are released at once")
    func releasing() {
        final class Token {}
        weak var held: Token?
        var queue = Queue<Token>()
        do {
            let token = Token()
            held = token
            queue.append(token)
            queue.append(Token())
        }
        #expect(held != nil)
        queue.removeFirst()
        #expect(held == nil)
        #expect(queue.count == 1)
    }
}

/// A small generator of the same numbers in each run.
private struct Random {
    var state: UInt64

    mutating func next(below limit: UInt64) -> UInt64 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return (state >> 33) % limit
    }
}
