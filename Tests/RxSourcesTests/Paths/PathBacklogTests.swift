import Testing

@testable import RxSources

@Suite("A backlog of paths")
struct PathBacklogTests {
    @Test("gives everything in its order, whatever is added and taken in between", arguments: SeededNumbers.seeds(20))
    func order(seed: UInt64) {
        var numbers = SeededNumbers(seed)
        var backlog = PathBacklog<Int>()
        var (added, taken) = (0, [Int]())
        for _ in 0..<500 {
            for _ in 0..<Int.random(in: 0...6, using: &numbers) {
                backlog.append(added)
                added += 1
            }
            #expect(backlog.first == (backlog.isEmpty ? nil : taken.count))
            taken += backlog.take(Int.random(in: 0...6, using: &numbers))
            #expect(backlog.count == added - taken.count)
        }
        taken += backlog.take(added)
        #expect(taken == Array(0..<added), "RX_SEED=\(seed)")
        #expect(backlog.isEmpty)
    }
}
