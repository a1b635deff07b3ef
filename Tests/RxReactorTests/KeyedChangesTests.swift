import Rx
import RxReactor
import Testing
import TestSupport

struct Item: Identifiable, Equatable, Sendable {
    let id: Int
    var version = 0
}

/// A generator that gives the same numbers for the same seed.
struct Seeded: RandomNumberGenerator {
    private var state: UInt64

    init(_ seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}

@Suite("What changes from one list to another", .leakFree)
struct KeyedChangesTests {
    private func items(_ ids: [Int]) -> [Item] { ids.map { Item(id: $0) } }

    private func steps(_ old: [Int], _ new: [Int]) -> [KeyedChanges<Item>.Step] {
        KeyedChanges(from: items(old), to: items(new)).steps
    }

    /// As the documentation of the steps has it, and as a subscriber would: nothing of the library is used. Each step
    /// must be possible where it is taken.
    private func taken(_ steps: [KeyedChanges<Item>.Step], on list: [Item]) -> [Item]? {
        var list = list
        for step in steps {
            switch step {
            case .delete(let id, let index):
                guard list.indices.contains(index), list[index].id == id else { return nil }
                list = Array(list[..<index]) + Array(list[(index + 1)...])
            case .insert(let item, let index):
                guard index >= 0, index <= list.count else { return nil }
                list = Array(list[..<index]) + [item] + Array(list[index...])
            case .move(let id, let from, let to):
                guard list.indices.contains(from), list.indices.contains(to), from != to, list[from].id == id else {
                    return nil
                }
                let item = list[from]
                list = Array(list[..<from]) + Array(list[(from + 1)...])
                list = Array(list[..<to]) + [item] + Array(list[to...])
            case .update(let item, let index):
                guard list.indices.contains(index), list[index].id == item.id, list[index] != item else { return nil }
                list[index] = item
            }
        }
        return list
    }

    @Test("each kind of change by itself is one step")
    func single() {
        #expect(steps([1, 2, 3], [1, 2, 3]).isEmpty)
        #expect(steps([1, 2, 3], [1, 3]) == [.delete(2, at: 1)])
        #expect(steps([1, 3], [1, 2, 3]) == [.insert(Item(id: 2), at: 1)])
        #expect(steps([1, 2, 3, 4], [4, 1, 2, 3]) == [.move(4, from: 3, to: 0)])
        #expect(steps([1, 2, 3, 4], [2, 3, 4, 1]) == [.move(1, from: 0, to: 3)])
        let changed = [Item(id: 1), Item(id: 2, version: 1), Item(id: 3)]
        #expect(KeyedChanges(from: items([1, 2, 3]), to: changed).steps == [.update(Item(id: 2, version: 1), at: 1)])
    }

    @Test("deletions, then insertions and moves, then updates")
    func mixed() {
        let new = [Item(id: 4, version: 1), Item(id: 9), Item(id: 1, version: 1), Item(id: 3)]
        #expect(
            KeyedChanges(from: items([1, 2, 3, 4]), to: new).steps == [
                .delete(2, at: 1), .move(4, from: 2, to: 0), .insert(Item(id: 9), at: 1),
                .update(Item(id: 4, version: 1), at: 0), .update(Item(id: 1, version: 1), at: 2),
            ])
    }

