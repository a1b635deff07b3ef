import RxJSON
import TestSupport
import Testing

@testable import rxctl

@Suite(.ownThreads)
struct LineOrderTests {
    private func element(_ text: String) -> LineResult { .element(RawJSON(.string(text)), execution: "E") }

    private let end = LineResult.end(.done, execution: "E")

    /// What is released, as `line:element` and `line.` for an end.
    private func text(_ released: [(number: Int, result: LineResult)]) -> String {
        released.map { number, result in
            switch result {
            case .element(let value, _): "\(number):\(value.value().string ?? "")"
            case .end: "\(number)."
            case .lost, .accepted: "?"
            }
        }.joined(separator: " ")
    }

    @Test("without an order to keep, everything is released at once")
    func atOnce() {
        var order = LineOrder(isKept: false)
        for number in 1...3 { order.begin(number) }
        #expect(text(order.add(element("c"), of: 3)) == "3:c")
        #expect(text(order.add(end, of: 3)) == "3.")
        #expect(text(order.add(element("a"), of: 1)) == "1:a")
        #expect(order.hasRoom)
    }

    @Test("the first line is released as it comes, the others are held, each until those before it have ended")
    func inOrder() {
        var order = LineOrder(isKept: true)
        for number in [1, 2, 5, 6] { order.begin(number) }
        #expect(text(order.add(element("e"), of: 5)) == "")
        #expect(text(order.add(end, of: 5)) == "")
        #expect(text(order.add(element("a"), of: 1)) == "1:a")
        #expect(text(order.add(element("b"), of: 2)) == "")
        #expect(text(order.add(end, of: 1)) == "1. 2:b")
        // Line 2 is the first one now.
        #expect(text(order.add(element("c"), of: 2)) == "2:c")
        #expect(text(order.add(end, of: 2)) == "2. 5:e 5.")
        #expect(text(order.add(element("f"), of: 6)) == "6:f")
        #expect(text(order.add(end, of: 6)) == "6.")
        order.begin(9)
        #expect(text(order.add(end, of: 9)) == "9.")
    }

    @Test("what is held is bounded: there is no room for another line until the first one has ended")
    func bounded() {
        var order = LineOrder(isKept: true)
        for number in 1...3 { order.begin(number) }
        let half = String(repeating: "x", count: LineOrder.mostHeld / 2)
        _ = order.add(element(half), of: 2)
        #expect(order.hasRoom)
        _ = order.add(element(half), of: 3)
        #expect(!order.hasRoom)
        #expect(order.add(end, of: 1).count == 2)
        // Line 3 alone is held.
        #expect(order.hasRoom)
        #expect(order.add(end, of: 2).count == 2)
        #expect(order.hasRoom)
    }

    @Test("lines without any output count, too, and nothing is left when all have ended")
    func silent() {
        var order = LineOrder(isKept: true)
        order.begin(0)
        var number = 0
        while order.hasRoom, number < 1_000_000 {
            number += 1
            order.begin(number)
            _ = order.add(end, of: number)
        }
        #expect(number < 100_000)
        #expect(order.add(end, of: 0).count == number + 1)
        #expect(order.hasRoom)
        // All of the room is there again.
        order.begin(number + 1)
        order.begin(number + 2)
        _ = order.add(element(String(repeating: "x", count: LineOrder.mostHeld - 1024)), of: number + 2)
        #expect(order.hasRoom)
    }

    @Test("elements that a second stream repeats are not new, and those that it leaves out are missing")
    func elements() {
        var count = ElementCount()
        func areNew(_ elements: Int) -> [Bool] { (0..<elements).map { _ in count.isNew() } }
        func skipped(_ elements: Int) -> Int { count.skip(elements) }
        #expect(areNew(2) == [true, true])
        count.begin()
        #expect(areNew(3) == [false, false, true])
        count.begin()
        #expect(skipped(2) == 0)
        #expect(areNew(1) == [false])
        count.begin()
        #expect(skipped(5) == 2)
        count.deliver(2)
        #expect(areNew(1) == [true])
        #expect(count.delivered == 6)
    }
}
