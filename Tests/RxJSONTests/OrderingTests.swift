@testable import RxJSON
import Testing

struct OrderingTests {
    @Test("the longest run is as long as any, and grows", arguments: 0..<20)
    func longest(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let numbers = (0..<12).shuffled(using: &generator)
        let run = zip(numbers, longestIncreasingRun(of: numbers)).filter(\.1).map(\.0)
        #expect(run == run.sorted())
        // All the subsets there are.
        let most = (0..<(1 << 12)).map { set in numbers.indices.filter { set & 1 << $0 != 0 }.map { numbers[$0] } }
            .filter { $0 == $0.sorted() }.map(\.count).max()
        #expect(run.count == most)
        #expect(longestIncreasingRun(of: []) == [])
    }

    @Test("a count tree counts what is before a slot")
    func counting() {
        var tree = CountTree(ones: 5, slots: 8)
        tree.add(-1, at: 2)
        tree.add(3, at: 7)
        #expect((0...8).map { tree.count(before: $0) } == [0, 1, 2, 2, 3, 4, 4, 4, 7])
    }
}
