import RxReactor
import Testing
import TestSupport

/// What it costs, counted and not timed: how often an identity is read, compared or hashed.
@Suite("What changes of lists cost", .leakFree)
struct KeyedCostTests {
    /// Counts what is asked of the identities that have it.
    final class Counter {
        var compared = 0
        var hashed = 0
        var all: Int { compared + hashed }
    }

    struct CountedID: Hashable {
        let number: Int
        let counter: Counter

        static func == (left: CountedID, right: CountedID) -> Bool {
            left.counter.compared += 1
            return left.number == right.number
        }

        func hash(into hasher: inout Hasher) {
            counter.hashed += 1
            hasher.combine(number)
        }
    }

    struct Cell: Identifiable {
        let id: CountedID
        var version = 0
    }

    private let counter = Counter()

    private func cells(_ numbers: some Sequence<Int>) -> [Cell] {
        numbers.map { Cell(id: CountedID(number: $0, counter: counter)) }
    }

    /// The steps, how many elements were compared by value, and what was asked of identities.
    private func cost(
        _ difference: ((Cell, Cell) -> Bool) -> KeyedChanges<Cell>
    ) -> (steps: Int, values: Int, compared: Int, hashed: Int) {
        counter.compared = 0
        counter.hashed = 0
        var values = 0
        let changes = difference { left, right in
            values += 1
            return left.version == right.version
        }
        return (changes.steps.count, values, counter.compared, counter.hashed)
    }

    /// The greatest of the three.
    private func cost(from old: [Cell], to new: [Cell], steps: Int) -> Int {
        let cost = cost { KeyedChanges(from: old, to: new, by: $0) }
        #expect(cost.steps == steps)
        return max(cost.values, cost.compared, cost.hashed)
    }

    private let count = 10_000

    @Test("of arrays with one change each element is compared once, and no table is made of them")
    func oneOfArray() {
        let old = cells(0..<count)
        for position in [0, count / 2, count - 1] {
            var updated = old, removed = old, added = old, moved = old
            updated[position].version = 1
            removed.remove(at: position)
            added.insert(contentsOf: cells([-1]), at: position)
            moved.insert(moved.remove(at: position), at: min(position + 1, count - 2))
            for (new, steps) in [(old, 0), (updated, 1), (removed, 1), (added, 1), (moved, 1)] {
                let found = cost { KeyedChanges(from: old, to: new, by: $0) }
                #expect(found.steps == steps)
                #expect(found.values <= count)
                #expect(found.compared <= count + 8)
                #expect(found.hashed <= 8)
            }
        }
    }

    @Test("of arrays that are turned round, mixed or replaced the cost grows with the length, no faster")
    func allOfArray() {
        var random = Seeded(7)
        for size in [1_000, 10_000] {
            let numbers = Array(0..<size)
            let old = cells(numbers)
            // One stays, the others move.
            #expect(cost(from: old, to: cells(numbers.reversed()), steps: size - 1) <= 6 * size)
            #expect(cost(from: old, to: cells(size..<2 * size), steps: 2 * size) <= 6 * size)
            #expect(cost(from: old, to: [], steps: size) <= 2 * size)
            #expect(cost(from: [], to: old, steps: size) <= 2 * size)
            let mixed = cost { KeyedChanges(from: old, to: cells(numbers.shuffled(using: &random)), by: $0) }
            #expect(max(mixed.values, mixed.compared, mixed.hashed) <= 6 * size)
        }
    }

    /// Quadratic, it would be at it for minutes.
    @Test("two hundred thousand mixed elements are compared in no time", .ownThreads(limit: .seconds(60)))
    func large() {
        var random = Seeded(8)
        let old = (0..<200_000).map { Item(id: $0) }
        let new = old.shuffled(using: &random)
        let changes = KeyedChanges(from: old, to: new)
        #expect(changes.steps.count < old.count)
        #expect(changes.steps.count > old.count * 9 / 10)
    }

    @Test("changing one of ten thousand elements of a keyed list asks a chunk, and publishing the change two")
    func oneOfList() {
        let old = KeyedList(cells(0..<count))
        for position in [0, count / 2, count - 1] {
            let id = CountedID(number: position, counter: counter)
            let changes: [(inout KeyedList<Cell>) -> Void] = [
                { $0.update(id: id) { $0.version = 1 } },
                { $0[id: id] = Cell(id: id, version: 1) },
                { $0.remove(id: id) },
                { $0.insert(cells([-1])[0], at: position) },
                { $0.append(cells([-1])[0]) },
                { $0.move(id: id, to: min(max(position, 1) - 1, count - 1)) },
            ]
            for (index, change) in changes.enumerated() {
                var new = old
                counter.compared = 0
                counter.hashed = 0
                change(&new)
                #expect(counter.all <= 600, "change \(index) at \(position)")
                let told = cost { KeyedChanges(from: old, to: new, by: $0) }
                #expect(told.steps == (index == 5 && position == 0 ? 0 : 1), "change \(index) at \(position)")
                #expect(told.values <= 256 && told.compared <= 600 && told.hashed <= 600)
            }
        }
    }

    @Test("making a keyed list of n elements asks for each identity a few times")
    func making() {
        counter.compared = 0
        let list = KeyedList(cells(0..<count))
        #expect(list.count == count)
        #expect(counter.hashed <= 10 * count && counter.compared <= 10 * count)
    }
}
