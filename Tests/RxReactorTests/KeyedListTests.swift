import RxReactor
import Testing
import TestSupport

@Suite("A list of elements with identities", .leakFree)
struct KeyedListTests {
    @Test(
        "random changes do what they do to an array, and the changes between any two versions are right",
        arguments: 1...8)
    func random(seed: UInt64) {
        var random = Seeded(seed)
        var list = KeyedList<Item>(), model: [Item] = []
        var versions: [(KeyedList<Item>, [Item])] = []
        var nextID = 0
        for round in 0..<1_500 {
            let position = Int.random(in: 0...model.count, using: &random)
            let index = model.isEmpty ? nil : Int.random(in: 0..<model.count, using: &random)
            switch Int.random(in: 0..<10, using: &random) {
            case 0..<5:
                let item = Item(id: nextID)
                nextID += 1
                list.insert(item, at: position)
                model.insert(item, at: position)
            case 5, 6:
                guard let index else { continue }
                let removed = list.remove(id: model[index].id)
                #expect(removed == model[index])
                model.remove(at: index)
            case 7:
                guard let index else { continue }
                list.update(id: model[index].id) { $0.version += 1 }
                model[index].version += 1
            case 8:
                guard let index else { continue }
                model[index].version += 10
                list[id: model[index].id] = model[index]
            default:
                guard let index else { continue }
                let moved = model.remove(at: index)
                let to = Int.random(in: 0...model.count, using: &random)
                model.insert(moved, at: to)
                list.move(id: moved.id, to: to)
            }
            if round % 100 == 0 {
                versions.append((list, model))
                for (offset, item) in model.enumerated() where list.firstIndex(id: item.id) != offset {
                    Issue.record("\(item.id) is not at \(offset), seed \(seed)")
                }
            }
        }
        versions.append((list, model))
        // What was copied before has not changed since.
        for (list, model) in versions { #expect(Array(list) == model) }
        for old in versions.suffix(4) {
            for new in versions.suffix(4) {
                var array = old.1
                KeyedChanges(from: old.0, to: new.0).apply(to: &array)
                #expect(array == new.1)
                #expect((old.0 == new.0) == (old.1 == new.1))
            }
        }
    }

    @Test("a move from one chunk to another, from and to their ends too, is one step")
    func moves() {
        let items = (0..<300).map { Item(id: $0) }
        let old = KeyedList(items)
        // Chunks are cut in halves of 64.
        let places = [0..<2, 60..<68, 124..<132, 188..<196, 298..<300].flatMap { Array($0) }
        for from in places {
            for to in places where to != from {
                var new = old
                new.move(id: from, to: to)
                var wanted = items
                wanted.insert(wanted.remove(at: from), at: to)
                #expect(new.elementsEqual(wanted))
                let changes = KeyedChanges(from: old, to: new)
                var list = items
                changes.apply(to: &list)
                #expect(list == wanted && changes.steps.count == 1, "from \(from) to \(to)")
            }
        }
    }

    @Test("what two lists share is not compared")
    func shared() {
        let old = KeyedList((0..<10_000).map { Item(id: $0) })
        func compared(_ change: (inout KeyedList<Item>) -> Void) -> (steps: [KeyedChanges<Item>.Step], compared: Int) {
            var new = old
            change(&new)
            var count = 0
            let changes = KeyedChanges(from: old, to: new) { left, right in
                count += 1
                return left == right
            }
            return (changes.steps, count)
        }
        let update = compared { $0.update(id: 5_000) { $0.version = 1 } }
        #expect(update.steps == [.update(Item(id: 5_000, version: 1), at: 5_000)])
        #expect(update.compared < 200)
        let two = compared {
            $0.update(id: 1) { $0.version = 1 }
            $0.update(id: 9_999) { $0.version = 1 }
        }
        #expect(two.steps.count == 2 && two.compared < 400)
        let delete = compared { $0.remove(id: 5_000) }
        #expect(delete.steps == [.delete(5_000, at: 5_000)])
        #expect(delete.compared < 200)
        let insert = compared { $0.insert(Item(id: -1), at: 5_000) }
        #expect(insert.steps == [.insert(Item(id: -1), at: 5_000)])
        #expect(insert.compared < 400)
    }

    @Test("an identity comes once: again, it replaces the element where it is")
    func replaces() {
        var list: KeyedList<Item> = [Item(id: 1), Item(id: 2), Item(id: 1, version: 5)]
        #expect(Array(list) == [Item(id: 1, version: 5), Item(id: 2)])
        list.insert(Item(id: 2, version: 7), at: 0)
        #expect(Array(list) == [Item(id: 1, version: 5), Item(id: 2, version: 7)])
        list[id: 3] = Item(id: 3)
        list[id: 1] = nil
        #expect(list.map(\.id) == [2, 3])
        #expect(list[id: 1] == nil && list[id: 3]?.version == 0 && list[0].id == 2)
        #expect(!list.contains(id: 1))
        let updated = list.update(id: 1) { $0.version = 1 }
        let removed = list.remove(id: 1)
        let moved = list.move(id: 1, to: 0)
        #expect(!updated && removed == nil && !moved)
    }

    @Test("equal lists are equal however they came about")
    func equality() {
        let items = (0..<1_000).map { Item(id: $0) }
        var grown = KeyedList<Item>()
        for item in items.reversed() { grown.insert(item, at: 0) }
        #expect(grown == KeyedList(items))
        grown.update(id: 7) { $0.version = 1 }
        #expect(grown != KeyedList(items))
    }
}