    @Test("random lists: the steps make the new list, each update is of a changed element", arguments: 1...20)
    func random(seed: UInt64) {
        var random = Seeded(seed)
        for _ in 0..<100 {
            let size = Int.random(in: 0...30, using: &random)
            let ids = Array(0..<40).shuffled(using: &random)
            let old = items(Array(ids.prefix(size)))
            var new = old.filter { _ in Int.random(in: 0..<5, using: &random) > 0 }
            for index in new.indices where Int.random(in: 0..<4, using: &random) == 0 { new[index].version += 1 }
            for id in ids.suffix(Int.random(in: 0...8, using: &random)) where !new.contains(where: { $0.id == id }) {
                new.insert(Item(id: id), at: Int.random(in: 0...new.count, using: &random))
            }
            for _ in 0..<Int.random(in: 0...4, using: &random) where !new.isEmpty {
                let moved = new.remove(at: Int.random(in: 0..<new.count, using: &random))
                new.insert(moved, at: Int.random(in: 0...new.count, using: &random))
            }
            let changes = KeyedChanges(from: old, to: new)
            var list = old
            changes.apply(to: &list)
            #expect(list == new, "from \(old.map(\.id)) to \(new.map(\.id)), seed \(seed)")
            #expect(taken(changes.steps, on: old) == new, "from \(old.map(\.id)) to \(new.map(\.id)), seed \(seed)")
            // No step more than is needed, but for moves, which another test counts.
            let before = Set(old.map(\.id)), after = Set(new.map(\.id))
            let versions = Dictionary(uniqueKeysWithValues: old.map { ($0.id, $0.version) })
            var counts = (delete: 0, insert: 0, update: 0)
            for step in changes.steps {
                switch step {
                case .delete: counts.delete += 1
                case .insert: counts.insert += 1
                case .update: counts.update += 1
                case .move: break
                }
            }
            #expect(counts.delete == before.subtracting(after).count)
            #expect(counts.insert == after.subtracting(before).count)
            #expect(counts.update == new.count { versions[$0.id] != nil && versions[$0.id] != $0.version })
        }
    }

    @Test("every order of up to six elements takes as few moves as a search finds")
    func fewestMoves() {
        for size in 0...6 {
            let old = Array(0..<size)
            let fewest = KeyedChangesTests.fewestMoves(from: old)
            #expect(fewest.count == (1...max(size, 1)).reduce(1, *))
            for (new, count) in fewest {
                let steps = steps(old, new)
                #expect(steps.count == count, "\(old) to \(new)")
                var list = items(old)
                KeyedChanges(from: items(old), to: items(new)).apply(to: &list)
                #expect(list.map(\.id) == new)
            }
        }
    }

    /// By trying: how many moves each order is away.
    private static func fewestMoves(from start: [Int]) -> [[Int]: Int] {
        var known = [start: 0]
        var front = [start]
        while !front.isEmpty {
            var next: [[Int]] = []
            for list in front {
                for from in list.indices {
                    for to in list.indices where to != from {
                        var moved = list
                        moved.insert(moved.remove(at: from), at: to)
                        guard known[moved] == nil else { continue }
                        known[moved] = (known[list] ?? 0) + 1
                        next.append(moved)
                    }
                }
            }
            front = next
        }
        return known
    }

    @Test("an identity that comes twice is no error: the steps still make the new list", arguments: 1...5)
    func duplicates(seed: UInt64) {
        var random = Seeded(seed)
        for _ in 0..<200 {
            let lists = (0..<2).map { _ in
                (0..<Int.random(in: 0...8, using: &random)).map { _ in
                    Item(id: .random(in: 0...4, using: &random), version: .random(in: 0...1, using: &random))
                }
            }
            let changes = KeyedChanges(from: lists[0], to: lists[1])
            var list = lists[0]
            changes.apply(to: &list)
            #expect(list == lists[1])
            #expect(taken(changes.steps, on: lists[0]) == lists[1])
        }
    }

    @Test("keyedChanges: the list first, then what changes; equal lists are left out")
    func observable() {
        let lists = PublishSubject<[Item]>()
        let events = Locked<[KeyedListEvent<Item>]>([])
        let subscription = lists.keyedChanges().subscribe(onNext: { event in events.withLock { $0.append(event) } })
        for ids in [[1, 2], [1, 2], [2, 1], []] { lists.onNext(items(ids)) }
        let told = events.withLock { $0 }
        #expect(
            told == [
                .snapshot(items([1, 2])),
                .changes(KeyedChanges(from: items([1, 2]), to: items([2, 1]))),
                .changes(KeyedChanges(from: items([2, 1]), to: [])),
            ])
        subscription.dispose()
    }
}
